"""What the sandbox may do: queries always, the rest where it is said."""

import pytest

from consensus.domain.sandbox import CodeRules, SandboxRules, UrlRules


@pytest.mark.parametrize(
    ("rules", "allowed"),
    [
        (SandboxRules(), {"sql"}),
        (SandboxRules(url=UrlRules()), {"sql", "url"}),
        (SandboxRules(code=CodeRules()), {"sql", "code_run"}),
        (SandboxRules(url=UrlRules(), code=CodeRules()), {"sql", "url", "code_run"}),
    ],
)
def test_queries_need_no_leave_and_the_rest_does(rules: SandboxRules, allowed: set[str]) -> None:
    assert {kind for kind in ("sql", "url", "code_run") if rules.allows(kind)} == allowed
