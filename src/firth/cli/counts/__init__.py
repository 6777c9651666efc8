"""firth counts: co-occurrence counts."""

from firth.cli._options import group
from firth.cli.counts.learn import learn
from firth.cli.counts.show import show
from firth.cli.counts.sketch import sketch

app = group("Co-occurrence counts: which words occur in which contexts.", learn, show, sketch)
