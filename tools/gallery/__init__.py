"""What the gallery in the documentation shows."""
