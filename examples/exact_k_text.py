"""
Exactly 12 words of a sparse text matrix
========================================

Documents on two topics, a hundred thousand words and pairs of words, and a model that may read twelve of them. The
matrix is sparse and is never made dense.

The documents are made here: filler words, and a few words of their topic.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from handful import FGMClassifier
from handful.inspection import WeightsDisplay

TOPICS = {
    "cooking": ["oven", "flour", "butter", "recipe", "simmer", "garlic"],
    "sailing": ["harbour", "mast", "rudder", "anchor", "knot", "regatta"],
}

rng = np.random.default_rng(0)
filler = np.array([f"word{j}" for j in range(20_000)])
frequency = 1.0 / np.arange(10, 10 + len(filler))
frequency /= frequency.sum()


def write_document(topic: str) -> str:
    words = [*rng.choice(filler, 40, p=frequency), *rng.choice(TOPICS[topic], 2)]
    return " ".join(rng.permutation(words))


labels = rng.choice(list(TOPICS), 3000)
documents = [write_document(topic) for topic in labels]
texts, new_texts, y, new_y = train_test_split(documents, labels, random_state=0)

# %%
# Scikit-learn counts, handful selects.

vectorizer = TfidfVectorizer(ngram_range=(1, 2))
X = vectorizer.fit_transform(texts)
words = vectorizer.get_feature_names_out()
model = FGMClassifier(n_features_to_select=12, C="fast").fit(X, y)

print(f"{X.shape[0]} documents, {X.shape[1]} words and pairs of words")
print(f"accuracy on new documents: {model.score(vectorizer.transform(new_texts), new_y):.3f}")
WeightsDisplay.from_estimator(model, feature_names=words)

assert set(words[model.support_ids_]) == {word for topic in TOPICS.values() for word in topic}
plt.show()
