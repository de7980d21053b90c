"""Random attacks on the real command: Scripts/attack runs them."""
