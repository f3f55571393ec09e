"""An attack on handful by itself: random cases from a seed, and what fell with a way to see it again.

``python3 dev.py attack --minutes 10``; see CONTRIBUTING.
"""
