"""Reloads the policy file on SIGHUP and on change; keeps the last good version on error."""

import hashlib
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from consensus.config.beside import content
from consensus.config.load import load_policies
from consensus.domain.errors import PolicyFileError
from consensus.domain.policy import PolicySet
from consensus.domain.ports import CheckFaults

log = logging.getLogger(__name__)


class Reloader:
    """Watches one policy file and the files that are part of it.

    Looks at the content, not at events: a mounted ConfigMap changes by swapping a link two levels
    up, which file events miss.
    """

    def __init__(
        self,
        file: Path,
        check_faults: CheckFaults,
        apply: Callable[[PolicySet], Awaitable[None]],
        count: Callable[[str], None],
        in_force: PolicySet,
    ) -> None:
        """`apply` puts policies in force; `count` is told `ok`, `unchanged` or `error`.

        `in_force` is what was loaded before; the file may have changed since.
        """
        self._file = file
        self._check_faults = check_faults
        self._apply = apply
        self._count = count
        self._beside = in_force.beside
        self._lock = anyio.Lock()  # of two reloads at once the one that read less would win
        self._seen = self._digest()
        if not self._holds(in_force):
            self._seen = b"changed since it was loaded"

    async def watch(self, seconds: float) -> None:
        """Look at the file every `seconds` and reload it when its content has changed."""
        while True:
            await anyio.sleep(seconds)
            digest = await anyio.to_thread.run_sync(self._digest)
            if digest != self._seen:
                await self.reload()

    async def reload(self) -> None:
        """Load the file now and put it in force, or keep what is in force and say why."""
        async with self._lock:
            await self._reload()

    async def _reload(self) -> None:
        if await anyio.to_thread.run_sync(self._digest) == self._seen:
            self._count("unchanged")
            log.info("policy file is unchanged", extra={"file": str(self._file)})
            return
        try:
            policies = await anyio.to_thread.run_sync(self._load)
            await self._apply(policies)
        except (PolicyFileError, OSError) as error:  # OSError: a file that the policies name
            faults = error.lines() if isinstance(error, PolicyFileError) else [str(error)]
            self._count("error")
            log.error(  # noqa: TRY400 - the faults say it all
                "policy file refused, the last good one stays", extra={"faults": faults}
            )
            return
        self._count("ok")
        revisions = {name: policy.revision for name, policy in policies.policies.items()}
        log.info("policy file reloaded", extra={"policies": revisions})

    def _load(self) -> PolicySet:
        """Read the file and what is part of it. Raises PolicyFileError and OSError."""
        while True:
            watched, self._seen = self._beside, self._digest()
            try:
                policies = self._read()
            except PolicyFileError as error:
                self._beside = error.beside
                if self._beside == watched:
                    raise
            else:
                self._beside = policies.beside
                if self._beside == watched:
                    return policies
            # What was read is not what the digest was made of: it may have changed in between.

    def _read(self) -> PolicySet:
        """Read the file. Raises PolicyFileError and OSError."""
        if self._file.is_fifo():  # nobody may ever write to it again
            raise OSError(f"{self._file} is a pipe, which cannot be read again")
        return load_policies(self._file, self._check_faults)

    def _holds(self, policies: PolicySet) -> bool:
        try:
            return self._read() == policies
        except (PolicyFileError, OSError):
            return False

    def _digest(self) -> bytes:
        digest = hashlib.sha256()
        for file in (self._file, *map(Path, self._beside)):
            try:
                digest.update(hashlib.sha256(content(file)).digest())
            except OSError:
                digest.update(b"cannot be read")
        return digest.digest()
