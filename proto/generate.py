"""Generates the Python stubs of the server and the client from proto/; run by the generator's own
environment (`make protos`). With --check it writes nothing and fails where they differ.
"""

import sys
import tempfile
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTOS = sorted((ROOT / "proto/consensus/v1").glob("*.proto"))
PACKAGES = (ROOT / "consensus/v1", ROOT / "clients/python/src/consensus/v1")
SERVICES = ("consensus_pb2_grpc.py", "judge_pb2_grpc.py")
"""protoc writes an empty stub module for every file; only these hold services."""


def generate(folder: Path) -> dict[str, bytes]:
    """Return the generated files by name."""
    outputs = [f"--{kind}_out={folder}" for kind in ("python", "pyi", "grpc_python")]
    own, wellknown = ROOT / "proto", Path(grpc_tools.__file__).parent / "_proto"
    code = protoc.main(["protoc", f"-I{own}", f"-I{wellknown}", *outputs, *map(str, PROTOS)])
    if code:
        sys.exit(code)
    files = {file.name: file.read_bytes() for file in (folder / "consensus/v1").iterdir()}
    return {n: b for n, b in files.items() if not n.endswith("_grpc.py") or n in SERVICES}


def main() -> None:
    """Write the stubs, or compare them."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = generate(Path(folder))
    wanted["__init__.py"] = (PACKAGES[0] / "__init__.py").read_bytes()
    stale = []
    for package in PACKAGES:
        present = {f.name: f.read_bytes() for f in package.glob("*.py*") if f.suffix != ".pyc"}
        stale += [package / n for n in wanted if present.get(n) != wanted[n]]
        stale += [package / n for n in present if n not in wanted]
        if "--check" not in sys.argv:
            package.mkdir(parents=True, exist_ok=True)
            for name, data in wanted.items():
                (package / name).write_bytes(data)
            for name in set(present) - set(wanted):
                (package / name).unlink()
    if stale and "--check" in sys.argv:
        names = ", ".join(str(file.relative_to(ROOT)) for file in stale)
        sys.exit(f"stale stubs, run `make protos`: {names}")


if __name__ == "__main__":
    main()
