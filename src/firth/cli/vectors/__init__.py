"""firth vectors: word vectors."""

from firth.cli._options import group
from firth.cli.vectors.apply import apply
from firth.cli.vectors.evaluate import evaluate
from firth.cli.vectors.learn import learn
from firth.cli.vectors.show import show

app = group("Word vectors, learned from co-occurrence counts.", learn, apply, show, evaluate)
