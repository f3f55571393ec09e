"""
A space of your own: the ratio of any two species
=================================================

Counts of species in a sample say nothing by themselves, only beside each other: features are then logarithms of ratios,
one for every two species. That is a space of its own, and takes one class with three methods; exactly k features,
names, the certificate and everything else come with it.

200 samples of 150 species, 11,175 ratios. One ratio differs between ill and well; no species does so by itself.
"""

import copy
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier
from handful.spaces import FeatureSpace


class LogRatios(FeatureSpace):
    """``log x_i - log x_j`` for every two columns."""

    def on(self, X):
        bound = copy.copy(self)
        bound.logs, bound.dtype = np.log(X), X.dtype
        bound.pairs = np.array(list(combinations(range(X.shape[1]), 2)))
        bound.n_samples, bound.n_features = len(X), len(bound.pairs)
        return bound

    def sized(self, n_columns):
        return self.on(np.ones((1, n_columns)))

    def columns(self, ids):
        i, j = self.pairs[ids].T
        return np.asfortranarray(self.logs[:, i] - self.logs[:, j])

    def names(self, ids, feature_names_in=None):
        first, second = (
            super(LogRatios, self).names(p, feature_names_in) for p in self.pairs[ids].T
        )
        return [f"{a} / {b}" for a, b in zip(first, second, strict=True)]


# %%
# Each sample was sequenced to another depth, and species come and go; only one balance is tied to the disease.

rng = np.random.default_rng(0)
species = [f"species {j}" for j in range(150)]
is_ill = rng.random(200) < 0.5
logs = rng.standard_normal((200, 150)) + rng.normal(6, 1.5, (200, 1))
shared = logs[:, [17, 88]].mean(axis=1)
balance = np.where(is_ill, 0.9, -0.9) + 0.5 * rng.standard_normal(200)
logs[:, 17], logs[:, 88] = shared + balance / 2, shared - balance / 2
X = np.exp(logs)

model = FGMClassifier(n_features_to_select=1, space=LogRatios(), C="fast")
model.fit(X[:150], is_ill[:150])
[name] = model.get_feature_names_out(species)
accuracy = model.score(X[150:], is_ill[150:])
print(f"{name}, accuracy on new samples {accuracy:.3f}")

# %%
# The two species in new samples: neither axis parts the colours, the diagonal does.

figure, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
for title, marker, colour in (("ill", "o", "#D55E00"), ("well", "^", "#0072B2")):
    rows = np.flatnonzero(is_ill[150:] == (title == "ill")) + 150
    ax.loglog(X[rows, 17], X[rows, 88], marker, color=colour, label=title)
limits = np.array([X[150:, [17, 88]].min(), X[150:, [17, 88]].max()])
ax.loglog(limits, limits, "--", color="black", lw=1, label="as many of both")
ax.set(xlabel="species 17", ylabel="species 88", title=name)
ax.legend(frameon=False)

assert name == "species 17 / species 88"
assert accuracy > 0.9
plt.show()
