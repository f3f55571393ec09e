"""Features that must be in the model, and features that must not.

A study has measured 2000 genes and the age. The age is to be in every model. Column "ward" was
filled in after the diagnosis: it gives the answer away and is no use on new patients.
"""

import numpy as np

from handful import FGMClassifier

rng = np.random.default_rng(1)
names = ["age", "ward", *(f"gene {j}" for j in range(2000))]
X = rng.standard_normal((600, len(names)))
risk = 0.2 * X[:, 0] + X[:, 10] - X[:, 20] + X[:, 30] + 0.5 * rng.standard_normal(600)
y = np.where(risk > 0, "ill", "well")
X[:, 1] = (y == "ill") + 0.1 * rng.standard_normal(600)

train, new = slice(0, 400), slice(400, 600)
X[new, 1] = 0.0  # nobody has filled it in yet
age, ward = names.index("age"), names.index("ward")

for title, wishes in {
    "no wishes": {},
    "not the ward": {"exclude": [ward]},
    "the age, not the ward": {"include": [age], "exclude": [ward]},
}.items():
    model = FGMClassifier(n_features_to_select=4, **wishes).fit(X[train], y[train])
    chosen = ", ".join(names[j] for j in model.support_ids_)
    print(f"{title}: {chosen}; accuracy on new rows {model.score(X[new], y[new]):.3f}")
