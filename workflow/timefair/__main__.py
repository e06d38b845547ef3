"""``python -m timefair``."""

from timefair.cli import main

raise SystemExit(main())
