"""
How many features are enough
============================

``SelectKCV`` tries several numbers on held-out rows and takes the smallest that is within one standard error of the
best. It also says what nobody likes to hear: the score of the number that was chosen for its score is optimistic. The
honest one comes from outer folds that took no part in the choice.

The data are 600 samples of 2000 columns, eight of which decide.
"""

import matplotlib.pyplot as plt

from handful import FGMClassifier
from handful.datasets import make_demo
from handful.inspection import PathDisplay, StabilityDisplay
from handful.model_selection import SelectKCV

data = make_demo(n_samples=600, n_features=2000, n_informative=8)
X, y = data.X_train, data.y_train

# C by the rule alone, for the sake of speed; "auto", the default, tries it on rows held out of each fold.
search = SelectKCV(FGMClassifier(C="fast"), k=[1, 2, 4, 8, 16, 32], random_state=0, nested=3)
search.fit(X, y)
print(search.k_path_)
print(search.honesty_)

PathDisplay.from_cv(search, score_name="accuracy")

# %%
# Each fold made its own choice. Features that all of them took are drawn first.

StabilityDisplay.from_cv(search, feature_names=data.feature_names)

place = list(search.k_path_.k).index(search.n_features_)
print(f"chosen: {search.n_features_} features, {search.get_support(indices=True).tolist()}")
print(f"stability over the folds, 1 is the same choice in all: {search.stability_[place]}")
print(f"accuracy on rows never used: {search.score(data.X_test, data.y_test):.4f}")

assert set(search.get_support(indices=True)) == set(data.true_ids)
plt.show()
