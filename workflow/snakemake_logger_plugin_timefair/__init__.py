"""Lets Snakemake find timefair's console by its name, as in ``snakemake --logger timefair``."""

from timefair.cli.console import ConsoleHandler as LogHandler

__all__ = ["LogHandler"]
