"""Personas and steps as data files, and the catalogue that loads and checks them."""
