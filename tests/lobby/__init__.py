"""The lobby: what its pure parts decide, and what its users see."""
