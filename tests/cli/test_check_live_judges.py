"""`consensus check --live`: what remote judges say that they are, asked for nothing else."""

from pathlib import Path
from typing import Any

import grpc
import pytest
from consensus_client.testing import FakeJudge, FakeLlm

from consensus.cli.demo import served
from consensus.v1.judge_pb2 import DescribeJudgeRequest, DescribeJudgeResponse
from tests.cli.running import Ran, run, write
from tests.cli.test_check_live import STAGE

COLOURED = "\x1b[31m[red]Looks[/red]\nat numbers.\x07"
Refusal = tuple[grpc.StatusCode, str]


class Describing(FakeJudge):
    """Describes judges by their own names; refuses to describe some."""

    def __init__(self, description: str = "", **refusals: Refusal) -> None:
        super().__init__()
        self._description = description
        self._refusals = refusals

    def _describe(
        self, request: DescribeJudgeRequest, context: grpc.ServicerContext
    ) -> DescribeJudgeResponse:
        super()._describe(request, context)
        if request.judge in self._refusals:
            context.abort(*self._refusals[request.judge])
        return DescribeJudgeResponse(
            judge=request.judge or "first",
            kind="rules",
            description=self._description,
            revision="sha256:0123456789abcdef",
        )


def checked(
    folder: Path,
    *options: str,
    terminal: bool = False,
    columns: int = 80,
    more: dict[str, Any] | None = None,
    **judges: Any,
) -> Ran:
    """Check a policy file with these remote judges."""
    content = {
        "version": 1,
        "judges": {name: {"kind": "remote", **keys} for name, keys in judges.items()},
        "policies": {"default": {"stages": [STAGE]}},
    }
    for key, value in (more or {}).items():
        content[key] = {**content.get(key, {}), **value}  # type: ignore[dict-item]
    file = write(folder / "policy.yaml", content)
    return run("check", "--live", file, *options, terminal=terminal, columns=columns)


def shown(ran: Ran) -> str:
    """Return what was printed about judges, with each row's cells on one line."""
    told = ran.out.split("is sound.\n", 1)[1]
    return "\n".join(" ".join(line.split()) for line in told.splitlines())


def test_remote_judges_are_told_of_and_sent_nothing_to_judge(tmp_path: Path) -> None:
    with Describing("Looks at numbers.") as fake:
        target = fake.target
        ran = checked(
            tmp_path,
            numbers={"target": fake.target, "judge": "n"},
            style={"target": fake.target},
        )
        assert [call.method for call in fake.calls] == ["DescribeJudge"] * 2
    assert (ran.code, ran.err) == (0, "")
    assert shown(ran).startswith(f"numbers\nremote at {target}\nsays its backend file")
    for line in ("✓ judge n n", "kind rules -", "description Looks at numbers. -"):
        assert line in shown(ran)
    assert "✓ judge first its default" in shown(ran)
    assert "revision sha256:0123456789abcdef -" in shown(ran)
    assert ran.out.endswith("Every remote judge was reached.\n")
    assert "model" not in shown(ran)


def test_policies_of_another_server_are_told_of(tmp_path: Path) -> None:
    with served() as address:
        ran = checked(tmp_path, panel={"kind": "consensus", "target": address})
        assert (ran.code, ran.err) == (0, "")
        assert f"panel\nconsensus at {address}\n" in shown(ran)
        assert "✓ judge default its default\nkind policy -" in shown(ran)
        ran = checked(tmp_path, panel={"kind": "consensus", "target": address, "judge": "none"})
    assert ran.code == 3
    assert ran.err == (
        f"panel at {address}: it has no judge 'none' (judge: is 'none'; must be one of default);"
        " set `judge` to one that it has\n"
    )


