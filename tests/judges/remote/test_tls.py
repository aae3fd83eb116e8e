"""A remote judge over TLS: it talks to nobody whose certificate it does not trust."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import grpc
import pytest
from msgspec.structs import replace

from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import FailureKind, GradientResult
from consensus.domain.judges import JudgeSpec
from consensus.judges.remote import RemoteJudge
from consensus.judges.remote import backend as backend_module
from consensus.judges.remote.connection import Connection
from consensus.judges.remote.credentials import CredentialFiles, Stamp
from consensus.judges.remote.describe import Standing, describe
from consensus.v1 import judge_pb2
from consensus.wire.gradient import answer_to
from tests.builders import scores, submission
from tests.judges.backend import Backend, Context, Reply, always, judge_at, serving
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


async def test_who_asks_what_a_judge_is_trusts_whom_the_judge_trusts(
    backend: Backend, ca_file: Path, stranger: Path
) -> None:
    spec = JudgeSpec(
        name="j", kind="remote", target=backend.target, tls=True, tls_ca_file=str(ca_file)
    )
    for changed, standing in (
        ({"tls_server_name": NAME}, Standing.SILENT),  # reached; it describes nothing
        ({}, Standing.UNREACHED),
        ({"tls_server_name": NAME, "tls_ca_file": str(stranger)}, Standing.UNREACHED),
    ):
        assert (await describe(replace(spec, **changed))).standing is standing


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


def copy(pair: Path, to: Path) -> None:
    """Put a certificate and its key where others were, as a mounted secret does: at once."""
    for suffix in (".key", ".pem"):
        beside = to.with_suffix(f"{suffix}.new")
        beside.write_bytes(pair.with_suffix(suffix).read_bytes())
        beside.replace(to.with_suffix(suffix))


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend_module, "CHECK_SECONDS", 0.01)


@pytest.fixture(scope="module")
def known(ca_file: Path, stranger: Path) -> dict[bytes, str]:
    return {ca_file.read_bytes().strip(): "first", stranger.read_bytes().strip(): "second"}


@pytest.fixture(scope="module")
def mutual(ca_file: Path, known: dict[bytes, str]) -> grpc.ServerCredentials:
    pair = (ca_file.with_suffix(".key").read_bytes(), ca_file.read_bytes())
    return grpc.ssl_server_credentials([pair], b"\n".join(known), require_client_auth=True)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Stamp]:
    """Return what every look at the files sees, as they go on."""
    seen: list[Stamp] = []
    look = CredentialFiles.stamp

    def spy(files: CredentialFiles) -> Stamp:
        seen.append(look(files))
        return seen[-1]

    monkeypatch.setattr(CredentialFiles, "stamp", spy)
    return seen


@pytest.fixture
async def choosy(mutual: grpc.ServerCredentials, known: dict[bytes, str]) -> AsyncIterator[Backend]:
    """Serve callers that prove who they are: one of two certificates that both bear the name."""

    async def who(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        (shown,) = context.auth_context()["x509_pem_cert"]
        return answer_to(scores(0.75, reasoning=known[shown.replace(b"\r", b"").strip()]))

    async with serving(who, mutual) as one:
        yield one


def ours(folder: Path, ca_file: Path) -> dict[str, Any]:
    """Return the fields of a judge that proves who it is by the files in `folder`."""
    names = {"tls_cert_file": folder / "ours.pem", "tls_key_file": folder / "ours.key"}
    files = {key: str(file) for key, file in names.items()}
    return {"tls": True, "tls_ca_file": str(ca_file), "tls_server_name": NAME, **files}


async def shown(judge: RemoteJudge) -> str:
    """Return which certificate a judge shows."""
    answer = await judge.evaluate(Evaluation(submission(), Hierarchy()), 10)
    assert isinstance(answer, GradientResult)
    return answer.reasoning


async def until_shown(judge: RemoteJudge, certificate: str) -> None:
    with anyio.fail_after(10):
        while await shown(judge) != certificate:  # noqa: ASYNC110 - nothing tells when
            await anyio.sleep(0.01)


async def test_a_backend_that_asks_who_we_are_is_shown_our_certificate(
    choosy: Backend, ca_file: Path, tmp_path: Path
) -> None:
    copy(ca_file, tmp_path / "ours.pem")
    async with judge_at(choosy.target, **ours(tmp_path, ca_file)) as judge:
        assert await shown(judge) == "first"
    choosy.requests.clear()
    await refused(choosy, tls=True, tls_ca_file=str(ca_file), tls_server_name=NAME)


async def test_a_rotated_certificate_is_shown_by_new_calls_and_old_ones_finish(
    ca_file: Path, stranger: Path, choosy: Backend, tmp_path: Path, quick_looks: None
) -> None:
    go, script = anyio.Event(), choosy.script

    async def when_told(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        if len(choosy.requests) == 1:
            await go.wait()
        return await script(request, context)

    choosy.script = when_told
    copy(ca_file, tmp_path / "ours.pem")
    async with judge_at(choosy.target, **ours(tmp_path, ca_file)) as judge:
        under_way = asyncio.create_task(shown(judge))
        await choosy.asked.wait()
        copy(stranger, tmp_path / "ours.pem")
        await until_shown(judge, "second")
        go.set()
        assert await under_way == "first"
        assert await shown(judge) == "second"


class Relay:
    """Stands between a judge and its backend, and tells which connections have ended."""

    def __init__(self, target: str) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self.ended: list[anyio.Event] = []

    async def __call__(self, ours: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        ended = anyio.Event()
        self.ended.append(ended)
        theirs, ask = await asyncio.open_connection(self._host, self._port)
        back = asyncio.create_task(self._pass_on(theirs, answer))
        await self._pass_on(ours, ask)
        ended.set()
        await back

    async def _pass_on(self, come: asyncio.StreamReader, go: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await come.read(1 << 16):
                go.write(data)
        go.close()


async def test_the_old_connection_is_closed_once_a_rotated_certificate_is_shown(
    ca_file: Path,
    stranger: Path,
    choosy: Backend,
    tmp_path: Path,
    quick_looks: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[Connection] = []  # or they would close when Python forgets them

    def connection(*given: Any) -> Connection:
        kept.append(Connection(*given))
        return kept[-1]

    monkeypatch.setattr(backend_module, "Connection", connection)
    relay = Relay(choosy.target)
    copy(ca_file, tmp_path / "ours.pem")
    async with await asyncio.start_server(relay, "127.0.0.1", 0) as between:
        target = f"127.0.0.1:{between.sockets[0].getsockname()[1]}"
        async with judge_at(target, **ours(tmp_path, ca_file)) as judge:
            assert await shown(judge) == "first"
            copy(stranger, tmp_path / "ours.pem")
            await until_shown(judge, "second")
            old, new = relay.ended
            with anyio.fail_after(10):
                await old.wait()
            assert not new.is_set()
            assert await shown(judge) == "second"


@pytest.mark.parametrize("fault", ["no PEM", "another's key", "gone"])
async def test_a_faulty_new_file_keeps_the_last_good_one_and_is_told_of_once(
    ca_file: Path,
    stranger: Path,
    choosy: Backend,
    tmp_path: Path,
    quick_looks: None,
    caplog: pytest.LogCaptureFixture,
    fault: str,
    looks: list[Stamp],
) -> None:
    key = tmp_path / "ours.key"
    copy(ca_file, tmp_path / "ours.pem")
    async with judge_at(choosy.target, **ours(tmp_path, ca_file)) as judge:
        assert await shown(judge) == "first"
        if fault == "gone":
            key.unlink()
        else:
            other = b"nonsense" if fault == "no PEM" else stranger.with_suffix(".key").read_bytes()
            key.write_bytes(other)
        seen = looks[-1]
        with anyio.fail_after(10):
            while looks.count(looks[-1]) < 4 or looks[-1] == seen:  # noqa: ASYNC110 - a poll itself
                await anyio.sleep(0.01)
        assert await shown(judge) == "first"
        warnings = [one for one in caplog.records if one.levelname == "WARNING"]
        copy(stranger, tmp_path / "ours.pem")
        await until_shown(judge, "second")
    assert [(warning.message, vars(warning)["target"]) for warning in warnings] == [
        ("new TLS files refused, the last good ones stay", choosy.target)
    ]
    assert str(tmp_path) not in caplog.text


async def test_authorities_that_are_no_certificates_make_no_judge(tmp_path: Path) -> None:
    authorities = tmp_path / "ca.pem"
    authorities.write_bytes(b"nonsense")
    with pytest.raises(OSError, match=r"NO_CERTIFICATE|PEM"):
        async with judge_at("127.0.0.1:1", tls=True, tls_ca_file=str(authorities)):
            pass


async def test_files_that_are_no_good_from_the_start_make_no_judge(
    ca_file: Path, stranger: Path, tmp_path: Path
) -> None:
    copy(ca_file, tmp_path / "ours.pem")
    (tmp_path / "ours.key").write_bytes(stranger.with_suffix(".key").read_bytes())
    with pytest.raises(OSError, match="KEY_VALUES_MISMATCH"):
        async with judge_at("127.0.0.1:1", **ours(tmp_path, ca_file)):
            pass
