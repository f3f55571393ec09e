"""One HTML file to mail to a colleague: how many genes, which, how sure, how good, and how to get the same again."""

from pathlib import Path

from handful import FGMClassifier
from handful.datasets import make_demo
from handful.inspection import report
from handful.model_selection import SelectKCV

data = make_demo(n_samples=400, n_features=500, n_informative=5)
X, y = data.X_train, data.y_train
X[:, 7] = X[:, data.true_ids[0]] + 0.3 * X[:, 7]  # one gene has a near double

# How many genes: three folds, and the whole choice again inside outer folds.
search = SelectKCV(
    FGMClassifier(C="fast", certify=True), k=[1, 2, 3, 5, 8, 13], cv=3, nested=2, random_state=0
)
search.fit(X, y)

html = report(
    search,
    X,
    y,
    "report.html",
    held_out=(data.X_test, data.y_test),
    feature_names=data.feature_names,
    target_name="outcome",
    title="Which genes tell the outcome",
)
print(f"wrote report.html: {Path('report.html').stat().st_size / 1000:.0f} kB")
