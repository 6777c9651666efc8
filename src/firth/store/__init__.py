"""Model folders: parts, versions, checksums, and changes that happen wholly or not at all.

::

    MODEL/
      firth.json            the manifest: which version of each part is the current one
      firth.log             when and how each part was made, a JSON object a line (not checked)
      .lock                 held by the one process that writes
      corpus/<id>/...       the files of a part; <id> comes from what it was made of

A part is written into a draft folder beside the old version, flushed to disk, given its name, and
becomes current at the moment the manifest is replaced. A kill at any time leaves the old or the
new. Whoever writes next sweeps up what a kill left behind. ``docs/model-folder.md`` describes the
format.
"""

from firth.store._arrays import array_file, read_array
from firth.store._reading import MANIFEST, Part, Store, sha256
from firth.store._replacing import replacing
from firth.store._writing import Draft, Writer, writing

__all__ = [
    "MANIFEST",
    "Draft",
    "Part",
    "Store",
    "Writer",
    "array_file",
    "read_array",
    "replacing",
    "sha256",
    "writing",
]
