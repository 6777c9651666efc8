"""Whether this installation of Firth works, and what it finds on this machine."""

from firth.doctor._examination import Finding, examine

__all__ = ["Finding", "examine"]
