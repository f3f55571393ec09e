"""A molecule smells of musk if one of its shapes does: find the shapes that decide.

The labels belong to molecules. Each has several shapes, and nobody knows which one fits the nose.
"""

import numpy as np
import pandas as pd

from handful import MILESClassifier
from handful.datasets import make_bags
from handful.spaces.bags import as_bags

data = make_bags(n_bags=120, mean_size=6, n_features=8, n_concepts=1, random_state=0)
shapes = pd.DataFrame(data.bags.instances, columns=[f"angle{j}" for j in range(8)])
shapes["molecule"] = np.repeat([f"M{b:03}" for b in range(120)], data.bags.sizes)

molecules = as_bags(shapes, bag_column="molecule")  # one row for each shape
model = MILESClassifier(n_features_to_select=3, loss="f1").fit(molecules, data.y)

print("the shapes that decide:")
for (molecule, row), weight in zip(model.selected_instances_, model.weights_[0], strict=True):
    print(f"  shape {row} of {molecule}, weight {weight:+.2f}")
print(f"accuracy on new molecules: {model.score(data.test_bags, data.test_y):.3f}")

new = data.test_bags[0]
scores = model.instance_scores(new)
print(f"a new molecule of {len(new)} shapes smells because of shape {scores.argmax()}")
