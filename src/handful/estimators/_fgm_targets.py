"""What the machine is fitted to: classes and labels as signs, or quantities, checked and as columns."""

from __future__ import annotations

from typing import Any

from handful import validation
from handful.estimators._fgm import BaseFGM, Prepared
from handful.estimators._labels import SeveralLabelsMixin
from handful.estimators._outputs import OutputsMixin
from handful.losses import Loss, resolve_loss
from handful.methods.fgm.solvers import convex_solver
from handful.validation.measures import check_every_class_weighs
from handful.validation.refit import CLASSIFIER, REGRESSOR, check_refit


class MachineOfClasses(SeveralLabelsMixin, BaseFGM):
    """The machine for classes, one against the rest, and for labels: with the parameters that only these have."""

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        self._check_parameters()
        check_refit(self.refit, CLASSIFIER)
        loss = resolve_loss(self.loss, "classification")
        convex_solver(loss, self.solver)
        if self.label_threshold == "held_out":
            validation.check_tuning(loss, fit_intercept=self.fit_intercept, refit=self._is_refitted)
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True)
        weight = validation.sample_weights(sample_weight, y.shape[0])
        signs, weight = self._signs(y, weight, self.class_weight)
        measure = getattr(loss, "measure", None)
        if measure is not None and not hasattr(self, "label_values_"):
            check_every_class_weighs(self.classes_, signs, weight, measure)
        return Prepared(X, y, self._that_vary(signs, weight), weight, loss)

    def _of_outputs(self, loss: Loss, y: Any, weight: Any) -> Loss:
        in_margins = self.output_units == "margin" or (
            self.output_units == "auto" and self.C in ("auto", "fast")
        )
        return loss.of_outputs(y, weight, self.average, in_margins=in_margins)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        validation.check_choice("average", self.average, ["macro", "weighted"])
        validation.check_choice("output_units", self.output_units, ["auto", "margin", "same"])
        validation.check_flag("per_class", self.per_class)
        validation.check_choice("label_threshold", self.label_threshold, ["fitted", "held_out"])
        validation.check_choice("refit_loss", self.refit_loss, ["auto", "same"])
        validation.check_choice("selection_loss", self.selection_loss, ["auto", "same"])


class MachineOfQuantities(OutputsMixin, BaseFGM):
    """The machine for one quantity or several."""

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        self._check_parameters()
        check_refit(self.refit, REGRESSOR)
        loss = resolve_loss(self.loss, "regression")
        X, y = self._check_X(X, y=y, ensure_min_samples=2, multi_output=True, y_numeric=True)
        targets = self._targets(y)
        weight = validation.sample_weights(sample_weight, len(targets))
        return Prepared(X, y, targets, weight, loss)
