"""Greedy ridge regression the slow way: every model refitted without every sample."""

import numpy as np


def ridge(X, Y, weight, alpha, fit_intercept):
    """The minimiser of sum_i s_i |x_i W + b - y_i|^2 + alpha |W|^2, b not penalised."""
    share = weight / weight.sum() if fit_intercept else np.zeros(len(weight))
    means, targets = share @ X, share @ Y
    centred = X - means
    gram = centred.T @ (weight[:, None] * centred) + alpha * np.eye(X.shape[1])
    W = np.linalg.solve(gram, centred.T @ (weight[:, None] * (Y - targets)))
    return W, targets - means @ W


def loo_error(X, Y, weight, alpha, fit_intercept):
    """Mean squared error of leaving out one copy of each sample, or all of it below weight one."""
    total = 0.0
    for i in np.flatnonzero(weight):
        left = weight.copy()
        left[i] = max(left[i] - 1.0, 0.0)
        W, b = ridge(X, Y, left, alpha, fit_intercept)
        total += weight[i] * np.sum((X[i] @ W + b - Y[i]) ** 2)
    return total / (weight.sum() * Y.shape[1])


def greedy(
    X,
    Y,
    k,
    alpha,
    *,
    weight=None,
    fit_intercept=True,
    groups=None,
    include=(),
    exclude=(),
    feature_costs=None,
    group_costs=None,
    max_cost=np.inf,
):
    """Return the groups in the order they are added, the errors and the costs."""
    weight = np.ones(len(X)) if weight is None else np.asarray(weight, dtype=float)
    groups = [[j] for j in range(X.shape[1])] if groups is None else groups
    order, errors, costs, inside, cost = [], [], [], set(), 0.0
    has_costs = feature_costs is not None or group_costs is not None

    def error_with(features):
        return loo_error(X[:, sorted(features)], Y, weight, alpha, fit_intercept)

    def price(group):
        own = 0.0 if group_costs is None else group_costs[group]
        new = set(groups[group]) - inside
        return own + (0.0 if feature_costs is None else sum(feature_costs[j] for j in new))

    while len(order) < k:
        if len(order) < len(include):
            best = sorted(include)[len(order)]
        else:
            left = [
                group
                for group in range(len(groups))
                if group not in order and group not in exclude and set(groups[group]) - inside
            ]
            left = [group for group in left if cost + price(group) <= max_cost + 1e-9]
            if not left:
                break
            found = {group: error_with(inside | set(groups[group])) for group in left}
            now = error_with(inside)
            best = min(found, key=found.get)
            if has_costs and found[best] < now:
                best = max(left, key=lambda group: (now - found[group]) / price(group))
        cost += price(best)
        order.append(best)
        inside |= set(groups[best])
        errors.append(error_with(inside))
        costs.append(cost)
    return order, errors, costs
