"""Images: nodes that filter and transform textures, and picture files."""
