"""How probable it is that an algorithm is better, and by a factor that matters."""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, exhibits=("tables",))