def test_models_and_remote_judges_are_tried_together(tmp_path: Path) -> None:
    with FakeLlm() as llm, Describing() as fake:
        target = fake.target
        models = {
            "judges": {"j": {"kind": "llm", "backend": "b", "model": "m"}},
            "backends": {"b": {"kind": "openai_chat", "base_url": llm.base_url}},
        }
        ran = checked(tmp_path, more=models, terminal=True, one={"target": fake.target})
    assert ran.code == 0
    assert "b / m" in ran.err
    assert f"one at {target}: DescribeJudge" in ran.err
    assert ran.out.endswith(
        "Every model accepts what the file claims.\nEvery remote judge was reached.\n"
    )


def test_a_judge_that_does_not_describe_itself_is_no_fault(tmp_path: Path) -> None:
    with Describing(j=(grpc.StatusCode.UNIMPLEMENTED, "")) as fake:
        judge = {"target": fake.target, "judge": "j"}
        ran = checked(tmp_path, j=judge, columns=200)
        assert (ran.code, ran.err) == (0, "")
        assert "reached: it does not describe itself, so it is not known whether" in shown(ran)
        ran = checked(tmp_path, "--quiet", j=judge)
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_a_judge_that_its_backend_lacks_outweighs_one_that_cannot_be_asked(tmp_path: Path) -> None:
    with Describing(b=(grpc.StatusCode.NOT_FOUND, "no b here")) as fake:
        target = fake.target
        ran = checked(
            tmp_path,
            "--quiet",
            away={"target": f"unix:{tmp_path}/none"},
            b={"target": fake.target, "judge": "b"},
            sound={"target": fake.target},
        )
    assert (ran.code, ran.out) == (3, "")
    away, lacking = ran.err.splitlines()
    assert away.startswith(f"away at unix:{tmp_path}/none: it cannot be reached (")
    assert away.endswith("); see that it runs, `target` is right and it wants no `tls`")
    assert lacking == (
        f"b at {target}: it has no judge 'b' (no b here); set `judge` to one that it has"
    )


def test_a_judge_that_cannot_be_asked_is_a_failure(tmp_path: Path) -> None:
    with Describing(j=(grpc.StatusCode.UNAUTHENTICATED, "who are you?")) as fake:
        ran = checked(
            tmp_path,
            plain={"target": fake.target, "tls": {}},
            j={"target": fake.target, "judge": "j"},
            columns=200,
        )
    assert ran.code == 4
    tls, status = ran.err.splitlines()
    assert tls.endswith("); see that it runs, `target` is right and `tls` fits its certificate")
    assert "j at " in status
    assert status.endswith("it answered UNAUTHENTICATED (who are you?); its own log may say why")
    assert " with TLS\nnot reached: it cannot be reached (" in shown(ran)
    assert "reached: it answered UNAUTHENTICATED (who are you?)" in shown(ran)
    assert "was reached" not in ran.out


def test_texts_of_backends_are_plain_and_short(tmp_path: Path) -> None:
    long = grpc.StatusCode.INTERNAL, COLOURED * 100
    with Describing(COLOURED * 100, j=long) as fake:
        ran = checked(
            tmp_path, j={"target": fake.target, "judge": "j"}, one={"target": fake.target}
        )
    assert "[red]Looks[/red] at numbers." in shown(ran)
    for text in (ran.out, ran.err):
        assert not {"\x1b", "\x07"} & set(text)
    [line] = ran.err.splitlines()
    assert len(line) < 450


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_judges_fit_the_terminal(tmp_path: Path, columns: int) -> None:
    refusal = grpc.StatusCode.NOT_FOUND, "there is none of that name here, and none was ever here"
    with Describing("Looks at numbers in words. " * 5, j=refusal) as fake:
        one = {"target": fake.target, "judge": "a-name-that-is-rather-long-for-a-judge"}
        ran = checked(tmp_path, one=one, j={"target": fake.target, "judge": "j"}, columns=columns)
    told = ran.out.split("is sound.\n", 1)[1]
    assert max(map(len, told.splitlines())) <= columns
    assert "sha256:0123456789abcdef" in told
