"""
Twenty sensors for sixteen labels
=================================

Sixteen faults to tell from 300 sensors, of which 20 may be bought: one budget for all labels together. Greedy
regularised least squares adds the sensor that lowers the exact leave-one-out error of all labels most, so one fit
answers for every smaller budget.

The data are made here: 24 sensors see the faults, each fault is seen by three of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier, GreedyRLSClassifier
from handful.inspection import WeightsDisplay
from handful.metrics import macro_auc

rng = np.random.default_rng(0)
X = rng.standard_normal((1200, 300))
useful = rng.choice(300, 24, replace=False)
truth = np.zeros((300, 16))
for label in range(16):
    seen_by = rng.choice(24, 3, replace=False, p=np.arange(24, 0, -1) / 300)
    truth[useful[seen_by], label] = rng.choice([-1, 1], 3)
noise = 0.5 * rng.standard_normal((1200, 16))
Y = (X @ truth + noise > 1).astype(int)
X, X_new, Y, Y_new = X[:800], X[800:], Y[:800], Y[800:]
sensors = [f"sensor {j}" for j in range(300)]

# %%
# All budgets up to 40 out of one fit, and the same number of sensors by FGM.

model = GreedyRLSClassifier(40, alpha=[1, 10, 100]).fit(X, Y)
sizes = [1, 2, 4, 8, 12, 16, 20, 30, 40]
auc = [macro_auc(Y_new, model.truncate(k).decision_function(X_new)) for k in sizes]
twenty = FGMClassifier(20, C="fast").fit(X, Y)
auc_of_fgm = macro_auc(Y_new, twenty.decision_function(X_new))

figure, ax = plt.subplots(figsize=(6.8, 4), layout="constrained")
ax.plot(sizes, auc, "o-", color="#0072B2", label="greedy RLS")
ax.plot(20, auc_of_fgm, "D", color="#D55E00", label="FGM, 20 sensors")
ax.set(xlabel="sensors", ylabel="mean ROC area of the 16 labels", title="new rows")
ax.legend(frameon=False)

# %%
# Which sensor speaks for which label.

WeightsDisplay.from_estimator(model.truncate(20), feature_names=sensors)

seen = set(np.flatnonzero(truth.any(axis=1)))
print(
    f"{len(seen)} sensors see a fault; {len(seen & set(model.selection_order_[:20]))} of the first 20 do"
)
assert len(seen & set(model.selection_order_[:16])) == 16
plt.show()
