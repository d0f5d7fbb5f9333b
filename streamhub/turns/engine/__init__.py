"""The turn engine: asyncio, no Django. It runs turns against ports that the Django side implements."""
