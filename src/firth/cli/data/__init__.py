"""firth data: data sets to try Firth on."""

from firth.cli._options import group
from firth.cli.data.get import get
from firth.cli.data.list import list_

app = group(
    "Data sets to try Firth on: texts and labelled data that can be downloaded.", list_, get
)
