"""One interaction hidden among a billion pairs.

Two drugs cancel each other: who takes exactly one of them falls ill. Neither says anything alone,
so whoever looks at one drug at a time finds nothing; and the pairs are far too many to write down.
"""

import time

import numpy as np
import scipy.sparse as sp

from handful import FGMClassifier
from handful.spaces import Polynomial

rng = np.random.default_rng(0)
n_patients, n_drugs = 4000, 45_000
takes = sp.random_array((n_patients, n_drugs), density=0.0005, rng=rng, format="lil")
takes[takes.nonzero()] = 1.0
first, second = 1_234, 31_415
for drug in (first, second):  # every other patient takes each of these
    takes[:, [drug]] = rng.integers(0, 2, (n_patients, 1)).astype(float)
X = takes.tocsr()
ill = X[:, [first]].toarray().ravel() != X[:, [second]].toarray().ravel()
names = [f"drug{j}" for j in range(n_drugs)]

started = time.perf_counter()
model = FGMClassifier(n_features_to_select=3, space=Polynomial(interaction_only=True)).fit(X, ill)
seconds = time.perf_counter() - started

chosen = model.get_feature_names_out(names)
print(f"{n_drugs:,} drugs, {n_drugs * (n_drugs - 1) // 2:,} pairs")
print("chosen:", ", ".join(chosen))
print(f"hidden: drug{first}, drug{second}, drug{first} drug{second}")
print(f"accuracy: {model.score(X, ill):.3f}")
print(f"seconds: {seconds:.2f}")
