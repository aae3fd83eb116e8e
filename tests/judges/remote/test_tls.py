"""A remote judge over TLS: it talks to nobody whose certificate it does not trust."""

import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from consensus.domain.gradient import FailureKind
from consensus.wire.gradient import answer_to
from tests.builders import scores, submission
from tests.judges.backend import Backend, always, judge_at, serving
from tests.judges.contract import answers_soundly, fails_as_judges_fail

NAME = "judge.test"
OPENSSL = shutil.which("openssl")
if OPENSSL is None:
    pytest.skip("needs the openssl command to make a certificate", allow_module_level=True)


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate that vouches for itself, and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    subject = ("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}")
    files = ("-keyout", str(key), "-out", str(certificate))
    openssl = [OPENSSL or "", *command.split(), *subject, *files]
    subprocess.run(openssl, check=True, capture_output=True)
    return certificate, key


@pytest.fixture(scope="module")
def ca_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("tls"), NAME)[0]


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("tls"), NAME)[0]


@pytest.fixture(scope="module")
def credentials(ca_file: Path) -> grpc.ServerCredentials:
    pair = (ca_file.with_suffix(".key").read_bytes(), ca_file.read_bytes())
    return grpc.ssl_server_credentials([pair])


@pytest.fixture
async def backend(credentials: grpc.ServerCredentials) -> AsyncIterator[Backend]:
    async with serving(always(answer_to(scores(0.75))), credentials) as one:
        yield one


async def test_a_certificate_that_is_trusted_and_bears_the_name_is_talked_to(
    backend: Backend, ca_file: Path
) -> None:
    file = str(ca_file)
    async with judge_at(backend.target, tls=True, tls_ca_file=file, tls_server_name=NAME) as judge:
        await answers_soundly(judge, submission())
    assert backend.requests


async def refused(backend: Backend, **spec: Any) -> None:
    """Assert that the backend is not talked to."""
    async with judge_at(backend.target, **spec) as judge:
        failed = await fails_as_judges_fail(judge, submission())
    assert (failed.kind, failed.reason) == (FailureKind.ERROR, "the backend answered UNAVAILABLE")
    assert backend.requests == []


async def test_another_name_in_the_certificate_is_refused(backend: Backend, ca_file: Path) -> None:
    await refused(backend, tls=True, tls_ca_file=str(ca_file))


async def test_a_certificate_of_strangers_is_refused(backend: Backend, stranger: Path) -> None:
    await refused(backend, tls=True, tls_ca_file=str(stranger), tls_server_name=NAME)


@pytest.mark.parametrize("has_file", [True, False])
async def test_without_a_file_the_systems_certificates_are_trusted(
    backend: Backend, ca_file: Path, has_file: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = SimpleNamespace(cafile=str(ca_file) if has_file else None)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    if has_file:
        async with judge_at(backend.target, tls=True, tls_server_name=NAME) as judge:
            await answers_soundly(judge, submission())
    else:
        await refused(backend, tls=True, tls_server_name=NAME)


async def test_plaintext_to_a_secure_backend_is_refused(backend: Backend) -> None:
    await refused(backend)
