"""Categorical columns, one-hot encoded, are selected whole: groups="columns".

Of a table with four categorical columns and a numeric one, pick the two columns that decide.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from handful import FGMClassifier

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

encode = make_column_transformer(
    (OneHotEncoder(sparse_output=False), ["colour", "town", "pet", "month"]),
    (StandardScaler(), ["age"]),
    verbose_feature_names_out=False,
).set_output(transform="pandas")
model = make_pipeline(encode, FGMClassifier(n_features_to_select=2, groups="columns"))
model.fit(table, buys)

selector = model[-1]
print("columns of the table that decide:", selector.group_labels_[selector.group_support_])
print("encoded columns:", selector.get_feature_names_out())
print(f"accuracy on the training rows: {model.score(table, buys):.3f}")
