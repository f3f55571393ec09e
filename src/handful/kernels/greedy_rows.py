"""Greedy regularised least squares on a GPU: let a feature enter, and the error each candidate would leave.

The same as kernels/greedy_rls.py, for single columns whose rows are on a device. Written for Triton, which
comes with torch for GPUs; where it is absent this module is empty.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("triton") is not None:
    import triton
    import triton.language as tl

    @triton.jit
    def _products(C, P, x, rows, is_wanted, n, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
        """Return x'c and x'p of HEIGHT candidates."""
        samples = tl.arange(0, WIDTH)
        along = tl.zeros((HEIGHT, WIDTH), dtype=tl.float64)
        across = tl.zeros((HEIGHT, WIDTH), dtype=tl.float64)
        for start in range(0, n, WIDTH):
            inside = start + samples < n
            mask = is_wanted[:, None] & inside[None, :]
            place = rows[:, None] * n + (start + samples)[None, :]
            entry = tl.load(x + start + samples, mask=inside, other=0.0)[None, :]
            along += entry * tl.load(C + place, mask=mask, other=0.0).to(tl.float64)
            across += entry * tl.load(P + place, mask=mask, other=0.0).to(tl.float64)
        return tl.sum(along, axis=1), tl.sum(across, axis=1)

    @triton.jit
    def advance_rows(
        C,
        P,
        H,
        Q,
        wanted,
        entering,
        scalars,
        model,
        out,
        n_rows,
        n,
        least_share,
        UPDATE: tl.constexpr,
        EVALUATE: tl.constexpr,
        HEIGHT: tl.constexpr,
        WIDTH: tl.constexpr,
    ):
        """Update the rows of HEIGHT candidates for a feature that enters, then out = their errors.

        ``entering`` holds x, u and partner of the feature, ``scalars`` its pivot, q and alpha, ``model`` g, r
        and the weights: rows of n numbers each, float64. Infinite errors for what is not wanted.
        """
        rows = tl.program_id(0).to(tl.int64) * HEIGHT + tl.arange(0, HEIGHT)
        is_wanted = rows < n_rows
        is_wanted = is_wanted & (tl.load(wanted + rows, mask=is_wanted, other=0) != 0)
        samples = tl.arange(0, WIDTH)
        pivot, q, alpha = tl.load(scalars), tl.load(scalars + 1), tl.load(scalars + 2)
        h = tl.load(H + rows, mask=is_wanted, other=1.0)
        d = tl.load(Q + rows, mask=is_wanted, other=0.0)
        along = tl.zeros((HEIGHT,), dtype=tl.float64)
        across = tl.zeros((HEIGHT,), dtype=tl.float64)
        share = along
        rest = along
        if UPDATE:
            along, across = _products(C, P, entering, rows, is_wanted, n, HEIGHT, WIDTH)
            share = along / pivot
            rest = across - q * share
            h -= share * along
            d -= share * (2.0 * across - q * share)
            tl.store(H + rows, h, mask=is_wanted)
            tl.store(Q + rows, d, mask=is_wanted)
        inverse = 1.0 / (alpha + h)
        quadratic = inverse * inverse * d
        total = tl.zeros((HEIGHT, WIDTH), dtype=tl.float64)
        for start in range(0, n, WIDTH):
            inside = start + samples < n
            mask = is_wanted[:, None] & inside[None, :]
            place = rows[:, None] * n + (start + samples)[None, :]
            c = tl.load(C + place, mask=mask, other=0.0)
            p = tl.load(P + place, mask=mask, other=0.0)
            if UPDATE:
                u = tl.load(entering + n + start + samples, mask=inside, other=0.0)[None, :]
                partner = tl.load(entering + 2 * n + start + samples, mask=inside, other=0.0)
                change = partner[None, :] * share[:, None] + u * rest[:, None]
                c = (c.to(tl.float64) - u * along[:, None]).to(c.dtype)
                p = (p.to(tl.float64) - change).to(p.dtype)
                tl.store(C + place, c, mask=mask)
                tl.store(P + place, p, mask=mask)
            if EVALUATE:
                c = c.to(tl.float64)
                g = tl.load(model + start + samples, mask=inside, other=1.0)[None, :]
                r = tl.load(model + n + start + samples, mask=inside, other=0.0)[None, :]
                weight = tl.load(model + 2 * n + start + samples, mask=inside, other=0.0)[None, :]
                of_c = inverse[:, None] * c
                left = tl.maximum(g - of_c * c, least_share * g)
                square = r - 2.0 * of_c * p.to(tl.float64) + quadratic[:, None] * c * c
                total += weight * tl.maximum(square, 0.0) / (left * left)
        if EVALUATE:
            errors = tl.where(is_wanted, tl.sum(total, axis=1), float("inf"))
            tl.store(out + rows, errors, mask=rows < n_rows)
