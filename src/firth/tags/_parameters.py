"""How taggers learn: the parameters of each method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from firth.counts import ContextKind, VocabularySize, parse_contexts
from firth.errors import ParameterError
from firth.parameters import DeviceName, Methods, Param, Parameters, Seed, Threads

__all__ = [
    "DECODES",
    "TAG_METHODS",
    "AnchorParameters",
    "BaumWelchParameters",
    "ClusterParameters",
    "DecodeName",
    "DecodeOption",
    "FeatureParameters",
    "LatentParameters",
    "MutualInformationParameters",
    "SpectralHMMParameters",
    "SpellingPlace",
    "SupervisedParameters",
    "TaggedText",
]

_MOST = 1e6
NumberOfTags = Annotated[int, Param("Number of tags.", option="--tags", least=1)]
DecodeName = Literal["type", "posterior", "viterbi"]
DECODES: Mapping[DecodeName, tuple[str, str]] = {
    "type": ("by word", "Each word has its most frequent tag, in every context."),
    "posterior": ("by position", "Each word has the tag that is most probable at its position."),
    "viterbi": ("by sentence", "The most probable sequence of tags for the whole sentence."),
}
"""The ways to choose the tag of a token: a title and an explanation of each."""
Decode = Annotated[
    DecodeName,
    Param(
        "Choose tags by the word alone (type), by position (posterior) or by sentence (viterbi).",
        "See ``Tagger.tag``.",
    ),
]
Sharing = Annotated[
    float,
    Param(
        "Weight of words spelled alike, in occurrences.",
        "A rare word is also judged by the words that are spelled like it.",
        metavar="X",
        least=0,
        most=_MOST,
    ),
]

SpellingPlace = Literal["rows", "counts"]


@dataclass(eq=False, repr=False)
class MutualInformationParameters(Parameters):
    """The parameters of ``MutualInformationTagger``."""

    estimator: ClassVar[str] = "firth.tags:MutualInformationTagger"

    n_tags: NumberOfTags = 12
    reserve: Annotated[
        bool,
        Param(
            "Reserve a tag for punctuation and one for numbers.",
            "Words without letters and digits have the first, words with digits but no letters the second.",
        ),
    ] = False
    sharing: Sharing = 10.0
    affixes: Annotated[
        Literal["letters", "morphs", "both"],
        Param(
            "What makes words count as spelled alike: their first and last letters, their morphs, or both.",
            "Morphs are the suffixes, prefixes and stems that a morphology of the words of the text finds.",
            added=True,
        ),
    ] = "letters"
    dim: Annotated[int, Param("Number of dimensions of words.", least=1, most=300)] = 20
    clusters: Annotated[
        int, Param("Number of small clusters, which are merged to tags.", least=1, most=1000)
    ] = 50
    cluster_rounds: Annotated[
        int,
        Param(
            "Rounds of clustering.",
            "Contexts are the clusters of the neighbours, as the round before found them.",
            least=1,
        ),
    ] = 5
    steps: Annotated[int, Param("Gradient steps that increase mutual information.", least=0)] = 50
    vocabulary: VocabularySize = 200_000
    decode: Decode = "type"
    seed: Seed = 0
    threads: Threads = None


@dataclass(eq=False, repr=False)
class AnchorParameters(Parameters):
    """The parameters of ``AnchorTagger``."""

    estimator: ClassVar[str] = "firth.tags:AnchorTagger"

    n_tags: NumberOfTags = 12
    contexts: ContextKind = "LR1"
    spelling: Annotated[
        float,
        Param(
            "Weight of spelling features beside contexts.",
            "Features are capitals, hyphens, digits and suffixes; the paper has 0.1.",
            metavar="X",
            least=0,
            most=_MOST,
        ),
    ] = 0.0
    spelling_in: Annotated[
        SpellingPlace,
        Param(
            "Add spelling features to the scaled rows, or to the counts as the paper does.",
            "``counts``: every word also counts as having or lacking a capital, a hyphen and a digit, and "
            "as having its suffixes, before anything is scaled. ``rows``: columns for the signs that a "
            "word has, beside those for contexts, after scaling; for ``spectral`` only.",
            added=True,
        ),
    ] = "rows"
    sharing: Sharing = 1.0
    representation: Annotated[
        Literal["spectral", "conditional", "cca", "random"],
        Param(
            "Representation of words.",
            "``spectral``: rows of unit length of the singular vectors of square roots of counts. "
            "``conditional``: the distribution of contexts; ``cca`` and ``random`` project it by "
            "canonical correlation analysis or at random. The last three recover a model that has "
            "anchor words; ``spectral`` tags better.",
        ),
    ] = "spectral"
    pseudocount: Annotated[
        float,
        Param(
            "Pseudocount of words and contexts, added before scaling.",
            metavar="X",
            least=0,
            most=_MOST,
        ),
    ] = 10.0
    anchors: Annotated[
        Any,
        Param(
            "File with the anchor words, one per line; by default they are found.",
            "In Python also a list of words. There must be as many as tags.",
            metavar="FILE",
            checked=False,
            added=True,
        ),
    ] = None
    candidates: Annotated[
        int, Param("Number of most frequent words that can become anchors.", least=1)
    ] = 300
    exchange: Annotated[
        bool,
        Param(
            "Exchange anchors for words that lie further apart.",
            "Each anchor in turn becomes the word that is furthest from all others, as long as they "
            "span a larger volume then. Not in the paper.",
            added=True,
        ),
    ] = True
    refine: Annotated[bool, Param("Move anchors to the centre of the words around them.")] = True
    transition_rounds: Annotated[
        int | None,
        Param(
            "Number of EM iterations for transitions, starting from equal ones; the paper has 1.",
            "By default there are as many as needed, starting from an estimate.",
            least=1,
            panel="Expert",
            added=True,
        ),
    ] = None
    choose: Annotated[
        bool,
        Param(
            "Choose spelling, sharing and candidates for the text; slow.",
            "The settings chosen out of 27 are those under which tags change least when they are "
            "learned from halves of the counts. This takes about 150 times as long.",
        ),
    ] = False
    vocabulary: VocabularySize = 200_000
    decode: Decode = "type"
    seed: Seed = 0
    threads: Threads = None

    def check(self) -> None:
        super().check()
        parse_contexts(self.contexts)
        if self.refine and self.representation == "conditional":
            raise ParameterError(
                "Anchors cannot be refined where words are their distributions of contexts "
                "(representation conditional).",
                "Turn it off: --no-refine, or refine=False in Python.",
            )
        self.given_anchors()

    def given_anchors(self) -> list[tuple[str, str]] | None:
        """The words of ``anchors``, checked, and where each is from."""
        from firth.tags._given_anchors import given_anchors  # late: it brings readers of files

        return None if self.anchors is None else given_anchors(self.anchors, self.n_tags)

    def parameters(self) -> dict[str, Any]:
        given = self.given_anchors()
        return {
            **super().parameters(),
            "contexts": parse_contexts(self.contexts).name,
            **({} if given is None else {"anchors": [word for word, _ in given]}),
        }


@dataclass(eq=False, repr=False)
class FeatureParameters(Parameters):
    """The parameters of ``FeatureTagger``."""

    estimator: ClassVar[str] = "firth.tags:FeatureTagger"

    n_tags: NumberOfTags = 12
    penalty: Annotated[
        float,
        Param(
            "Weight of the squared weights of features, subtracted from the log-likelihood.",
            metavar="X",
            least=0,
            most=_MOST,
        ),
    ] = 1.0
    rounds: Annotated[int, Param("Maximum number of iterations.", least=1)] = 200
    tolerance: Annotated[
        float,
        Param(
            "Stop when an iteration gains less than this, in nats per token.",
            least=0,
            most=1,
            command=False,
        ),
    ] = 1e-5
    vocabulary: VocabularySize = 200_000
    decode: Decode = "type"
    seed: Seed = 0
    threads: Threads = None


@dataclass(eq=False, repr=False)
class BaumWelchParameters(Parameters):
    """The parameters of ``BaumWelchTagger``."""

    estimator: ClassVar[str] = "firth.tags:BaumWelchTagger"

    n_tags: NumberOfTags = 12
    rounds: Annotated[int, Param("Maximum number of iterations.", least=1)] = 100
    tolerance: Annotated[
        float,
        Param(
            "Stop when an iteration gains less than this, in nats per token.",
            least=0,
            most=1,
            command=False,
        ),
    ] = 1e-4
    restarts: Annotated[
        int, Param("Number of random restarts; the most likely model is kept.", least=1)
    ] = 1
    vocabulary: VocabularySize = 200_000
    decode: Decode = "posterior"
    seed: Seed = 0
    threads: Threads = None
    device: DeviceName = "cpu"


@dataclass(eq=False, repr=False)
class ClusterParameters(Parameters):
    """The parameters of ``ClusterTagger``."""

    estimator: ClassVar[str] = "firth.tags:ClusterTagger"

    classes: Annotated[
        Any,
        Param(
            "Word classes: a Hierarchy. By default Brown classes of the text.",
            stored=False,
            command=False,
            checked=False,
        ),
    ] = None
    n_tags: Annotated[
        int | None,
        Param("Number of tags: where to cut the tree. By default every class is a tag.", least=1),
    ] = None
    threads: Threads = None


@dataclass(eq=False, repr=False)
class SupervisedParameters(Parameters):
    """The parameters of ``SupervisedTagger``."""

    estimator: ClassVar[str] = "firth.tags:SupervisedTagger"

    sharing: Sharing = 1.0
    smoothing: Annotated[
        float,
        Param(
            "Weight of tag frequencies in transition probabilities, in transitions.",
            least=0,
            most=_MOST,
            command=False,
        ),
    ] = 1.0
    decode: Decode = "posterior"
    threads: Threads = None


@dataclass(eq=False, repr=False)
class LatentParameters(SupervisedParameters):
    """The parameters of ``LatentTagger``."""

    estimator: ClassVar[str] = "firth.grammar:LatentTagger"

    n_states: Annotated[
        int,
        Param(
            "Maximum number of hidden states of a tag.",
            "Tags that are rare, or whose contexts differ little, have fewer.",
            option="--states",
            least=1,
            most=64,
        ),
    ] = 8


@dataclass(eq=False, repr=False)
class SpectralHMMParameters(Parameters):
    """The parameters of ``SpectralHMM``."""

    estimator: ClassVar[str] = "firth.tags:SpectralHMM"

    n_states: Annotated[
        int, Param("Number of hidden states: the rank of the operators.", least=1)
    ] = 12
    everywhere: Annotated[
        bool,
        Param(
            "Use all trigrams, not only the first three symbols of each sequence.",
            "The first three describe how sequences begin; all trigrams are far more data.",
        ),
    ] = True
    vocabulary: Annotated[
        int | None,
        Param("Number of most frequent words of a corpus to keep.", none="all", least=1),
    ] = 2000


@dataclass(eq=False, repr=False)
class DecodeOption(Parameters):
    """How tags are chosen when text is tagged."""

    decode: Annotated[
        DecodeName | None,
        Param("Choose tags by the word alone, by position or by sentence; default: as trained."),
    ] = None


@dataclass(eq=False, repr=False)
class TaggedText(Parameters):
    """How tagged text is read."""

    tag_column: Annotated[
        str,
        Param(
            "Column of the tags in tagged text.",
            metavar="upos|xpos|N",
            panel="Text",
            renamed_from=("--column",),
        ),
    ] = "upos"

    def check(self) -> None:
        from firth.formats import check_tag_column  # late: it brings readers of many formats

        super().check()
        check_tag_column("learn_tags", "tag_column", self.tag_column)


TAG_METHODS = Methods(
    "How to find tags in raw text; latent: hidden states of the tags of tagged text.",
    {
        "mutual-information": MutualInformationParameters,
        "anchors": AnchorParameters,
        "baum-welch": BaumWelchParameters,
        "features": FeatureParameters,
        "classes": ClusterParameters,
        "tagged": SupervisedParameters,
        "latent": LatentParameters,
    },
    unlisted=("tagged",),
)
