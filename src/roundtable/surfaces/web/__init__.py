"""The web room: people join an item's analysis from their browsers."""
