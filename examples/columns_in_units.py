"""
Columns in different units
==========================

Thirty measurements of cells, as a clinic has them: areas of thousands, dents of thousandths. A penalty on weights
prefers the large numbers. Where the ranges of columns differ a thousand times, ``FGMClassifier`` lets every column count as if its standard
deviation were one, and ``scaling_`` says so.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from handful import FGMClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# The same five features are asked for, with columns as they are and as the machine sees fit.

models = {
    "as they are": FGMClassifier(5, C="fast", scale="raw").fit(X_train, y_train),
    "as it sees fit": FGMClassifier(5, C="fast").fit(X_train, y_train),
}
for title, model in models.items():
    chosen = ", ".join(model.get_feature_names_out())
    print(f"{title} ({model.scaling_}): {model.score(X_test, y_test):.3f}, {chosen}")

# %%
# What was chosen, among the ranges of all columns. Weights are for the columns as they came, so nothing has to be scaled to predict.

ranges = (X_train.max() - X_train.min()).sort_values()
figure, ax = plt.subplots(figsize=(7, 6), layout="constrained")
places = np.arange(len(ranges))
ax.hlines(places, ranges.min() / 3, ranges, color="0.8")
for (title, model), marker, shift in zip(models.items(), "so", (-0.15, 0.15), strict=True):
    chosen = np.isin(ranges.index, model.get_feature_names_out())
    label = f"chosen {title}, accuracy {model.score(X_test, y_test):.3f}"
    ax.plot(ranges[chosen], places[chosen] + shift, marker, markersize=8, label=label)
ax.set(xscale="log", xlabel="range of the column", yticks=places, yticklabels=ranges.index)
ax.legend(loc="lower right")

assert models["as it sees fit"].scaling_ == "std"
assert models["as they are"].scaling_ is None
assert models["as it sees fit"].score(X_test, y_test) > models["as they are"].score(X_test, y_test)
plt.show()
