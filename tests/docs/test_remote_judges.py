"""The judge on the page about judges of one's own is seated as the page says."""

import json
import re
from pathlib import Path
from typing import Any

from tests.cli.running import run, write

PAGE = (Path(__file__).resolve().parents[2] / "docs/remote-judges.md").read_text("utf-8")


def block(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


def seat_of(candidate: str, tmp_path: Path) -> dict[str, Any]:
    """Return the seat of the page's judge, under the page's policy."""
    page: dict[str, Any] = {"__name__": "page"}
    exec(compile(block("python"), "remote-judges.md", "exec"), page)
    server, port = page["served"]("127.0.0.1:0")
    try:
        policy = write(tmp_path / "policy.yaml", block("yaml").replace("50061", str(port)))
        criterion = {"id": "C1", "text": "Names a number."}
        submission = {
            "task": "Report the sales.",
            "candidate": candidate,
            "outputs": {"month": "March"},
            "rubric": {"criteria": [criterion]},
        }
        file = write(tmp_path / "report.json", json.dumps(submission))
        ran = run("judge", file, "--policy-file", policy, "--json")
    finally:
        server.stop(None).wait()
    panel = json.loads(ran.out)["stages"][0]["consensus"]
    seat: dict[str, Any] = panel["individual_results"][0]
    return seat


def test_its_gradient_and_its_quotation_are_admitted(tmp_path: Path) -> None:
    seat = seat_of("March had 1200 sales, 20 more than February.", tmp_path)
    assert (seat["status"], seat["gradient"]["score"]) == ("SEAT_STATUS_SCORED", 1)
    [finding] = seat["gradient"]["findings"]
    assert [evidence["quote"] for evidence in finding["evidence"]] == ["1200", "20"]
    assert seat.get("struck_count", 0) == 0


def test_it_abstains_where_it_cannot_tell(tmp_path: Path) -> None:
    assert seat_of("", tmp_path)["status"] == "SEAT_STATUS_ABSTAINED"
