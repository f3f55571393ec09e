"""
One-hot families are selected whole
===================================

A categorical column becomes many columns when it is one-hot encoded. With ``groups="columns"`` they are selected
together and count once: of a table with four categorical columns and a numeric one, pick the two that decide.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from handful import FGMClassifier
from handful.inspection import WeightsDisplay

rng = np.random.default_rng(0)
table = pd.DataFrame(
    {
        "age": rng.normal(40, 10, 600),
        "colour": rng.choice(["red", "dark_blue", "green", "white"], 600),
        "town": rng.choice(["rome", "new_york", "oslo"], 600),
        "pet": rng.choice(["cat", "dog", "none"], 600),
        "month": rng.choice([f"m{month:02d}" for month in range(12)], 600),
    }
)
buys = np.isin(table["month"], ["m05", "m06", "m07"]) | (table["town"] == "oslo")

# %%
# The names that the encoder gives tell which columns belong together.

encode = make_column_transformer(
    (OneHotEncoder(sparse_output=False), ["colour", "town", "pet", "month"]),
    (StandardScaler(), ["age"]),
    verbose_feature_names_out=False,
).set_output(transform="pandas")
model = make_pipeline(encode, FGMClassifier(n_features_to_select=2, groups="columns"))
model.fit(table, buys)

selector = model[-1]
chosen = selector.group_labels_[selector.group_support_]
print("columns of the table that decide:", ", ".join(chosen))
print(f"accuracy on the training rows: {model.score(table, buys):.3f}")
WeightsDisplay.from_estimator(model)

assert chosen.tolist() == ["month", "town"]
plt.show()
