"""
One interaction hidden among a billion pairs
============================================

Two drugs cancel each other: who takes exactly one of them falls ill. Neither says anything alone, so whoever looks at
one drug at a time finds nothing; and the pairs are far too many to write down. ``space=Polynomial()`` finds the best
of all pairs exactly, without writing them down.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from handful import FGMClassifier
from handful.spaces import Polynomial

rng = np.random.default_rng(0)
n_patients, n_drugs = 4000, 45_000
takes = sp.random_array((n_patients, n_drugs), density=0.0005, rng=rng, format="lil")
takes[takes.nonzero()] = 1.0
first, second = 1_234, 31_415
for drug in (first, second):  # every other patient takes each of these
    takes[:, [drug]] = rng.integers(0, 2, (n_patients, 1)).astype(float)
X = takes.tocsr()
ill = X[:, [first]].toarray().ravel() != X[:, [second]].toarray().ravel()
names = [f"drug{j}" for j in range(n_drugs)]

model = FGMClassifier(n_features_to_select=3, space=Polynomial(interaction_only=True), C="fast")
model.fit(X, ill)

chosen = model.get_feature_names_out(names)
print(f"{n_drugs:,} drugs, {n_drugs * (n_drugs - 1) // 2:,} pairs")
print("chosen:", ", ".join(chosen))
assert set(chosen) == {f"drug{first}", f"drug{second}", f"drug{first} drug{second}"}

# %%
# Left: one drug at a time, the two look like any other. Right: together they decide.

counts = np.asarray(X.sum(axis=0)).ravel()
excess = (X.T @ (ill - ill.mean())) / np.sqrt(np.maximum(counts, 1) / 4)  # about N(0, 1) if no link
takes_first, takes_second = (X[:, [drug]].toarray().ravel() for drug in (first, second))
share = [[ill[(takes_first == a) & (takes_second == b)].mean() for b in (0, 1)] for a in (0, 1)]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.hist(excess, bins=40, color="#999999")
for drug in (first, second):
    left.axvline(excess[drug], color="#D55E00")
left.set(xlabel="more ill patients among its takers than chance (in sigmas)", ylabel="drugs")
left.set_title("the two drugs (lines) among all")
right.imshow(share, cmap="Blues", vmin=0, vmax=1)
for (a, b), ill_share in np.ndenumerate(share):
    colour = "white" if ill_share > 0.5 else "black"
    right.text(b, a, f"{ill_share:.0%} ill", ha="center", va="center", color=colour)
right.set_xticks([0, 1], ["without", "with"])
right.set_yticks([0, 1], ["without", "with"])
right.set(xlabel=f"drug{second}", ylabel=f"drug{first}", title="the pair")
plt.show()
