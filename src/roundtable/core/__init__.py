"""The rules: pure, without files, clock, network, randomness or async."""
