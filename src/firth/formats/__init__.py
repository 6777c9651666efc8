"""Other people's files: compressed streams, annotated text, tables, vectors, classes, tags, entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.formats._annotated import annotated_lines
    from firth.formats._classes import (
        CLASS_FORMATS,
        ClassTable,
        looks_like_classes,
        read_classes,
        write_classes,
    )
    from firth.formats._columns import (
        LabelledText,
        Sentence,
        check_column,
        read_columns,
        read_labelled,
    )
    from firth.formats._compression import Stream, open_piece, open_stream
    from firth.formats._conllu import (
        UPOS,
        ConlluSentence,
        conllu_sentences,
        conllu_text,
        conllu_with,
        read_conllu,
    )
    from firth.formats._elan import elan_tiers
    from firth.formats._entities import (
        SCHEMES,
        Entity,
        Scheme,
        convert_labels,
        detect_scheme,
        entities,
        labels_of,
    )
    from firth.formats._frames import Backend, Framed, Rows, frame_of, library_of, table_of
    from firth.formats._limits import (
        FileLimits,
        LabelLimits,
        Limits,
        TextLimits,
        current_limits,
        limits,
    )
    from firth.formats._lines import raw_lines, text_lines
    from firth.formats._names import path_of, stored_name
    from firth.formats._objects import ObjectTable, read_objects
    from firth.formats._pairs import looks_like_pairs, read_pairs
    from firth.formats._reading import reading
    from firth.formats._records import (
        json_objects,
        json_records,
        read_rows,
        table_records,
        table_rows,
    )
    from firth.formats._remote import RemoteFile, find_remote, open_known
    from firth.formats._rows_out import check_output, write_rows, write_separated
    from firth.formats._sniff import (
        ANNOTATED,
        KEPT,
        compression_of,
        describe_binary,
        for_file,
        guess_encoding,
        kind_of,
        kind_of_content,
        markup_in,
    )
    from firth.formats._tagged import check_tag_column, read_tagged
    from firth.formats._urls import is_url, local_path, without_secrets
    from firth.formats._vectors import (
        VECTOR_FORMATS,
        VectorTable,
        looks_like_vectors,
        read_vectors,
    )
    from firth.formats._vectors_out import (
        BINARY_FORMATS,
        WRITTEN_FORMATS,
        vector_format_of,
        write_fasttext,
        write_vectors,
    )

__all__ = [
    "Stream",
    "open_piece",
    "open_stream",
    "RemoteFile",
    "find_remote",
    "is_url",
    "local_path",
    "open_known",
    "without_secrets",
    "compression_of",
    "conllu_sentences",
    "conllu_text",
    "conllu_with",
    "read_conllu",
    "ConlluSentence",
    "UPOS",
    "json_objects",
    "json_records",
    "read_rows",
    "table_records",
    "table_rows",
    "describe_binary",
    "for_file",
    "guess_encoding",
    "kind_of",
    "kind_of_content",
    "markup_in",
    "ANNOTATED",
    "KEPT",
    "annotated_lines",
    "elan_tiers",
    "raw_lines",
    "text_lines",
    "reading",
    "path_of",
    "stored_name",
    "Limits",
    "FileLimits",
    "LabelLimits",
    "TextLimits",
    "current_limits",
    "limits",
    "check_tag_column",
    "read_tagged",
    "VECTOR_FORMATS",
    "WRITTEN_FORMATS",
    "BINARY_FORMATS",
    "VectorTable",
    "looks_like_vectors",
    "read_vectors",
    "vector_format_of",
    "write_vectors",
    "write_fasttext",
    "CLASS_FORMATS",
    "ClassTable",
    "looks_like_classes",
    "read_classes",
    "write_classes",
    "Backend",
    "Framed",
    "Rows",
    "frame_of",
    "library_of",
    "table_of",
    "check_output",
    "write_rows",
    "write_separated",
    "read_columns",
    "Sentence",
    "read_labelled",
    "LabelledText",
    "SCHEMES",
    "Scheme",
    "Entity",
    "check_column",
    "entities",
    "labels_of",
    "convert_labels",
    "detect_scheme",
    "ObjectTable",
    "read_objects",
    "looks_like_pairs",
    "read_pairs",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _annotated="annotated_lines",
        _columns="LabelledText Sentence check_column read_columns read_labelled",
        _elan="elan_tiers",
        _entities="SCHEMES Entity Scheme convert_labels detect_scheme entities labels_of",
        _objects="ObjectTable read_objects",
        _pairs="looks_like_pairs read_pairs",
        _classes="CLASS_FORMATS ClassTable looks_like_classes read_classes write_classes",
        _compression="Stream open_piece open_stream",
        _conllu="ConlluSentence UPOS conllu_sentences conllu_text conllu_with read_conllu",
        _frames="Backend Framed Rows frame_of library_of table_of",
        _limits="FileLimits LabelLimits Limits TextLimits current_limits limits",
        _lines="raw_lines text_lines",
        _names="path_of stored_name",
        _reading="reading",
        _records="json_objects json_records read_rows table_records table_rows",
        _remote="RemoteFile find_remote open_known",
        _rows_out="check_output write_rows write_separated",
        _sniff="ANNOTATED KEPT compression_of describe_binary for_file guess_encoding kind_of "
        "kind_of_content markup_in",
        _tagged="check_tag_column read_tagged",
        _urls="is_url local_path without_secrets",
        _vectors="VECTOR_FORMATS VectorTable looks_like_vectors read_vectors",
        _vectors_out="BINARY_FORMATS WRITTEN_FORMATS vector_format_of write_fasttext write_vectors",
    )
