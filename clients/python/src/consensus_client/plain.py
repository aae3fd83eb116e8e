"""Plain JSON values as protobuf carries them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from google.protobuf.struct_pb2 import NULL_VALUE, ListValue, Struct, Value

_Item = TypeVar("_Item")


def listed(items: Iterable[_Item], name: str) -> Iterable[_Item]:
    """Return the items. Raises TypeError for one text, which Python would take letter by letter."""
    if isinstance(items, str):
        raise TypeError(f"{name} is one str; must be a list: [{items!r}]")
    return items


def struct(values: Mapping[str, object], path: str) -> Struct:
    """Return a JSON object. Raises TypeError with the path of what is not JSON."""
    made = Struct()
    for key, item in values.items():
        made.fields[key].CopyFrom(value(item, f"{path}.{key}"))
    return made


def value(item: object, path: str) -> Value:
    """Return any JSON value; numbers become doubles, exact to 2**53. Raises TypeError."""
    match item:
        case None:
            return Value(null_value=NULL_VALUE)
        case bool():
            return Value(bool_value=item)
        case int() | float():
            return Value(number_value=item)
        case str():
            return Value(string_value=item)
        case Mapping():
            return Value(struct_value=struct(item, path))
        case Sequence() if not isinstance(item, bytes | bytearray):
            items = [value(each, f"{path}[{index}]") for index, each in enumerate(item)]
            return Value(list_value=ListValue(values=items))
        case _:
            raise TypeError(f"{path} is of type {type(item).__name__}, which is not JSON")
