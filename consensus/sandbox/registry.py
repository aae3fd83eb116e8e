"""The registry: which prover stands behind which kind of check."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from consensus.domain.ports import Proof
from consensus.domain.sandbox import SandboxRules, UrlRules
from consensus.domain.submission import CodeRun, SandboxKind, SqlQuery, UrlAnswer
from consensus.sandbox.code import CodeProver
from consensus.sandbox.sql import SqlProver

if TYPE_CHECKING:
    from consensus.sandbox.url import UrlProver

OFF = Proof(False, "it was not verified: checks of this kind are off")


class Sandbox:
    """Everything that one policy file allows. Opens nothing before it is asked."""

    def __init__(self, rules: SandboxRules) -> None:
        """Checks that `rules` do not allow never hold."""
        self._sql = SqlProver()
        self._url = _url_prover(rules.url) if rules.url is not None else None
        self._code = CodeProver(rules.code) if rules.code is not None else None

    async def prove(self, kind: SandboxKind, subjects: Sequence[str]) -> Proof:
        """Prove a check; see `Prover`. Ends what it started when cancelled."""
        match kind:
            case SqlQuery():
                return await self._sql.prove(kind, subjects[0])
            case UrlAnswer() if self._url is not None:
                return await self._url.prove(kind, subjects)
            case CodeRun() if self._code is not None:
                return await self._code.prove(kind, subjects[0])
            case _:
                return OFF

    async def close(self) -> None:
        """Close every connection."""
        if self._url is not None:
            await self._url.close()


def _url_prover(rules: UrlRules) -> "UrlProver":
    from consensus.sandbox.url import UrlProver  # 0.3 s for its client: not at every start

    return UrlProver(rules)
