"""``handful stability``: which features are selected again and again, and how many of them may be false."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

from handful.cli.console import Interrupted, fitting
from handful.cli.methods import MethodName, method_options
from handful.cli.options import (
    Seed,
    Source,
    check_word,
    read_count,
    refuse,
    selection_option,
    validation_option,
    with_options,
)
from handful.cli.outputs import Figures
from handful.cli.task import asked_for

Count = Annotated[
    str,
    selection_option(
        "-k",
        metavar="N",
        help="Features to select in each half; between 0 and 1 the share of those there are.",
    ),
]
Resamples = Annotated[
    int,
    validation_option(
        min=1, metavar="N", help="Random splits into two halves; both halves are fitted."
    ),
]
Pfer = Annotated[
    float,
    validation_option(
        metavar="NUMBER",
        help="False features to expect at most; the threshold follows from it.",
    ),
]
Threshold = Annotated[
    float | None,
    validation_option(
        metavar="SHARE",
        help="In which share of the halves a feature must be selected. [default: from --pfer]",
    ),
]
Assumption = Annotated[
    str,
    validation_option(
        metavar="NAME",
        help="What the bound assumes of false features: none, unimodal, r-concave, or auto (unimodal).",
    ),
]
Aggregate = Annotated[
    bool,
    selection_option(
        "--aggregate", help="Take exactly the k features that the halves agree on most."
    ),
]


@with_options(method_options(many_fits=True))
def command(
    source: Source,
    k: Count,
    method: MethodName = None,
    resamples: Resamples = 50,
    pfer: Pfer = 1.0,
    threshold: Threshold = None,
    assumption: Assumption = "auto",
    aggregate: Aggregate = False,
    seed: Seed = 0,
    *,
    figures: Figures,
    **options: Any,
) -> None:
    """Select on many halves of DATA and keep what is selected again and again.

    Example: handful stability genes.csv -t outcome -k 20 --resamples 50 --plot path.png

    With another method: handful stability genes.csv -t outcome -k 10 --method greedy-rls
    """
    wanted = read_count(k)
    from handful.model_selection.error_bounds import ASSUMPTIONS

    check_word("assumption", assumption, ("auto", *ASSUMPTIONS))
    asked = asked_for(method, source, options)
    figures.check(source, options["groups"], source.beside)
    from handful.cli.stability_report import describe, display_of, print_report
    from handful.model_selection import StabilitySelection
    from handful.validation.resampling import FEWEST_GROUPS

    task = asked.load()
    problem, names, kept = task.problem, task.names, task.problem.row_groups
    if kept is not None and kept.n_groups < FEWEST_GROUPS:
        message = f"{kept.name!r} has {kept.n_groups} different labels; halves that keep equal ones together need at least"
        raise refuse("row_groups", f"{message} {FEWEST_GROUPS}")
    estimator = task.with_count(wanted).estimator()
    with fitting("fitting halves", task.space) as (show, _), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Interrupted after")
        model = StabilitySelection(
            estimator,
            resamples,
            threshold="pfer" if threshold is None else threshold,
            pfer=pfer,
            assumption=assumption,
            aggregate=aggregate,
            random_state=seed,
            verbose=show or False,
        ).fit(problem.X, problem.y, groups=None if kept is None else kept.labels)
    display, by = display_of(model, problem.X, names), task.method.name
    figures.show(
        describe(model, display, by, kept),
        lambda axes: display.plot(axes, kind="path", title=source.data.name),
        (7.6, 4.6),
        lambda console: print_report(console, model, display, by, names.grouped, kept),
    )
    if model.n_resamples_ < resamples:
        raise Interrupted(
            f"interrupted; the figures are those of {model.n_resamples_} complete resamples"
        )
    if figures.report is not None:
        from handful.cli.report import write_report
        from handful.inspection.html_report.how_sure import agreement_in

        found = {"agreement": agreement_in(model), "stability": model}
        write_report(figures.report, model, problem, names, source.data, seed=seed, **found)
