"""What a built site is checked for: links within it, and how it opens in a browser."""
