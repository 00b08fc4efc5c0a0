"""The evaluation: scripted users talk with a panel about real items, and what was said is measured."""
