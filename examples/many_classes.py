"""
Which pixels tell ten digits apart
==================================

Scikit-learn's handwritten digits: ten classes, 64 pixels. ``DirectSparsityClassifier`` looks for the fewest pixels whose
weights keep every class apart from the rest, one set for all classes, and has no penalty to tune.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from handful import DirectSparsityClassifier

digits = load_digits()
X, X_new, y, y_new = train_test_split(digits.data, digits.target, test_size=0.4, random_state=0)

# %%
# The ranking of one fit serves all sizes; a support vector machine on the chosen pixels says how good they are.

model = DirectSparsityClassifier(16, scale="std", margin="soft").fit(X, y)
ranking = np.argsort(-model.scores_, kind="stable")
sizes = [2, 4, 8, 12, 16, 24, 32, 64]
accuracy = [SVC(C=10).fit(X[:, ranking[:k]], y).score(X_new[:, ranking[:k]], y_new) for k in sizes]
print(f"accuracy with the 16 chosen pixels: {accuracy[4]:.3f}, with all 64: {accuracy[-1]:.3f}")

# %%
# The chosen pixels on the mean of each digit, and what more of them would bring.

figure, axes = plt.subplots(2, 5, figsize=(9, 3.8), layout="constrained")
rows, columns = np.divmod(model.support_ids_, 8)
for digit, ax in enumerate(axes.flat):
    ax.imshow(X[y == digit].mean(axis=0).reshape(8, 8), cmap="Greys")
    ax.scatter(columns, rows, s=45, facecolors="none", edgecolors="#D55E00", linewidths=1.6)
    ax.set(title=str(digit), xticks=[], yticks=[])

# %%

figure, ax = plt.subplots(figsize=(6.8, 3.6), layout="constrained")
ax.plot(sizes, accuracy, "o-", color="#0072B2")
ax.axhline(accuracy[-1], color="black", ls="--", lw=1, label="all pixels")
ax.set(xlabel="pixels", ylabel="accuracy on new digits", ylim=(0, 1.02))
ax.legend(frameon=False)

assert len(model.support_ids_) == 16
assert accuracy[4] > 0.9
plt.show()
