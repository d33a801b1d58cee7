"""Files to upload."""

from __future__ import annotations

import os
from typing import BinaryIO, Union

File = Union[bytes, BinaryIO, tuple[str, Union[bytes, BinaryIO]]]
"""Bytes, a file that is open for reading bytes, or either after its name."""


def read_file(file: File) -> tuple[str, bytes]:
    """Reads a file whole, so that an attempt can send it again."""
    if isinstance(file, tuple):
        name, content = file
        return name, read_file(content)[1]
    if isinstance(file, bytes):
        return "file", file
    # A temporary file without a name has a number.
    path = getattr(file, "name", None)
    return os.path.basename(path) if isinstance(path, str) else "file", file.read()
