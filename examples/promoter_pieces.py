"""Which pieces of DNA mark a promoter: exactly 4 substrings of any length, found on either strand.

The sequences are made here: random bases, and in one class a TATA box or a CG-rich piece on one of the strands.
"""

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
space = Substrings(reverse_complement=True, weight="log", scale=0.25)
model = FGMClassifier(n_features_to_select=4, space=space).fit(sequences[:800], y[:800])

chosen = model.space_.chosen
print(f"{chosen.n_features} different substrings in 800 sequences")
for string, frequency, weight in zip(
    chosen.strings, chosen.frequency, model.weights_[0], strict=True
):
    print(f"{string:10s} in {frequency:3d} sequences, weight {weight:+.2f}")
print(f"accuracy on new sequences: {model.score(sequences[800:], y[800:]):.3f}")
for found in model.space_.occurrences(sequences[int(np.argmax(y))])[:3]:
    print(f"bases {found.start} to {found.stop}: {found.string}")
