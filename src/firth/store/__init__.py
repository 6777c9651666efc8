"""Model folders: parts, versions, checksums and atomic changes.

::

    MODEL/
      firth.json            the manifest: the current version of each part
      firth.log             when and how each part was made, a JSON object on each line (not checked)
      .lock                 held by the process that writes
      corpus/<id>/...       the files of a part; <id> is a hash of its inputs and parameters

A part is written into a draft folder beside the old version, flushed to disk, renamed, and becomes
current when the manifest is replaced. A process that is killed at any time leaves the old or the new
version. The next writer removes leftovers. ``docs/model-folder.md`` describes the format.
"""

from firth.store._arrays import write_array, write_text
from firth.store._checkpoint import Checkpoint, Saved
from firth.store._contents import (
    Order,
    UnsoundError,
    array_file,
    check_array,
    count_ids,
    every,
    has_structure,
    map_file,
    read_array,
)
from firth.store._files import replacing, standard_input
from firth.store._reading import MANIFEST, MANIFEST_LIMIT, Part, Store, sha256
from firth.store._room import Room
from firth.store._system import (
    lock,
    make_folder,
    map_memory,
    map_open_file,
    open_file,
    remove_file,
    remove_tree,
    rename,
    sync,
)
from firth.store._tables import column, read_table
from firth.store._temporary import TemporaryFolder
from firth.store._writing import Draft, Writer, writing

__all__ = [
    "MANIFEST",
    "MANIFEST_LIMIT",
    "Checkpoint",
    "Draft",
    "Order",
    "Part",
    "Room",
    "Saved",
    "Store",
    "TemporaryFolder",
    "UnsoundError",
    "Writer",
    "array_file",
    "check_array",
    "column",
    "count_ids",
    "every",
    "has_structure",
    "lock",
    "make_folder",
    "map_file",
    "map_memory",
    "map_open_file",
    "open_file",
    "read_array",
    "read_table",
    "remove_file",
    "remove_tree",
    "rename",
    "replacing",
    "sha256",
    "standard_input",
    "sync",
    "write_array",
    "write_text",
    "writing",
]
