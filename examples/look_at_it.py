"""
Look at a selection
===================

How many genes, which, what could replace them, and how far the proof goes: four pictures and a sentence.

The data are 600 samples of 1000 made-up genes. Six of them decide, and one of the six has a near double.
"""

import matplotlib.pyplot as plt

from handful import FGMClassifier
from handful.datasets import make_demo
from handful.inspection import (
    CorrelationDisplay,
    PathDisplay,
    RoundsDisplay,
    WeightsDisplay,
    explain_gap,
)
from handful.model_selection import SelectKCV

data = make_demo(n_samples=600, n_features=1000, n_informative=6)
X, y, names = data.X_train, data.y_train, data.feature_names
X[:, 7] = 0.8 * X[:, data.true_ids[0]] + 0.3 * X[:, 7]

search = SelectKCV(FGMClassifier(C="fast", certify=True), k=[1, 2, 4, 6, 9, 14], random_state=0)
search.fit(X, y)

# %%
# **How many?** Held-out rows say six: with more, the score falls again.

PathDisplay.from_cv(search, score_name="accuracy")
assert search.n_features_ == 6

# %%
# **Which?** Exactly six, with the direction in which each of them speaks.

WeightsDisplay.from_estimator(search, feature_names=names)
assert set(search.get_support(indices=True)) == set(data.true_ids)

# %%
# **Instead of which?** One gene that was not chosen says nearly the same as one that was.

CorrelationDisplay.from_estimator(search, X, feature_names=names, max_runners=8)

# %%
# **How sure?** No choice of as many genes can have an objective below the bound.

RoundsDisplay.from_estimator(search)
print(explain_gap(search))
assert search.best_estimator_.dual_gap_ < 0.1 * search.best_estimator_.objective_

plt.show()
