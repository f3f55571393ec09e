"""Labels on bags: dictionaries and instances chosen for a measure, against other ways."""
