"""Model folders on the Hugging Face Hub: addresses, and downloading.

A repository of the Hub has the files of a model folder as they are. What comes from there is checked like
any model: nothing in it is executed, and its checksums must be those of its manifest.
"""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firth import progress
from firth.errors import InputError, ModelError, ParameterError
from firth.progress import size
from firth.store import MANIFEST, MANIFEST_LIMIT, Store

__all__ = ["ADDRESS", "download", "explained", "hub", "split_address"]

ADDRESS = "hf://"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"\w[\w.-]{0,99}(/\w[\w.-]{0,99})*", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_AT_ONCE = 2
"""Files that are downloaded at the same time."""


def split_address(address: str) -> tuple[str, str | None]:
    """The repository and the revision of an address.

    >>> split_address("hf://anna/news"), split_address("hf://anna/news@v1")
    (('anna/news', None), ('anna/news', 'v1'))
    """
    name, at, revision = address.removeprefix(ADDRESS).partition("@")
    if not _NAME.fullmatch(name) or (at and not _REVISION.fullmatch(revision)):
        raise ParameterError(
            f"{address} is not the address of a model on the Hub.",
            "It looks like hf://USER/NAME, or hf://USER/NAME@REVISION for another version.",
        )
    return name, revision if at else None


def hub(what: str) -> Any:
    """The package huggingface_hub; ``what`` needs it."""
    try:
        import huggingface_hub
        import huggingface_hub.constants
    except ImportError:
        raise InputError(
            f"{what} needs huggingface_hub, which is not installed.",
            'Install it: pip install "firth[hub]"',
        ) from None
    return huggingface_hub


class UnreachableError(InputError):
    """There is no connection to the Hub."""


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Say what went wrong between here and the Hub; addresses and tokens are not shown."""
    from huggingface_hub import errors

    try:
        yield
    except errors.RepositoryNotFoundError:
        hint = "Check the name. If it is private, log in first: hf auth login"
        raise InputError(f"There is no model {what} on the Hub.", hint) from None
    except errors.RevisionNotFoundError:
        raise InputError(f"The model {what} has no such revision on the Hub.") from None
    except errors.EntryNotFoundError:
        raise InputError(
            f"{what} is not a Firth model: it has no {MANIFEST}.", "Check the name."
        ) from None
    except errors.OfflineModeIsEnabled:
        hint = "Unset HF_HUB_OFFLINE, or load the model once while there is a connection."
        raise UnreachableError(
            f"The Hub is switched off, so {what} is not looked for there.", hint
        ) from None
    except errors.HfHubHTTPError as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status in (401, 403):
            hint = "Log in with a token that may write: hf auth login"
            raise InputError(f"The Hub does not allow it for {what}.", hint) from None
        raise InputError(
            f"The Hub answered with an error ({status}) for {what}.", "Try again."
        ) from None
    except errors.LocalTokenNotFoundError:
        raise InputError("You are not logged in to the Hub.", "Log in: hf auth login") from None
    except errors.HFValidationError as error:
        raise ParameterError(f"{what} cannot be a name on the Hub: {error}") from None
    except Exception as error:
        if isinstance(error, OSError) and (error.filename or error.errno == errno.ENOSPC):
            raise InputError(
                f"Cannot use {error.filename or 'the disk'}: {error.strerror}.",
                "Set HF_HOME to a folder with space that you may write to.",
            ) from None
        if not _is_connection(error):
            raise
        raise UnreachableError(
            f"The Hub cannot be reached for {what}: {type(error).__name__}.",
            "Check the connection.",
        ) from None


def _is_connection(error: BaseException) -> bool:
    """Whether an error comes from the connection; the library for it depends on the version."""
    modules = {kind.__module__.split(".")[0] for kind in type(error).__mro__}
    return isinstance(error, OSError) or bool(modules & {"httpx", "httpx2", "httpcore", "requests"})


def download(address: str) -> Path:
    """Download a model, unless this version of it is here already; returns its folder.

    Parameters
    ----------
    address : str
        ``hf://USER/NAME``, or ``hf://USER/NAME@REVISION``.
    """
    name, revision = split_address(address)
    library = hub("Loading a model from the Hub")
    home = Path(library.constants.HF_HOME) / "firth" / name.replace("/", "--")
    try:
        with explained(name):
            found = library.HfApi().model_info(name, revision=revision, files_metadata=True)
    except UnreachableError as error:
        kept = sorted(home.glob(f"*/{MANIFEST}"), key=lambda path: path.stat().st_mtime)
        if revision is not None or not kept:
            raise
        progress.notice(f"{error.message} The copy on this machine is used.")
        return kept[-1].parent
    if not _COMMIT.fullmatch(str(found.sha)):  # it becomes the name of a folder
        raise InputError(f"The Hub does not say which version of {name} it has.", "Try again.")
    listed = {file.rfilename: file.size for file in found.siblings or ()}
    if (listed.get(MANIFEST) or 0) > MANIFEST_LIMIT:
        raise ModelError(
            f"{name} is not a Firth model: its {MANIFEST} is too large.", "Check the name."
        )
    folder = home / str(found.sha)
    with explained(name), progress.stage(f"downloading {name}", None, "files") as stage:
        library.hf_hub_download(name, MANIFEST, revision=found.sha, local_dir=folder)
        wanted = _files(folder, listed, name)
        missing = {path: n for path, n in wanted.items() if not _is_here(folder / path, n)}
        if missing:
            _check_disk(folder, sum(missing.values()), name)
            library.snapshot_download(
                name, revision=found.sha, local_dir=folder, allow_patterns=list(missing),
                max_workers=_AT_ONCE, tqdm_class=_silent(),
            )  # fmt: skip
        stage.advance(len(wanted) + 1)
    return folder


def _files(folder: Path, listed: Mapping[str, int | None], name: str) -> dict[str, int]:
    """The files of a model with their sizes, by its manifest; those on the Hub must agree."""
    found = {
        f"{part.name}/{part.folder.name}/{file}": int(facts["size"])
        for part in Store(folder).parts.values()
        for file, facts in part.files.items()
    }
    for path, n in found.items():
        there = listed.get(path, -1)
        if there is not None and there != n:
            what = "is missing" if there < 0 else f"has {there:,} bytes instead of {n:,}"
            raise ModelError(
                f"The model {name} on the Hub is damaged: {path} {what}.", "Ask its owner."
            )
    return found


def _is_here(path: Path, n: int) -> bool:
    return path.is_file() and path.stat().st_size == n


def _check_disk(folder: Path, n: int, name: str) -> None:
    """Raise an error before anything is downloaded that the disk has no space for."""
    free = shutil.disk_usage(folder).free
    if n > free:
        raise InputError(
            f"{name} has {size(n)} to download, and {folder} is on a disk with {size(free)} free.",
            "Set HF_HOME to a folder on a larger disk.",
        )


def _silent() -> Any:
    """A progress bar of the Hub that shows nothing: the stage says what is going on."""
    from huggingface_hub.utils import tqdm

    class Silent(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **{**kwargs, "disable": True})

    return Silent
