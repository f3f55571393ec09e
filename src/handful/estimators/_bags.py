"""What estimators on bags share: checking them, and which instances a decision is due to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from handful.estimators._inputs import checked_data, compare_columns, describe_columns
from handful.estimators._spaces import UnitsMixin
from handful.spaces.bags import Bags, as_bags
from handful.spaces.bags.forms import is_matrix, singletons
from handful.spaces.base import NO_IDS, Array, Unit
from handful.validation import bags as checks
from handful.validation.bag_models import check_no_lengths, check_weights_decide
from handful.validation.cells import validated
from handful.validation.exports import bags_have_no_columns


class BagsMixin(UnitsMixin):
    """X is bags of instances, in any of the forms of :func:`handful.spaces.bags.as_bags`.

    An estimator gives :meth:`_nearest` and has the ``weights_`` of similarities, one row for each
    output.
    """

    bag_column: str | None
    gamma: Any
    weights_: Array
    n_features_in_: int
    feature_names_in_: Array

    def _nearest(self, bags: Bags) -> tuple[Array, Array]:
        """Return the similarities that :attr:`weights_` goes with, and the row each is due to."""
        raise NotImplementedError

    def _aligned(self, X: Any, *values: Any) -> tuple[Any, ...]:
        """Return X, and what there is of each bag in the order of the bags.

        That is looked for in the index of pandas, where a ``bag_column`` says what bags are called.
        """
        if self.bag_column is None or not any(hasattr(one, "reindex") for one in values):
            return X, *values
        bags = as_bags(X, bag_column=self.bag_column)
        return bags, *(checks.in_order_of_bags(one, bags.bag_ids) for one in values)

    def _check_scale(self) -> None:
        super()._check_scale()
        check_no_lengths(self.scale)

    @property
    def _has_free_units(self) -> bool:
        return isinstance(self.gamma, str)

    def unit_for(self, X: Bags, weight: Array) -> Unit | None:
        """Return what to make one of every column of the instances."""
        return super().unit_for(X.instances, np.repeat(weight, X.sizes))

    def _mention_units(self, X: Bags, weight: Array, chosen: Array) -> None:
        # What was chosen are instances, and not columns.
        UnitsMixin._mention_units(self, X.instances, np.repeat(weight, X.sizes), NO_IDS)

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return super()._prepared(*self._aligned(X, y, sample_weight))  # type: ignore[misc]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of bags whose label is predicted.

        Parameters
        ----------
        X : bags, in any form
        y : array-like of shape (n_bags,) or (n_bags, n_labels)
            In the order of the bags, or with their ids as index, as in ``fit``.
        sample_weight : array-like of shape (n_bags,), default=None

        Returns
        -------
        score : float
        """
        X, y, sample_weight = self._aligned(X, y, sample_weight)
        return float(super().score(X, y, sample_weight))  # type: ignore[misc]

    def transform(self, X: Any) -> Any:
        """Return the similarity of each bag to the chosen instances: a matrix for any estimator."""
        check_is_fitted(self)
        # As bags, since what comes of a data frame of instances has fewer rows than it.
        return super().transform(self._check_bags(X, reset=False))  # type: ignore[misc]

    def to_sklearn(self) -> Any:
        """Raise ValueError: scikit-learn has no estimators of bags."""
        raise bags_have_no_columns(self)

    def instance_scores(self, bag: Any) -> Any:
        """Return how much each instance of a bag adds to its decision.

        A similarity of the bag is due to the one instance that is nearest to the chosen one (of
        equals the first); each instance gets the weighted similarities that are due to it. Those of
        all instances of a bag and the intercept add up to the decision.

        Parameters
        ----------
        bag : 2-D array or sparse matrix, or bags in any form
            The instances of one bag, or several bags.

        Returns
        -------
        scores : ndarray of shape (n_instances,) or (n_instances, n_classes)
            For several bags a list of them.
        """
        check_is_fitted(self)
        check_weights_decide(self)
        is_one = is_matrix(bag, self.bag_column)
        bags = self._check_bags([bag] if is_one else bag, reset=False)
        similarities, rows = self._nearest(bags)
        scores = np.zeros((bags.n_instances, len(self.weights_)))
        for output, weights in zip(scores.T, self.weights_, strict=True):
            np.add.at(output, rows, similarities * weights)
        scores = scores[:, 0] if scores.shape[1] == 1 else scores
        return scores if is_one else np.split(scores, bags.offsets[1:-1])

    def _check_bags(
        self,
        X: Any,
        y: Any = None,
        *,
        reset: bool = True,
        ensure_min_samples: int = 1,
        multi_output: bool = False,
    ) -> Any:
        """Return X as bags, with y where it is given; look at the columns as ``validate_data`` does.

        A plain matrix is bags of one instance each, and is checked as scikit-learn checks it.
        """
        if is_matrix(X, self.bag_column):
            options: dict[str, Any] = {}
            if y is not None or reset:
                options = {"y": y, "multi_output": multi_output}
            checked = checked_data(
                self,
                X,
                **options,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_min_samples=ensure_min_samples,
            )
            names = getattr(self, "feature_names_in_", None)
            if not options:
                return singletons(checked, names)
            return singletons(checked[0], names), checked[1]
        bags = as_bags(X, bag_column=self.bag_column)
        if not reset:
            compare_columns(self, bags.n_features, bags.feature_names)
            return bags
        y = validated(self, "no_validation", y=y, multi_output=multi_output)
        checks.check_labels_of_bags(y.shape[0], bags)
        checks.check_n_bags(len(bags), ensure_min_samples)
        describe_columns(self, bags.n_features, bags.feature_names)
        return bags, y
