"""What nodes are measured against."""
