"""
Which shape of a molecule smells
================================

A molecule smells of musk if one of its shapes does. The labels belong to molecules; each has several shapes, and
nobody knows which one fits the nose. ``MILESClassifier`` selects exactly three shapes by which all molecules are
judged, and says of each new decision which shape it is due to.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from handful import MILESClassifier
from handful.datasets import make_bags
from handful.inspection import BagDisplay
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

# %%
# New molecules: what each shape adds to the decision. The number is that of the shape that decided.

BagDisplay.from_estimator(model, data.test_bags[:12])

chosen = molecules.locate(model.selected_instances_)
assert data.witnesses[chosen].sum() >= 2
deciding = model.instance_scores(data.test_bags[0]).argmax()
assert data.test_witnesses[: data.test_bags.offsets[1]][deciding]
plt.show()
