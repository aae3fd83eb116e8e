"""Reads a submission, a whole request or a tool call from JSON."""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message

from consensus.cli import BadInput
from consensus.v1 import consensus_pb2, submission_pb2, tool_call_pb2

MAX_BYTES = 8 << 20
MAX_DEPTH = 60
_WAY = re.compile(r"^(?:Failed to parse \w+ field: (?=Failed to parse|Message type))+")
_FIELDS = re.compile(r"\.\s+Available Fields\(except extensions\): \"\[(.*)\]\"")

_Message = TypeVar("_Message", bound=Message)


def read_request(file: Path) -> consensus_pb2.JudgeRequest:
    """Return the request that `file` (`-`: standard input) holds, as a submission or a request.

    Raises BadInput with the file, the place and what is wrong.
    """
    name, value = _object(file, "`task` and `candidate`")
    if "submission" in value:
        return _filled(consensus_pb2.JudgeRequest(), name, value)
    return consensus_pb2.JudgeRequest(submission=_filled(submission_pb2.Submission(), name, value))


def read_tool_call(file: Path) -> tool_call_pb2.JudgeToolCallRequest:
    """Return the request to judge a tool call that `file` (`-`: standard input) holds.

    Raises BadInput with the file, the place and what is wrong.
    """
    name, value = _object(file, "`task` and `call`")
    return _filled(tool_call_pb2.JudgeToolCallRequest(), name, value)


def name_of(file: Path) -> str:
    """Return what to call a file of the command line in a message."""
    return "standard input" if str(file) == "-" else str(file)


def _object(file: Path, fields: str) -> tuple[str, dict[str, object]]:
    """Return what to call the file and what it holds."""
    name = name_of(file)
    value = _parsed(name, _read(name, file))
    if not isinstance(value, dict):
        raise BadInput(f"{name}: is a {type(value).__name__}; must be an object with {fields}")
    return name, value


def _filled(message: _Message, name: str, value: dict[str, object]) -> _Message:
    try:
        return json_format.ParseDict(value, message, max_recursion_depth=MAX_DEPTH)
    except json_format.ParseError as error:
        raise BadInput(f"{name}: {_told(str(error))}") from None
    except OverflowError:
        raise BadInput(f"{name}: holds a number that is too large") from None


def _told(words: str) -> str:
    """Return protobuf's words on one line, without the way to the place, which they end with."""
    words = _FIELDS.sub(lambda found: "; the fields are " + _snake(found[1]), words)
    return _WAY.sub("", words).rstrip(".")


def _snake(names: str) -> str:
    """Return fields as the contract spells them; protobuf lists them as in JSON: 'runId'."""
    return re.sub("[A-Z]", lambda found: "_" + found[0].lower(), names.replace("'", ""))


def _read(name: str, file: Path) -> bytes:
    try:
        if str(file) == "-":
            if sys.stdin is None:
                raise BadInput(f"{name}: is closed")
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise BadInput(f"{name}: larger than {MAX_BYTES} bytes")
    return data


def _parsed(name: str, data: bytes) -> object:
    def object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) < len(pairs):  # of which JSON readers take one or the other
            ((key, _),) = Counter(key for key, _ in pairs).most_common(1)
            raise BadInput(f"{name}: holds {key[:64]!r} twice in one object")
        try:
            "".join(value).encode()
        except UnicodeEncodeError:  # protobuf finds it in values alone
            raise BadInput(f"{name}: holds half a character in a field's name") from None
        return value

    try:
        value: object = json.loads(data, object_pairs_hook=object_of)
    except RecursionError:
        raise BadInput(f"{name}: nested too deep") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{name}: not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        place = f"{name}:{error.lineno}:{error.colno}"
        raise BadInput(f"{place}: not JSON: {error.msg}") from None
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise BadInput(f"{name}: holds a number that is too long") from None
    return value
