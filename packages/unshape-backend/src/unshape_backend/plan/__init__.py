"""Planning: from a graph to the steps that compute its results."""
