"""What every benchmark script shares: data sets, rivals, measurement, tables."""
