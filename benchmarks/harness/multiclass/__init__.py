"""The multi-class benchmark: rank the features of ten real sets, judge them by a linear SVM."""
