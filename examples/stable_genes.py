"""
Genes that are selected again and again
=======================================

One fit selects ten genes. Which of them would another study select? Stability selection fits halves of the samples
and counts; what passes the threshold has a bound on how many false genes are in it.

200 samples of 1000 genes; five decide, and one of them has a near-copy.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier
from handful.inspection import StabilityDisplay
from handful.model_selection import StabilitySelection

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 1000))
y = np.where(X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(200) > 0, "ill", "well")
X[:, 100] = X[:, 0] + 0.1 * rng.standard_normal(200)
names = [f"gene {j}" for j in range(1000)]

one_fit = FGMClassifier(10, C="fast").fit(X, y)
print("one fit selects", ", ".join(names[j] for j in one_fit.support_ids_))

model = StabilitySelection(FGMClassifier(10, C="fast"), n_resamples=30, random_state=0).fit(X, y)
print("stable:", ", ".join(names[j] for j in model.support_ids_))
print(f"at most {model.pfer_bound_:.2f} false genes are expected among them")
print(f"how well the halves agree: {model.stability_}")

StabilityDisplay.from_estimator(model, feature_names=names)

# %%
# The same against the number of genes: those that decide rise first, the others stay below the threshold.

StabilityDisplay.from_estimator(model, feature_names=names, kind="path")

# %%
# Where exactly five genes are wanted, near-copies can vote together.

agreed = StabilitySelection(FGMClassifier(5, C="fast"), 30, aggregate=True, random_state=0)
agreed.fit(X, y)
print("the halves agree most on", ", ".join(names[j] for j in agreed.support_ids_))

assert list(model.support_ids_) == [0, 1, 2, 3, 4]
assert list(agreed.support_ids_) == [0, 1, 2, 3, 4]
plt.show()
