"""What the sandbox may do: the rules of checks that touch the world."""

from msgspec import Struct

SANDBOX_SWITCH = {"url": "sandbox.url", "code_run": "sandbox.code"}
"""Which key of the policy file allows checks that are off without it."""


class UrlRules(Struct, frozen=True, kw_only=True):
    """What a `url` check may fetch."""

    hosts: tuple[str, ...] = ()
    """Hosts that may be asked, `*.example.org` for those below one; empty means any."""
    ports: tuple[int, ...] = (80, 443)
    allow_addresses: tuple[str, ...] = ()
    """Networks in CIDR that may be asked although they are not public."""
    timeout_seconds: float = 5.0
    """Of one check, all its URLs and redirects together; > 0."""
    max_urls: int = 5
    max_bytes: int = 1 << 20
    """Most of an answer that is read, and only where its text matters."""
    max_redirects: int = 3
    concurrency: int = 8
    """Most fetches at a time."""


class CodeRules(Struct, frozen=True, kw_only=True):
    """What a `code_run` check may use."""

    timeout_seconds: float = 5.0
    """Wall-clock time; > 0. The processor's time is limited to as much, in whole seconds."""
    memory_bytes: int = 256 << 20
    """Address space."""
    disk_bytes: int = 16 << 20
    """Of its working directory, which is in memory."""
    concurrency: int = 2
    """Most runs at a time."""


class SandboxRules(Struct, frozen=True, kw_only=True):
    """What checks that touch the world may do; None: such a check is refused."""

    url: UrlRules | None = None
    code: CodeRules | None = None

    def allows(self, kind: str) -> bool:
        """Tell whether checks of this kind, by its key, may be asked for."""
        match kind:
            case "url":
                return self.url is not None
            case "code_run":
                return self.code is not None
            case _:
                return True
