"""The demo: six channels on a stand-in provider, so that a new admin sees every kind of stream at once."""
