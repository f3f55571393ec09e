"""Look at a selection: how many features, which, what could replace them, and how far the proof goes."""

import matplotlib as mpl

mpl.use("Agg")  # writes files; leave this out in a notebook

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
X, y = data.X_train, data.y_train
X[:, 7] = X[:, data.true_ids[0]] + 0.3 * X[:, 7]  # one gene has a near double

search = SelectKCV(FGMClassifier(C="fast", certify=True), k=[1, 2, 4, 6, 9, 14], random_state=0)
search.fit(X, y)
names = data.feature_names

pictures = {
    "path": PathDisplay.from_cv(search, score_name="accuracy"),
    "weights": WeightsDisplay.from_estimator(search, feature_names=names),
    "doubles": CorrelationDisplay.from_estimator(search, X, feature_names=names, max_runners=8),
    "rounds": RoundsDisplay.from_estimator(search),
}
for name, display in pictures.items():
    display.figure_.savefig(f"{name}.png", dpi=120)
    print(f"wrote {name}.png")

print(explain_gap(search))
