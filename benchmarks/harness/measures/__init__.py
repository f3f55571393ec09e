"""The measures benchmark: one topic against the rest, by many methods, judged by several measures."""
