"""Loops over labelings that are kept in a byte for each sample: right (0), or wrong to one of two sides."""

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def pack_signs(columns, signs, sizes):
    """Signs of the numbers in each column, and the size that all of them have."""
    for k in range(columns.shape[1]):
        size = 0.0
        for i in range(columns.shape[0]):
            number = columns[i, k]
            size = max(size, abs(number))
            signs[i, k] = (number > 0.0) - (number < 0.0)
        sizes[k] = size


@njit(cache=True, nogil=True)
def add_signs(signs, factors, total):
    """Add each column of signs times its factor."""
    for k in range(signs.shape[1]):
        factor = factors[k]
        if factor != 0.0:
            for i in range(signs.shape[0]):
                total[i] += factor * signs[i, k]


@njit(cache=True, nogil=True)
def csr_signed_sums(indptr, indices, data, signs, dots):
    """Add to ``dots``, (columns, labelings), the rows of a matrix that each labeling has wrong, with their signs."""
    for k in range(signs.shape[1]):
        for i in range(signs.shape[0]):
            sign = signs[i, k]
            if sign != 0:
                for p in range(indptr[i], indptr[i + 1]):
                    dots[indices[p], k] += sign * data[p]
