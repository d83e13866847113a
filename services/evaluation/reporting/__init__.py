"""Reports of measurements: blocks that become Markdown or HTML, and plots drawn as SVG."""
