"""firth names: names given to classes and tags."""

from firth.cli._options import group
from firth.cli.names.export import export
from firth.cli.names.import_ import import_
from firth.cli.names.show import show

app = group("Names that were given to word classes and tags.", show, export, import_)
