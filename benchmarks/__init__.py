"""Speed and memory, as ratios to peers in the same run."""
