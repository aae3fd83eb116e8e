"""The names that a policy file may seat without declaring them."""

from consensus.config.build import EMBEDDED
from consensus.judges.embedded import embedded_judges
from consensus.validators import run_checks


def test_the_policy_file_knows_every_embedded_judge_by_name() -> None:
    assert tuple(embedded_judges(run_checks)) == EMBEDDED
