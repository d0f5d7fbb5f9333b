"""Guards over the visible text of one stream. Adding one is one file and one row in `table.py`."""
