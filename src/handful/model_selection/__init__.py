"""How many features, how sure, and how good: choices over folds and resamples, for any selector."""
