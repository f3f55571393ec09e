"""The methods: a folder for each paper, to be read beside it, and what they share."""
