"""
Features that must be in the model, and features that must not
==============================================================

A study has measured 2000 genes and the age. The age is to be in every model. Column "ward" was filled in after the
diagnosis: it gives the answer away and is no use on new patients.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier
from handful.inspection import WeightsDisplay

rng = np.random.default_rng(1)
names = ["age", "ward", *(f"gene {j}" for j in range(2000))]
X = rng.standard_normal((600, len(names)))
risk = 0.2 * X[:, 0] + X[:, 10] - X[:, 20] + X[:, 30] + 0.5 * rng.standard_normal(600)
y = np.where(risk > 0, "ill", "well")
X[:, 1] = (y == "ill") + 0.1 * rng.standard_normal(600)

train, new = slice(0, 400), slice(400, 600)
X[new, 1] = 0.0  # nobody has filled it in yet
age, ward = names.index("age"), names.index("ward")

# %%
# Three models of four features. ``include`` and ``exclude`` take numbers or names of columns.

wishes = {
    "no wishes": {},
    "not the ward": {"exclude": [ward]},
    "the age, not the ward": {"include": [age], "exclude": [ward]},
}
models = {
    title: FGMClassifier(n_features_to_select=4, C="fast", **wish).fit(X[train], y[train])
    for title, wish in wishes.items()
}

figure, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
for ax, (title, model) in zip(axes, models.items(), strict=True):
    accuracy = model.score(X[new], y[new])
    WeightsDisplay.from_estimator(model, feature_names=names, ax=ax)
    ax.set_title(f"{title}\naccuracy on new rows {accuracy:.2f}")
    print(f"{title}: {', '.join(names[j] for j in model.support_ids_)}; {accuracy:.3f}")

assert ward in models["no wishes"].support_ids_
assert ward not in models["not the ward"].support_ids_
assert age in models["the age, not the ward"].support_ids_
plt.show()
