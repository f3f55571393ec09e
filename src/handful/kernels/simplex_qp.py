"""A small quadratic problem over shares that add up to at most one, by changing a set of columns in use."""

import numpy as np

from handful.kernels.compiled import njit

RIDGE = 1e-11  # keeps columns that depend on one another apart; relative
REFINEMENTS = 2
FIRST = 2  # rows of the two constraints, before those of the columns in use
HUGE = 1e9  # entries of the inverse beyond this have lost their digits
NOISE = 1e-14  # a price below this says nothing
LOOSE = 1e-10  # error of a solution, relative, above which the inverse is made anew
FROM_RIDGE = 0.01  # share of a column's own part that the ridge is, above which it has none
OWN = 1e-9  # share of a column that others must leave of it, for it not to depend on them


@njit(cache=True, nogil=True, error_model="numpy")
def simplex_qp(gram, costs, sums, alpha, tol, max_changes):
    """Minimise ``1/2 alpha' G alpha - cost' alpha`` over ``alpha >= 0, sum alpha <= 1, sums' alpha = 0``.

    A primal active-set method. The columns in use solve the problem as if no other were there; the one
    that is priced lowest enters; whichever would become negative leaves. Their KKT matrix
    ``[0, E; E', G]`` with ``E = [1; sums]`` is kept inverted: a change costs O(K p) for K columns of
    which p are in use. What is missing from a sum of one is held by a last column of zeros.

    Where the columns to begin with depend on one another, as those of an interior-point method do, which leaves nothing zero, the
    matrix has no inverse: each change would make it anew, in O(p^3), with few digits. Then only columns that do not are begun with.

    Numbers should be near one. ``alpha`` is where to begin, and is overwritten; it may be infeasible,
    or all zero.

    Returns
    -------
    intercept : float
        The multiplier of ``sums' alpha = 0``.
    gap : float
        How far alpha is from optimal at most, relative to its objective.
    """
    K = costs.shape[0]
    used, is_used, share, p = _begin(alpha)
    ridge = RIDGE * max(1.0, np.diag(gram).max())
    inverse = np.empty((K + 1 + FIRST, K + 1 + FIRST))
    _invert(inverse, gram, sums, used, p, ridge)
    if _largest(inverse, p) * ridge > FROM_RIDGE:
        p = _leave_dependent(gram, sums, used, is_used, share, p)
        _invert(inverse, gram, sums, used, p, ridge)
    multipliers = np.zeros(FIRST)
    gap, is_fresh = np.inf, True
    for _ in range(max_changes):
        wanted, error = _solve(inverse, gram, costs, sums, used, p)
        if error > LOOSE and not is_fresh:
            _invert(inverse, gram, sums, used, p, ridge)
            is_fresh = True
            wanted, error = _solve(inverse, gram, costs, sums, used, p)
        leaves = _move(share, wanted, used, p)
        if leaves >= 0:
            is_used[used[leaves]] = False
            is_fresh = not _remove(inverse, used, p, leaves)
            p -= 1
        else:
            for q in range(FIRST):
                multipliers[q] = wanted[q]
            enters, gap = _price(gram, costs, sums, share, used, p, multipliers, is_used)
            if gap <= tol or (enters < 0 and is_fresh):
                break
            # If nothing would enter, yet rounding has left a gap, only the inverse is made anew.
            is_fresh = True
            if enters >= 0:
                used[p], is_used[enters] = enters, True
                is_fresh = not _append(inverse, gram, sums, used, p, ridge)
                p += 1
        if is_fresh:
            _invert(inverse, gram, sums, used, p, ridge)
    for k in range(K):
        alpha[k] = share[k]
    return multipliers[1], gap


@njit(cache=True, nogil=True, error_model="numpy")
def _begin(alpha):
    """The columns in use, which they are, all shares, and how many are in use."""
    K = alpha.shape[0]
    used = np.empty(K + 1, np.int64)
    share = np.zeros(K + 1)
    for k in range(K):
        share[k] = alpha[k]
    share[K] = max(0.0, 1.0 - alpha.sum())
    is_used = share > 0.0
    p = 0
    for k in range(K + 1):
        if is_used[k]:
            used[p] = k
            p += 1
    return used, is_used, share, p


