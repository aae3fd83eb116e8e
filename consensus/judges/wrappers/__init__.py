"""Habits that stand between a panel and a judge that waits: one each, on the judge's own socket."""
