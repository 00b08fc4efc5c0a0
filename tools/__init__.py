"""Tools that make parts of the documentation from the program itself, and drive it in tests."""
