"""Which genes would be selected again? Stability selection with a bound on the false ones."""

import numpy as np

from handful import FGMClassifier
from handful.model_selection import StabilitySelection

# 200 samples of 1,000 genes; five decide, and one of them has a near-copy.
rng = np.random.default_rng(0)
X = rng.standard_normal((200, 1000))
y = np.where(X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(200) > 0, "ill", "well")
X[:, 100] = X[:, 0] + 0.1 * rng.standard_normal(200)

one_fit = FGMClassifier(10, C="fast").fit(X, y)
print(f"one fit selects {list(map(int, one_fit.support_ids_))}")

model = StabilitySelection(FGMClassifier(10, C="fast"), n_resamples=30, random_state=0).fit(X, y)
shares = model.selection_probabilities_
print("most often selected on halves of the samples:")
for place in np.argsort(-shares.data, kind="stable")[:8]:
    gene = int(shares.indices[place])
    mark = "stable" if gene in model.support_ids_ else ""
    print(f"  gene {gene:4d}  {shares.data[place]:4.0%}  {mark}")
print(
    f"{model.n_features_} genes are selected in {model.threshold_:.0%} of the halves or more; "
    f"at most {model.pfer_bound_:.2f} false ones are expected"
)
print(f"how well the halves agree: {model.stability_}")

# Exactly five genes: near-copies vote together.
agreed = StabilitySelection(FGMClassifier(5, C="fast"), 30, aggregate=True, random_state=0)
agreed.fit(X, y)
print(f"the five genes that the halves agree on most: {list(map(int, agreed.support_ids_))}")
