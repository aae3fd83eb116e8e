"""The rules in force: policies and the judges they seat, swapped as one."""

from msgspec import Struct

from consensus.domain.errors import InvalidRequest, PolicyDisabled, Violation
from consensus.domain.policy import Policy, PolicySet
from consensus.domain.ports import Judges, Prover


class Rulebook(Struct, frozen=True):
    """Policies and judges that belong together."""

    policies: PolicySet
    judges: Judges
    prover: Prover | None
    """Proves the checks that need the sandbox; None leaves them unverified."""

    def policy(self, name: str, field: str) -> Policy:
        """Return the policy of that name, or the default one for an empty name.

        Raises InvalidRequest, naming `field`, and PolicyDisabled.
        """
        found = self.policies.policies.get(name or self.policies.default)
        if found is None:
            known = ", ".join(self.policies.policies)
            raise InvalidRequest([Violation(field, f"is {name[:64]!r}; must be one of {known}")])
        if not found.enabled:
            raise PolicyDisabled(f"policy {found.name!r} is disabled", {"policy": found.name})
        return found


class RulesInForce:
    """Holds the rulebook that new requests use; those under way keep the one they began with."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.current = rulebook
