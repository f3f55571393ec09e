"""A table with columns of every kind, made by hand, and what it should become, by pandas and scikit-learn."""

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer

NUMBERS = ["height of", "weight"]
TEXTS = ["colour", "Städte"]


def make_table(n_rows=60, seed=0, gaps=True):
    """Numbers, true and false, two columns of text, and a target that colour and height decide."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "blue", "dark, green", 'say "x"'], n_rows)
    height, weight = rng.normal(size=(2, n_rows)).round(2)
    table = pd.DataFrame(
        {
            "height of": height,
            "colour": colour,
            "smoker": rng.random(n_rows) < 0.5,
            "Städte": rng.choice(["Zürich", "Łódź", "東京", "true", "3"], n_rows),
            "weight": weight,
        }
    )
    table["kind"] = np.where((colour == "red") * 2.0 + height > 0.5, "ill", "well")
    if gaps:
        for name in (*NUMBERS, *TEXTS):
            table.loc[rng.random(n_rows) < 0.15, name] = None
    return table


def write_csv(table, path, **options):
    """Write true and false as R and databases do."""
    words = table.assign(smoker=table["smoker"].map({True: "TRUE", False: "false"}))
    words.to_csv(path, index=False, **options)
    return path


def by_hand(train, test, rule):
    """Return the features of test with what train tells: columns by name."""
    strategy = "median" if rule == "median" else "mean"
    imputer = SimpleImputer(strategy=strategy).fit(train[NUMBERS])
    made = pd.DataFrame(imputer.transform(test[NUMBERS]), columns=NUMBERS, index=test.index)
    made["smoker"] = test["smoker"].astype(float)
    for name in TEXTS:
        known = sorted(train[name].dropna().unique())
        as_known = pd.Categorical(test[name].where(test[name].isin(known)), categories=known)
        # pandas names the column of missing texts "nan"
        dummies = pd.get_dummies(as_known, dummy_na=rule == "category", dtype=float)
        for level in dummies.columns:
            label = level if isinstance(level, str) else "(missing)"
            made[f"{name}={label}"] = dummies[level].to_numpy()
    if rule == "category":
        for name in NUMBERS:
            made[f"{name}=(missing)"] = test[name].isna().astype(float)
    return made
