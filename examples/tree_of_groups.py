"""
Groups in a tree: from genes to pathways
========================================

Genes belong to pathways, pathways to processes: groups that are nested. Any of them may be selected, a single gene, a
pathway or a whole process, and the tree is searched without looking into branches that cannot win.

512 genes; four of them make a pathway, four pathways a process, four processes a system. A process of sixteen genes
decides, each of them weakly, and one pathway.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier

rng = np.random.default_rng(0)
n_genes = 512
levels = {"system": 64, "process": 16, "pathway": 4, "gene": 1}  # genes in each
groups = [
    (f"{level} {start // size}", np.arange(start, start + size))
    for level, size in levels.items()
    for start in range(0, n_genes, size)
]

X = rng.standard_normal((500, n_genes))
signal = X[:, 160:176].sum(axis=1) / 2 + X[:, 400:404].sum(axis=1)
y = signal + 0.3 * rng.standard_normal(500) > 0

# %%
# The score of a group is a sum over its genes, times its squared weight: with equal weights the largest groups win, with
# ``group_weights="size"`` (one over the root of the size) the smallest. This is half way. All counts are of groups: two
# are asked for.

ids_of_groups = [ids for _, ids in groups]
weights = [len(ids) ** -0.25 for ids in ids_of_groups]
model = FGMClassifier(2, groups=ids_of_groups, group_weights=weights, C="fast").fit(X, y)
chosen = [groups[g][0] for g in model.group_support_]
print(f"{len(groups)} groups; chosen: {', '.join(chosen)}, {len(model.support_ids_)} genes")

# %%
# The tree, the chosen groups dark, and below it the weights of the genes.

figure, (top, bottom) = plt.subplots(
    2, 1, figsize=(10, 4), sharex=True, layout="constrained", height_ratios=[2, 1]
)
for row, (level, size) in enumerate(levels.items()):
    starts = np.arange(0, n_genes, size)
    is_chosen = [f"{level} {start // size}" in chosen for start in starts]
    colours = np.where(is_chosen, "#D55E00", "#D9E6F0")
    top.barh(-row, size, 0.9, left=starts, color=colours, ec="white", lw=0.5)
top.set_yticks([0, -1, -2, -3], [f"{level} of {size}" for level, size in levels.items()])
bottom.bar(model.support_ids_, model.weights_[0], width=1.0, color="#D55E00")
bottom.axhline(0, color="black", lw=0.8)
bottom.set(xlabel="gene", ylabel="weight", xlim=(0, n_genes))

assert chosen == ["process 10", "pathway 100"]
plt.show()
