"""The feature generating machine (Tan, Tsang and Wang 2014), also for multivariate measures (Mao and Tsang 2013)."""
