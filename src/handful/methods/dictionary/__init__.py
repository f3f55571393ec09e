"""Performance-optimal dictionaries for bags of instances (Wang et al. 2016)."""
