"""Provider streams in, one chunk shape out. Knows no Django and opens no socket (the simulator aside).

Import the submodule that owns a name (`providers.chunks`, `providers.registry`, ...), never this package
root.
"""
