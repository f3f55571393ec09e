"""How many features are enough, which, how surely, and how good the model is honestly."""

from handful import FGMClassifier
from handful.datasets import make_demo
from handful.model_selection import SelectKCV

data = make_demo(n_samples=600, n_features=2000, n_informative=8)
X, y = data.X_train, data.y_train

# C by the rule alone, for the sake of speed; "auto", the default, tries it on rows held out of each fold.
search = SelectKCV(FGMClassifier(C="fast"), k=[1, 2, 4, 8, 16, 32], random_state=0, nested=3)
search.fit(X, y)

print(search.k_path_)
print(f"chosen: {search.n_features_} features, {list(search.get_support(indices=True))}")

place = list(search.k_path_.k).index(search.n_features_)
print(f"stability over the folds, 1 is the same choice in all: {search.stability_[place]}")
often = search.selection_frequency_[[place]]
always = sorted(often.indices[often.data == 1.0].tolist())
print(f"chosen in every fold: {always}")

print(search.honesty_)
print(f"accuracy on rows never used: {search.score(data.X_test, data.y_test):.4f}")
