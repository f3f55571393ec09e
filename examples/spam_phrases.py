"""Which phrases mark spam: exactly 6 sequences of words, of any length, straight from messages.

The messages are made here: everyday words, and in spam one of a few phrases whose words also occur elsewhere.
"""

import numpy as np

from handful import FGMClassifier
from handful.spaces import Substrings

WORDS = "call me when you are home we can win the game free time now to see your mum and text"
PHRASES = ("you can win a free prize", "text stop to end", "call now to claim your cash")
rng = np.random.default_rng(1)


def write_message(is_spam: bool) -> str:
    words = list(rng.choice(WORDS.split(), rng.integers(6, 16)))
    if is_spam:
        words.insert(int(rng.integers(len(words))), PHRASES[rng.integers(len(PHRASES))])
    return " ".join(words)


y = np.where(rng.random(900) < 0.3, "spam", "ham")
messages = [write_message(label == "spam") for label in y]
space = Substrings(unit="word", case="lower")
model = FGMClassifier(n_features_to_select=6, space=space).fit(messages[:600], y[:600])

print(f"{model.space_.chosen.n_features} different sequences of words")
for phrase, shortest in zip(
    model.get_feature_names_out(), model.space_.chosen.shortest, strict=True
):
    print(f"{phrase!r}, already told by {' '.join(shortest)!r}")
print(f"accuracy on new messages: {model.score(messages[600:], y[600:]):.3f}")
