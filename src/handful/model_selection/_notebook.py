"""What a notebook shows of a choice over folds or resamples."""

from __future__ import annotations

from typing import Any

import numpy as np

from handful.estimators._features import InputNames
from handful.estimators._notebook import MOST_FEATURES, summary_box, summary_of_selector
from handful.markup import paragraph, table
from handful.model_selection._wrapped import is_of_space, names_at_selector, selector_in
from handful.validation.plural import plural


def summary_of_search(search: Any) -> str:
    """Return the chosen k, how good it is honestly, and the features of the fit to all rows."""
    tried = ", ".join(str(k) for k in search.k_path_.k)
    parts = [paragraph(f"{plural(search.n_features_, 'feature')}, chosen among {tried}", bold=True)]
    parts += [paragraph(line) for line in str(search.honesty_).split("\n")]
    parts.append(paragraph(search.status_))
    best = getattr(search, "best_estimator_", None)
    if best is not None and hasattr(selector_in(best), "weights_"):
        parts.append(summary_of_selector(selector_in(best), names_at_selector(best)))
    return summary_box(parts)


def summary_of_stability(model: Any) -> str:
    """Return the features most often selected, and how many false ones may be among the stable."""
    ids, shares = model.stability_path_["ids"], model.selection_probabilities_.data
    order = np.lexsort([ids, -shares])[:MOST_FEATURES]
    names, is_made = InputNames.of(model), is_of_space(model.estimator)
    stable = set(model.support_ids_.tolist())
    rows = [
        (f"feature {j}" if is_made else names[j], "yes" if j in stable else "", f"{share:.0%}")
        for j, share in zip(ids[order].tolist(), shares[order].tolist(), strict=True)
    ]
    n_fits = (2 if model.complementary else 1) * model.n_resamples_
    choices = model._choices
    told = (
        f"{model._n_stable} of {choices.n_all} {choices.called()}, selected in "
        f"{model.threshold_:.1%} of {n_fits} fits or more"
    )
    return summary_box(
        [
            paragraph(told, bold=True),
            table(["feature", "stable", "share"], rows, n_texts=2),
            paragraph(
                f"At most {model._most_false:.3g} false {choices.called()} are expected among them."
            ),
            paragraph(model.status_),
        ]
    )
