"""A policy that would judge for itself, or nest too deep, is told at load with its line."""

import yaml

from tests.config.policies import faults, parsed


def nesting(asks: dict[str, list[str]]) -> str:
    """Return a file whose policies seat `conduct` and the named policies as judges."""
    named = {name for nested in asks.values() for name in nested}
    policies = {}
    for policy, nested in asks.items():
        seats = [{"judge": "conduct"}, *({"judge": f"as-{name}"} for name in nested)]
        stage = {"name": "one", "panel": {"seats": seats}, "on_no_quorum": "escalate"}
        policies[policy] = {"stages": [stage]}
    judges = {f"as-{name}": {"kind": "policy", "policy": name} for name in sorted(named)}
    return yaml.safe_dump(
        {"default_policy": next(iter(asks)), "judges": judges, "policies": policies},
        sort_keys=False,
    )


def chain(length: int) -> dict[str, list[str]]:
    """Return so many policies, each of which asks the next."""
    names = [f"p{number}" for number in range(length)]
    return {name: names[place + 1 : place + 2] for place, name in enumerate(names)}


def test_a_policy_that_seats_itself_is_told_with_its_line() -> None:
    text = nesting({"default": ["default"]})
    (line,) = faults(text)
    number = int(line.split(":")[1])
    assert text.splitlines()[number - 1].strip() == "- judge: as-default"
    assert line == (
        f"policy.yaml:{number}: policies.default.stages[0].panel.seats[1].judge: is 'as-default',"
        " which makes a policy judge for itself: default > default"
    )


def test_a_circle_of_policies_is_told_once_by_the_seat_that_closes_it() -> None:
    (line,) = faults(nesting({"a": ["b"], "b": ["c"], "c": ["a"]}))
    assert "policies.c.stages[0].panel.seats[1].judge: is 'as-a'" in line
    assert line.endswith("which makes a policy judge for itself: a > b > c > a")


def test_a_circle_that_begins_below_the_first_policy_names_only_its_own() -> None:
    (line,) = faults(nesting({"a": ["b"], "b": ["c"], "c": ["b"]}))
    assert line.endswith("judge for itself: b > c > b")


def test_every_circle_is_told() -> None:
    lines = faults(nesting({"a": ["b", "c"], "b": ["a"], "c": ["a", "c"]}))
    ends = {line.rpartition(": ")[2] for line in lines}
    assert ends == {"a > b > a", "a > c > a", "c > c"}


def test_policies_that_share_a_nested_policy_make_no_circle() -> None:
    assert faults(nesting({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []})) == []


def test_three_levels_below_the_first_are_the_last() -> None:
    assert len(parsed(nesting(chain(4))).policies) == 4
    (line,) = faults(nesting(chain(5)))
    assert "policies.p0.stages[0].panel.seats[1].judge: is 'as-p1'" in line
    assert line.endswith("which nests policies deeper than 3 levels: p0 > p1 > p2 > p3 > p4")


def test_the_order_of_the_file_does_not_matter() -> None:
    upside_down = dict(reversed(chain(5).items()))
    (line,) = faults(nesting(upside_down))
    assert line.endswith("p0 > p1 > p2 > p3 > p4")


def test_a_judge_that_nobody_seats_makes_no_circle() -> None:
    text = yaml.safe_load(nesting({"a": []}))
    text["judges"] = {"loose": {"kind": "policy", "policy": "a"}}
    assert faults(yaml.safe_dump(text)) == []


def test_a_long_chain_is_walked_without_recursion_and_its_names_are_cut() -> None:
    lines = faults(nesting(chain(800)))
    assert len(lines) == 796
    assert max(map(len, lines)) < 400
    assert lines[0].endswith(" > … > p799")
