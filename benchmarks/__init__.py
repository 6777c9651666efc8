"""Speed, memory and quality of Firth and of other programs, measured in the same run."""
