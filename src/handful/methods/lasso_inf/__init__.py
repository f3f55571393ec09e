"""The multi-task lasso with the l1/l-infinity penalty, down to a wanted number of features."""
