"""The multi-label benchmark: one budget of features for all labels, judged by seven measures."""
