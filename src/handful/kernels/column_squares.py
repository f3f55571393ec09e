"""Weighted sums of squares of rows, and of their differences from the mean, in one read from memory."""

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")
def sums_of_squares(rows, weight, total, squares, about_means):
    """Fill one sum of each kind for each row; ``total`` is that of the weights."""
    for j in range(rows.shape[0]):
        square, mean = 0.0, 0.0
        for i in range(rows.shape[1]):
            square += weight[i] * rows[j, i] * rows[j, i]
            mean += weight[i] * rows[j, i]
        mean /= total
        about = 0.0
        for i in range(rows.shape[1]):
            about += weight[i] * (rows[j, i] - mean) * (rows[j, i] - mean)
        squares[j], about_means[j] = square, about
