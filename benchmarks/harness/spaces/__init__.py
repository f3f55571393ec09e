"""What only the benchmark of feature spaces needs: its data, methods, cells, targets and growth."""
