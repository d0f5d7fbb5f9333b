#!/usr/bin/env python
"""Run a management command of StreamHub."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "streamhub.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A setting that cannot be read names itself; where the code found out helps nobody.
        sys.exit(f"Configuration: {error}")
