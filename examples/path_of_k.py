"""How many features are enough? Accuracy against k, the selection done anew inside each fold."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from handful import FGMClassifier
from handful.datasets import make_demo

data = make_demo(n_samples=600, n_features=2000, n_informative=8)
X, y = data.X_train, data.y_train
ks = [1, 2, 4, 8, 16, 32]

scores = np.empty((5, len(ks)))
folds = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
for fold, (train, test) in enumerate(folds):
    # Each k begins with the candidates of the one before; C by the rule alone, for the sake of speed.
    model = FGMClassifier(C="fast", warm_start=True)
    for column, k in enumerate(ks):
        model.set_params(n_features_to_select=k).fit(X[train], y[train])
        scores[fold, column] = model.score(X[test], y[test])

mean = scores.mean(axis=0)
error = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
for k, m, e in zip(ks, mean, error, strict=True):
    print(f"{k:3d} features: accuracy {m:.3f} +- {e:.3f}")

best = int(mean.argmax())
sparing = int(np.flatnonzero(mean >= mean[best] - error[best])[0])
print(f"best: {ks[best]}; fewest within one standard error of it: {ks[sparing]}")

final = FGMClassifier(n_features_to_select=ks[sparing]).fit(X, y)
print(f"accuracy on rows never used: {final.score(data.X_test, data.y_test):.3f}")
