"""Exactly 12 words of a sparse text matrix with a hundred thousand columns.

The documents are made here: filler words, and a few words of their topic.
"""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from handful import FGMClassifier

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

vectorizer = TfidfVectorizer(ngram_range=(1, 2))
X = vectorizer.fit_transform(texts)  # CSR; it is never made dense
model = FGMClassifier(n_features_to_select=12).fit(X, y)

print(f"{X.shape[0]} documents, {X.shape[1]} words and pairs of words")
print("chosen:", ", ".join(vectorizer.get_feature_names_out()[model.support_ids_]))
print(f"accuracy on new documents: {model.score(vectorizer.transform(new_texts), new_y):.3f}")
