"""What went wrong on the network, and what to do: in the words of the provider, and in ours."""

from __future__ import annotations

import re

from firth.errors import InputError
from firth.formats._urls import scrubbed

__all__ = ["in_words_of_network"]

_PACKAGES = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs",
    "abfss": "adlfs", "http": "aiohttp", "https": "aiohttp", "hf": "huggingface_hub",
}  # fmt: skip
"""What fsspec needs for a scheme."""
_WEB = "A user and a password can stand in it: https://USER:PASSWORD@HOST/PATH"
_CREDENTIALS = {
    "s3fs": "Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a public bucket, "
    "FSSPEC_S3_ANON=true",
    "gcsfs": "Set GOOGLE_APPLICATION_CREDENTIALS; for a public bucket, FSSPEC_GS_TOKEN=anon",
    "adlfs": "Set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and "
    "AZURE_STORAGE_ACCOUNT_KEY",
    "huggingface_hub": "Set HF_TOKEN.",
    "aiohttp": f"Check the address. {_WEB}",
}
_PROVIDERS = (
    "aiobotocore", "aiohttp", "azure", "botocore", "gcsfs", "google", "httpx", "huggingface_hub",
    "requests",
)  # fmt: skip


def in_words_of_network(error: Exception, url: str) -> InputError | None:
    """An error of the network as one of Firth; None for one that has to do with the content."""
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and _provider(cause) == "aiohttp":
        error = cause  # type: ignore[assignment]  # fsspec says so whatever happened
    scheme = re.sub("(.*::)?([^:]*)://.*", r"\2", url.lower(), count=1, flags=re.DOTALL)
    package = _PACKAGES.get(scheme, "")
    why = _why(error)
    status, kind = getattr(error, "status", 0), type(error).__name__
    if isinstance(error, ImportError):
        return _missing(error, scheme, package, why)
    if isinstance(error, ValueError) and why.startswith("Protocol not known"):
        return InputError(
            f"{url} cannot be read: {scheme}:// is not known.",
            "Firth reads s3, gs, az, http, https and hf addresses, and others that fsspec knows.",
        )
    if isinstance(error, ValueError) and "pattern" in why:
        return InputError(f"{url} cannot be read: {why}.", "Check the pattern.")
    if isinstance(error, PermissionError) or status in (401, 403) or "Credential" in kind:
        hint = _CREDENTIALS.get(package, "Check the credentials.")
        return InputError(f"No permission to read {url}: {why}.", hint)
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        because = "" if "/" in why or status else f": {why}"
        return InputError(f"There is no file {url}{because}.", "Check the name.")
    if _provider(error) in _PROVIDERS or getattr(error, "errno", None) or "Timeout" in kind:
        hint = "Check the address and the network, and run the same command again."
        return InputError(f"{url} cannot be read: {why}.", hint)
    return None


def _why(error: Exception) -> str:
    """The words of the provider, on one line."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return scrubbed(str(said).splitlines()[0].rstrip("."))


def _provider(error: BaseException | None) -> str:
    """The package that an error comes from."""
    return type(error).__module__.partition(".")[0]


def _missing(error: ImportError, scheme: str, package: str, why: str) -> InputError:
    """The error for a package that is not installed."""
    if error.name == "fsspec":
        needed, how = "fsspec", '"firth[remote]"'
    else:
        needed, how = package, package
    if not needed:
        return InputError(
            f"{scheme}:// cannot be read: {why}.", "Install the package that it needs."
        )
    return InputError(
        f"{scheme}:// needs the package {needed}, which is not installed.",
        f"Install it: pip install {how}",
    )
