"""
Phrases that mark spam
======================

Every sequence of words is a feature: exactly six are selected, of any length, straight from messages. No tokenizer,
no range of n-grams.

The messages are made here: everyday words, and in spam one of a few phrases whose words also occur elsewhere.
"""

import matplotlib.pyplot as plt
import numpy as np

from handful import FGMClassifier
from handful.inspection import WeightsDisplay
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
model = FGMClassifier(n_features_to_select=6, space=space, C="fast").fit(messages[:600], y[:600])

# %%
# A phrase is as long as it can be without changing the messages it is in. The shortest piece that tells the same is
# named beside it.

print(f"{model.space_.chosen.n_features} different sequences of words")
phrases = model.get_feature_names_out()
for phrase, shortest in zip(phrases, model.space_.chosen.shortest, strict=True):
    print(f"{phrase!r}, already told by {' '.join(shortest)!r}")
print(f"accuracy on new messages: {model.score(messages[600:], y[600:]):.3f}")
WeightsDisplay.from_estimator(model)

assert set(PHRASES) <= set(phrases)
plt.show()
