"""A replay finds what can be computed from the file alone, and leaves nothing running."""

from dataclasses import replace
from pathlib import Path

import anyio
import numpy as np
import pytest

from examples.replay.option import DATA
from examples.replay.panels import STRATEGIES
from examples.replay.prompts import JUDGES, Recording, read_recording
from examples.replay.replay import Outcome, replay
from examples.replay.report import lines
from tests.examples import expectation
from tests.examples.folder import readme_table
from tests.examples.real_recording import needs_recording
from tests.examples.records import alike, rows, write

Expected = tuple[expectation.Table, dict[str, int]]

REFUSED, SPREAD = 4, 12
"""How many prompts the short replay takes: some with a refusal, the others over all groups."""


@pytest.fixture(scope="module")
def real() -> Recording:
    """Return a few real prompts, some of which a model refused to judge."""
    whole = read_recording(DATA)
    refused = [
        prompt
        for prompt in whole.prompts
        if any(whole.first[judge][item] is None for judge in JUDGES for item in prompt.items)
    ]
    chosen = (
        prompts[len(prompts) * number // count]
        for prompts, count in ((refused, REFUSED), (whole.prompts, SPREAD))
        for number in range(count)
    )
    prompts = dict.fromkeys(chosen)
    return replace(whole, prompts=tuple(prompts))


@pytest.fixture(scope="module")
def expected() -> Expected:
    return expectation.read(DATA)


@pytest.fixture(scope="module")
def replayed(real: Recording) -> dict[str, Outcome]:
    found = anyio.run(lambda: replay(real, DATA, batch_size=20))
    return {outcome.strategy: outcome for outcome in found}


@needs_recording
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_folded_scores_equal_those_computed_from_the_file(
    strategy: str, real: Recording, replayed: dict[str, Outcome], expected: Expected
) -> None:
    table, _ = expected
    outcome = replayed[strategy]
    scores = {
        item: expectation.FOLDS[strategy](expectation.seats(table[prompt.prompt_id][item]))
        for prompt in real.prompts
        for item in prompt.items
    }
    assert outcome.scores == pytest.approx(scores, abs=1e-9)
    assert outcome.failed == 0
    assert outcome.calls == 5 * len(scores)


@needs_recording
def test_shares_and_agreement_equal_those_computed_from_the_file(
    real: Recording, replayed: dict[str, Outcome], expected: Expected
) -> None:
    table, labels = expected
    found = {line.name: line for line in lines(real, list(replayed.values()))}

    def share(name: str) -> float:
        every = []
        for prompt in real.prompts:
            items = table[prompt.prompt_id]
            scores = [expectation.score(name, models) for models in items.values()]
            every.append(expectation.first(scores, [labels[item] for item in items]))
        return float(np.mean(every))

    for name in (*JUDGES, *STRATEGIES):
        assert found[name].first == pytest.approx(share(name)), name
    agreements = [
        expectation.agreement(expectation.seats(models))
        for prompt in real.prompts
        for models in table[prompt.prompt_id].values()
    ]
    mean = np.mean([value for value in agreements if value is not None])
    assert found["median"].agreement == pytest.approx(mean)


@needs_recording
def test_refusals_arrive_as_abstentions(real: Recording, replayed: dict[str, Outcome]) -> None:
    items = [item for prompt in real.prompts for item in prompt.items]
    refused = sum(real.first[judge][item] is None for judge in JUDGES for item in items)
    assert refused > 0
    assert {outcome.abstained for outcome in replayed.values()} == {refused}


async def test_a_replay_that_is_broken_off_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write(tmp_path / "data.gz", rows("Math:1", 0, alike([9], [8], [7], [None])))
    started: list[anyio.abc.Process] = []
    open_process = anyio.open_process

    async def noted(*args: object, **kwargs: object) -> anyio.abc.Process:
        started.append(await open_process(*args, **kwargs))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(anyio, "open_process", noted)
    with anyio.CancelScope() as scope:
        await replay(
            read_recording(data), data, batch_size=1, advance=lambda *progress: scope.cancel()
        )
    assert scope.cancelled_caught
    assert len(started) == 6
    assert all(process.returncode is not None for process in started)


@needs_recording
def test_the_readme_holds_the_figures_of_the_whole_recording(expected: Expected) -> None:
    table, labels = expected
    groups = ("Factuality", "Focus", "Math", "Precise IF", "Safety")
    prompts = expectation.complete(table)
    found = []
    for name in (*JUDGES, *STRATEGIES):
        credit = {
            prompt: expectation.first(
                [expectation.score(name, models) for models in table[prompt].values()],
                [labels[item] for item in table[prompt]],
            )
            for prompt in prompts
        }
        of_group = [[credit[p] for p in prompts if p.split(":")[0] == group] for group in groups]
        shares = [list(credit.values()), *of_group]
        found.append([name, *(f"{np.mean(share):.3f}" for share in shares)])
    assert readme_table("What it finds") == found
