"""
A few values of a click log, for the measure that counts
========================================================

Who clicks? A log has a site, an advertisement, a town, a device and an hour in every row: thousands of values, one-hot
encoded, of which a model that answers in a millisecond may look at 24. One row in fifty is a click, so accuracy says
nothing. ``loss="average_precision"`` selects and fits for the order of the rows.

The log is made here; a few sites, advertisements and hours decide.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, average_precision_score
from sklearn.preprocessing import OneHotEncoder

from handful import FGMClassifier

FIELDS = {"site": 4000, "advertisement": 2500, "town": 1500, "device": 60, "hour": 24}
rng = np.random.default_rng(0)
n_rows = 20_000
log = pd.DataFrame(
    {
        field: np.minimum(rng.geometric(min(0.5, 12 / n_values), n_rows), n_values) - 1
        for field, n_values in FIELDS.items()
    }
)
appeal = 3.0 * (log["site"] % 9 == 4) * (log["site"] < 80) + 2.5 * log["hour"].isin([2, 3])
appeal += 3.0 * (log["advertisement"] % 7 == 3) * (log["advertisement"] < 60)
clicked = rng.random(n_rows) < 1 / (1 + np.exp(5.6 - appeal))
print(f"{clicked.mean():.1%} of {n_rows} rows are clicks")

# %%
# One column for each value that occurs; the matrix stays sparse.

train, new = slice(0, 12_000), slice(12_000, n_rows)
encoder = OneHotEncoder(handle_unknown="ignore")
X, X_new = encoder.fit_transform(log[train]), encoder.transform(log[new])
names = encoder.get_feature_names_out()
model = FGMClassifier(n_features_to_select=24, loss="average_precision", C="fast")
model.fit(X, clicked[train])
print(f"24 of {X.shape[1]} values:", ", ".join(names[model.support_ids_]))

# %%
# Beside a model that reads all of them.

everything = LogisticRegression(C=0.3, max_iter=500).fit(X, clicked[train])
figure, ax = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
for title, fitted, style in (
    ("24 values, for average precision", model, "-"),
    (f"all {X.shape[1]} values, logistic", everything, "--"),
):
    scores = fitted.decision_function(X_new)
    PrecisionRecallDisplay.from_predictions(
        clicked[new], scores, name=title, ax=ax, curve_kwargs={"linestyle": style}
    )
ax.set(title="the order of new rows", ylim=(0, 0.7))
ax.legend(loc="upper right")

found = average_precision_score(clicked[new], model.decision_function(X_new))
print(f"average precision of the 24 values: {found:.3f}, by chance {clicked[new].mean():.3f}")
assert found > 3 * clicked[new].mean()
plt.show()
