"""Runs the command as `python -m lastro`."""

import sys

from lastro.cli import main

sys.exit(main())
