"""Framing: bytes of a response body to events and parsed payloads. Knows no dialect."""
