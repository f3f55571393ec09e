"""A small table that three of twelve named features decide; for the tests of the command."""

import numpy as np

N_ROWS = 80
NAMES = tuple(f"gene {j}" for j in range(12))
INFORMATIVE = ("gene 2", "gene 5", "gene 9")
#: The closed rule for C, where it is not the choice of C that is tested.
FAST = ("-C", "fast")


def draw():
    """Return the features and the score that the three decide."""
    X = np.random.default_rng(0).standard_normal((N_ROWS, len(NAMES))).round(3)
    return X, 3 * X[:, 2] - 2 * X[:, 5] + 2 * X[:, 9]


def write_csv(path, X, y, names=NAMES, target="outcome"):
    """Write features and target with a header."""
    rows = zip(X.tolist(), y, strict=True)
    lines = [",".join([*map(repr, row), str(label)]) for row, label in rows]
    path.write_text("\n".join([",".join([*names, target]), *lines]) + "\n")
    return path
