"""The open panel: many tasks, many selectors, one judge."""