@njit(cache=True, nogil=True, error_model="numpy")
def _largest(inverse, p):
    """The largest entry between columns in use."""
    largest = 0.0
    for q in range(FIRST, FIRST + p):
        for r in range(FIRST, FIRST + p):
            largest = max(largest, abs(inverse[q, r]))
    return largest


@njit(cache=True, nogil=True, error_model="numpy")
def _leave_dependent(gram, sums, used, is_used, share, p):
    """Keep columns in use that do not depend on those with larger shares; return how many.

    What no others say of a column is what a Cholesky factor of ``G + E' E`` has on its diagonal, row by row.
    """
    order = used[np.argsort(-share[used[:p]], kind="mergesort")]
    factor = np.empty((p, p))
    kept = 0
    for q in range(p):
        i = order[q]
        # The entries of a row of the factor before the diagonal, and what is left for that.
        whole = 1.0 + _sum_of(sums, i) ** 2 + _entry(gram, i, i, 0.0)
        left = whole
        for r in range(kept):
            j = used[r]
            entry = 1.0 + _sum_of(sums, i) * _sum_of(sums, j) + _entry(gram, i, j, 0.0)
            for s in range(r):
                entry -= factor[kept, s] * factor[r, s]
            factor[kept, r] = entry / factor[r, r]
            left -= factor[kept, r] ** 2
        if left > OWN * whole:
            factor[kept, kept] = np.sqrt(left)
            used[kept] = i
            kept += 1
        else:
            share[i], is_used[i] = 0.0, False
    return kept


@njit(cache=True, nogil=True, error_model="numpy")
def _move(share, wanted, used, p):
    """Go to what is wanted, or as far as no share is negative; return which of those in use is zero."""
    step, leaves = 1.0, -1
    for q in range(p):
        change = wanted[FIRST + q] - share[used[q]]
        if change < 0.0 and share[used[q]] < -change * step:
            step, leaves = share[used[q]] / -change, q
    for q in range(p):
        share[used[q]] += step * (wanted[FIRST + q] - share[used[q]])
    if leaves >= 0:
        share[used[leaves]] = 0.0
    return leaves


