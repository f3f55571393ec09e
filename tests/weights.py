"""Which of scikit-learn's checks give weights to samples or classes, for losses that take none."""

from sklearn.utils import get_tags

REASON = "the measure has no meaning for weights"
#: Those that end at the refusal; the others give all samples the same weight.
GIVING_WEIGHTS = (
    "check_sample_weights_list",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_class_weight_classifiers",
)


def failing_without_weights(estimator):
    """The checks that an estimator cannot pass, as its tags say."""
    if get_tags(estimator).classifier_tags.sample_weight:
        return {}
    return dict.fromkeys(GIVING_WEIGHTS, REASON)
