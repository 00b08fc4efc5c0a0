"""The loan desk of the city library."""
