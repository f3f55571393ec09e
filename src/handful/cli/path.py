"""``handful path``: how good is how many? A measure against the number of features."""

from __future__ import annotations

from typing import Annotated, Any

from handful.cli.console import Interrupted, fitting
from handful.cli.methods import MethodName, method_options
from handful.cli.options import (
    Seed,
    Source,
    check_word,
    read_counts,
    selection_option,
    validation_option,
    with_options,
)
from handful.cli.outputs import Figures
from handful.cli.task import asked_for

Counts = Annotated[
    str,
    selection_option(
        "-k",
        metavar="N,N,...",
        help="Numbers of features, groups of --groups, instances or atoms, such as 5,10,20,50; between 0 and 1 shares "
        "of them, but not of instances, atoms or substrings; or auto: "
        "from 1, each 1.6 times the one before, up to half of a fold's rows and 200.",
    ),
]
Folds = Annotated[
    int, validation_option("--cv", min=2, metavar="N", help="Folds of cross-validation.")
]
Scoring = Annotated[
    str | None,
    validation_option(
        metavar="NAME",
        help="A measure as in --loss, or a scorer of scikit-learn: balanced_accuracy, r2, ... "
        "[default: the measure of --loss, of several classes or labels the mean over them; or else "
        "accuracy, r2 for regression, multilabel_accuracy for several labels]",
    ),
]
Rule = Annotated[
    str,
    validation_option(
        metavar="NAME",
        help="one_se: the fewest within one standard error of the best; best: the best mean.",
    ),
]
Nested = Annotated[
    int | None,
    validation_option(
        min=2, metavar="N", help="Repeat the whole choice inside N outer folds: an honest score."
    ),
]


@with_options(method_options(many_fits=True))
def command(
    source: Source,
    k: Counts = "auto",
    method: MethodName = None,
    folds: Folds = 5,
    scoring: Scoring = None,
    rule: Rule = "one_se",
    nested: Nested = None,
    seed: Seed = 0,
    *,
    figures: Figures,
    **options: Any,
) -> None:
    """Cross-validate DATA at several numbers of features, selecting anew inside each fold.

    Example: handful path genes.csv -t outcome -k 5,10,20,50 --plot curve.png -o path.json

    With another method: handful path genes.csv -t tissue -k 5,9 --method rfs

    With --loss f1, prec@100, ... that measure is reported, unless --scoring names another.
    """
    counts = read_counts(k)
    from handful.validation.model_selection import RULES

    check_word("rule", rule, RULES)
    asked = asked_for(method, source, options)
    figures.check(source, options["groups"], source.beside)
    from handful.cli.cross_validation import cross_validate
    from handful.cli.curve import describe, print_curve
    from handful.cli.scoring import choose_scoring

    task = asked.load()
    problem, names = task.problem, task.names
    ks = task.whole_counts(counts)
    loss, labels = getattr(task.estimator(), "loss", None), problem.has_several_labels
    judge = choose_scoring(scoring, loss, problem.n_classes, several_labels=labels)
    with fitting("cross-validating", task.space) as (show, _):
        curve = cross_validate(
            task,
            ks,
            n_folds=folds,
            scoring=judge,
            rule=rule,
            seed=seed,
            nested=nested,
            show=show,
        )
    figures.show(
        describe(curve, names),
        lambda axes: curve.display().plot(axes, title=source.data.name),
        (6.8, 4.4),
        lambda console: print_curve(console, curve),
    )
    if curve.is_interrupted:
        raise Interrupted(
            f"interrupted; the figures are those of {curve.path.n_folds} complete folds"
        )
    if figures.report is not None:
        from handful.cli.report import report_of_path

        report_of_path(figures.report, curve, task, source.data, seed)
