"""Tables, JSON, SVG and HTML of results."""
