"""The order of the gallery: from the first steps to what few need."""

EXAMPLES = (
    "look_at_it",
    "choose_k",
    "stable_genes",
    "against_rfe_and_lasso",
    "must_keep_must_not",
    "columns_in_units",
    "report_to_mail",
    "exact_k_text",
    "clicks",
    "spam_phrases",
    "promoter_pieces",
    "one_hot_families",
    "tree_of_groups",
    "hidden_interaction",
    "space_of_your_own",
    "many_labels",
    "many_classes",
    "which_shape_smells",
    "larger_than_memory",
    "on_a_gpu",
)


def place_in_gallery(name: str) -> int:
    """Return where an example stands; one that is not in the list comes last."""
    stem = name.removesuffix(".py")
    return EXAMPLES.index(stem) if stem in EXAMPLES else len(EXAMPLES)
