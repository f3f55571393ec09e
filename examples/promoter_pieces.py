"""
Pieces of DNA that mark a promoter
==================================

Every substring of every sequence is a feature, of any length, on either strand: exactly four of them are selected,
straight from the sequences. No length is chosen beforehand, and nothing is counted beforehand.

The sequences are made here: random bases, and in one class a TATA box or a CG-rich piece on one of the strands.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier
from handful.spaces import Substrings

PIECES = ("TATAAAAG", "GGGCGGGG")
OTHER = str.maketrans("ACGT", "TGCA")
rng = np.random.default_rng(0)


def write_sequence(is_promoter: bool) -> str:
    sequence = "".join(rng.choice(list("ACGT"), 150))
    if is_promoter:
        place, piece = rng.integers(20, 120), PIECES[rng.integers(2)]
        sequence = sequence[:place] + piece + sequence[place:]
    return sequence if rng.random() < 0.5 else sequence.translate(OTHER)[::-1]


y = rng.random(1200) < 0.5
sequences = [write_sequence(label) for label in y]
space = Substrings(reverse_complement=True, weight="log", rarity=0.25)
model = FGMClassifier(n_features_to_select=4, space=space, C="fast").fit(sequences[:800], y[:800])

chosen = model.space_.chosen
accuracy = model.score(sequences[800:], y[800:])
print(f"{chosen.n_features} different substrings in 800 sequences")
for string, frequency, weight in zip(
    chosen.strings, chosen.frequency, model.weights_[0], strict=True
):
    print(f"{string:10s} in {frequency:3d} sequences, weight {weight:+.2f}")
print(f"accuracy on new sequences: {accuracy:.3f}")
assert accuracy > 0.97

# %%
# Where they are, in new sequences. A piece and its reverse complement are one feature.

shown = np.argsort(~y[800:], kind="stable")[:60:3]
strings = sorted(chosen.strings)
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
for row, number in enumerate(shown):
    for found in model.space_.occurrences(sequences[800 + number]):
        colour = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")[strings.index(found.string)]
        ax.plot([found.start, found.stop], [row, row], color=colour, lw=5)
for string, colour in zip(strings, ("#0072B2", "#E69F00", "#009E73", "#CC79A7"), strict=True):
    ax.plot([], [], color=colour, lw=5, label=string)
ax.set(
    xlabel="base",
    ylabel="sequences",
    yticks=[],
    xlim=(0, 160),
    title="the chosen pieces in new promoters",
)
ax.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False)
plt.show()
