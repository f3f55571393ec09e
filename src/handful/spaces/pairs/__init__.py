"""Products of two columns as features: all of them implied, the best of them made."""
