"""Where X lives when it is not in the memory of this process: on disk, on a cluster, on a GPU."""
