"""The nearest instance of each bag, from a block of products of instances with atoms."""

from handful.kernels.compiled import njit


@njit(cache=True, nogil=True)
def keep_nearest(products, squares, offsets, first_row, start, stop, nearest, rows):
    """For bags start..stop-1: lower ``nearest`` to ``|x|^2 - 2 x'd`` where an instance is nearer.

    ``products`` holds ``x'd`` for the instances ``first_row``, ``first_row + 1``, ... and some atoms;
    only the rows of a bag that lie in it are looked at. ``rows`` gets the instance that was nearest,
    the first one of equals.
    """
    last_row = first_row + products.shape[0]
    for bag in range(start, stop):
        for row in range(max(offsets[bag], first_row), min(offsets[bag + 1], last_row)):
            product = products[row - first_row]
            square = squares[row]
            for atom in range(product.shape[0]):
                distance = square - 2.0 * product[atom]
                if distance < nearest[bag, atom]:
                    nearest[bag, atom] = distance
                    rows[bag, atom] = row