@njit(cache=True, nogil=True, error_model="numpy")
def _entry(gram, i, j, ridge):
    """G with a ridge, and with the column of zeros, which needs none."""
    K = gram.shape[0]
    if i >= K or j >= K:
        return 0.0
    return gram[i, j] + ridge if i == j else gram[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_of(sums, i):
    return sums[i] if i < sums.shape[0] else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _times(inverse, size, vector):
    """The leading part of a matrix times a vector, without a copy."""
    image = np.zeros(size)
    for q in range(size):
        for r in range(size):
            image[q] += inverse[q, r] * vector[r]
    return image


@njit(cache=True, nogil=True, error_model="numpy")
def _invert(inverse, gram, sums, used, p, ridge):
    """Make the inverse anew: O(p^3)."""
    size = FIRST + p
    for q in range(size):
        inverse[q, :size] = 0.0
    # Less than nothing on the diagonal: invertible even if all sums in use are zero.
    inverse[0, 0] = inverse[1, 1] = -RIDGE * RIDGE / ridge
    for q in range(p):
        inverse[0, FIRST + q] = inverse[FIRST + q, 0] = 1.0
        inverse[1, FIRST + q] = inverse[FIRST + q, 1] = _sum_of(sums, used[q])
        for r in range(p):
            inverse[FIRST + q, FIRST + r] = _entry(gram, used[q], used[r], ridge)
    _invert_in_place(inverse, size)


@njit(cache=True, nogil=True, error_model="numpy")
def _invert_in_place(matrix, size):
    """Gauss and Jordan, with the largest pivot of each column.

    LAPACK would do it too, but takes seconds to be linked into compiled code.
    """
    swaps = np.empty(size, np.int64)
    for c in range(size):
        swaps[c] = c + np.abs(matrix[c:size, c]).argmax()
        _exchange(matrix[c, :size], matrix[swaps[c], :size])
        pivot = matrix[c, c]
        matrix[c, c] = 1.0
        for r in range(size):
            matrix[c, r] /= pivot
        for q in range(size):
            if q != c:
                factor = matrix[q, c]
                matrix[q, c] = 0.0
                for r in range(size):
                    matrix[q, r] -= factor * matrix[c, r]
    for c in range(size - 1, -1, -1):
        _exchange(matrix[:size, c], matrix[:size, swaps[c]])


@njit(cache=True, nogil=True, error_model="numpy")
def _exchange(one, other):
    for q in range(one.shape[0]):
        one[q], other[q] = other[q], one[q]


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(inverse, gram, costs, sums, used, p):
    """Multipliers and shares of the columns in use, refined to be free of the ridge, and the error left."""
    size, K = FIRST + p, gram.shape[0]
    right = np.zeros(size)
    right[0] = 1.0
    for q in range(p):
        right[FIRST + q] = costs[used[q]] if used[q] < K else 0.0
    found = _times(inverse, size, right)
    error = 0.0
    for step in range(REFINEMENTS + 1):
        rest = right.copy()
        for q in range(p):
            i, share = used[q], found[FIRST + q]
            rest[0] -= share
            rest[1] -= share * _sum_of(sums, i)
            rest[FIRST + q] -= found[0] + found[1] * _sum_of(sums, i)
            if i < K:
                for r in range(p):
                    if used[r] < K:
                        rest[FIRST + r] -= gram[i, used[r]] * share
        error = np.abs(rest).max()
        if step < REFINEMENTS:
            found += _times(inverse, size, rest)
    return found, error


@njit(cache=True, nogil=True, error_model="numpy")
def _append(inverse, gram, sums, used, p, ridge):
    """Border the matrix by the column that enters last; False if that takes too many digits."""
    size, i = FIRST + p, used[p]
    border = np.empty(size)
    border[0], border[1] = 1.0, _sum_of(sums, i)
    for q in range(p):
        border[FIRST + q] = _entry(gram, i, used[q], ridge)
    image = _times(inverse, size, border)
    pivot = _entry(gram, i, i, ridge) - border @ image
    if not abs(pivot) > ridge or not np.abs(image).max() < HUGE:
        return False
    for q in range(size):
        for r in range(size):
            inverse[q, r] += image[q] * image[r] / pivot
        inverse[q, size] = inverse[size, q] = -image[q] / pivot
    inverse[size, size] = 1.0 / pivot
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _remove(inverse, used, p, leaves):
    """Take a column out, and let the last have its place; False if that takes too many digits."""
    size, gone, last = FIRST + p, FIRST + leaves, FIRST + p - 1
    used[leaves] = used[p - 1]
    row, pivot = inverse[gone, :size].copy(), inverse[gone, gone]
    if not np.abs(row).max() ** 2 < abs(pivot) * HUGE:
        return False
    for q in range(size):
        for r in range(size):
            inverse[q, r] -= row[q] * row[r] / pivot
    for q in range(size):
        inverse[gone, q] = inverse[last, q]
    for q in range(size):
        inverse[q, gone] = inverse[q, last]
    inverse[gone, gone] = inverse[last, last]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _price(gram, costs, sums, share, used, p, multipliers, is_used):
    """The column that would lower the objective fastest, and the relative duality gap.

    The primal objective is ``1/2 alpha' G alpha + max(0, cost_k - (G alpha)_k - b sums_k)``.
    """
    K = costs.shape[0]
    slack = costs - multipliers[1] * sums
    for q in range(p):
        i = used[q]
        if i < K:
            for k in range(K):
                slack[k] -= gram[i, k] * share[i]
    enters, most, highest, linear, inner = -1, NOISE, 0.0, 0.0, 0.0
    for k in range(K):
        highest = max(highest, slack[k])
        linear += share[k] * costs[k]
        inner += share[k] * slack[k]  # the balance of alpha takes the intercept out again
        if not is_used[k] and slack[k] - multipliers[0] > most:
            enters, most = k, slack[k] - multipliers[0]
    if not is_used[K] and -multipliers[0] > most:
        enters = K
    gap, value = max(highest - inner, 0.0), 0.5 * (linear + inner)
    return enters, gap / value if value > 0.0 else gap
