"""Backend "gpu": expressions as WebGPU compute shaders, bit for bit as the definition."""
