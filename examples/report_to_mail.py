"""
A report to mail
================

One HTML file for a colleague: how many genes, which, how sure, how good, and how to get the same again. It needs no
network and no Python where it is opened.

400 samples of 500 made-up genes, of which five decide; one of the five has a near double.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from handful import FGMClassifier
from handful.datasets import make_demo
from handful.inspection import PathDisplay, report
from handful.model_selection import SelectKCV

data = make_demo(n_samples=400, n_features=500, n_informative=5)
X, y = data.X_train, data.y_train
X[:, 7] = X[:, data.true_ids[0]] + 0.3 * X[:, 7]

# %%
# How many genes: three folds, and the whole choice again inside outer folds. The report draws this too.

search = SelectKCV(
    FGMClassifier(C="fast", certify=True), k=[1, 2, 3, 5, 8, 13], cv=3, nested=2, random_state=0
)
search.fit(X, y)
PathDisplay.from_cv(search, score_name="accuracy")

# %%
# Rows that took no part in anything say how good it is.

folder = tempfile.TemporaryDirectory()
file = Path(folder.name) / "report.html"
report(
    search,
    X,
    y,
    file,
    held_out=(data.X_test, data.y_test),
    feature_names=data.feature_names,
    target_name="outcome",
    title="Which genes tell the outcome",
)
print(f"wrote report.html: {file.stat().st_size / 1000:.0f} kB")

assert search.n_features_ == 5
assert file.stat().st_size < 2_000_000
assert "Which genes tell the outcome" in file.read_text(encoding="utf-8")
folder.cleanup()
plt.show()
