"""The declaration of an exhibit: its question, its table with its printed form, and its figures.

The registry, all captions, the reference pages and the charts of the page follow from that.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pandas as pd

from timefair.exhibits import columns as known_columns
from timefair.exhibits import unknown_optimum
from timefair.exhibits.charts.pages import ORDER, WHOLE, Page
from timefair.exhibits.columns import Column, column_names, columns_of
from timefair.exhibits.layout import Layout, generic
from timefair.problems.names import GIVEN
from timefair.records.rundata import runs as of_runs
from timefair.records.rundata.problems import in_order_of_looks, stacked, with_labels
from timefair.records.rundata.published import marked
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import said_of_noisy
from timefair.records.status import Perturbation

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from timefair.exhibits.charts.chart import Chart, Curves
    from timefair.exhibits.questions import Question

Parts: TypeAlias = Iterator[dict[str, Any]]
"""Parts of a table, as `stacked` takes them."""
Table: TypeAlias = pd.DataFrame | list[Any] | Parts
"""A table, which may have further columns in any order, its rows, or its parts."""
Made: TypeAlias = Table | tuple[Table, dict[str, Any]]
"""A table, or a table and attributes of its frame."""
Build: TypeAlias = Callable[[Runs, Analysis], pd.DataFrame]

Need = Literal["nothing", "samples", "constraints", "two objectives", "problems that change"]
"""What a figure needs: nothing, complete samples (cells with at least ``statistics.run_count.cap``
runs), or a suite of a kind with this `problems.kinds.Kind.said`."""


WORDS = {"seconds": "seconds of the campaign's clock", "confidence": "confidence"}
"""Replacements of placeholders in captions if no campaign is known."""


def plain(caption: str) -> str:
    """A caption if no campaign is known; column names stay in backticks."""
    return caption.format_map(WORDS)


@dataclass(frozen=True)
class Figure:
    """A figure of an exhibit.

    - `caption`: Sentences on the content of the figure, and on how to read it. ``{seconds}`` is
      replaced by the meaning of a second in the campaign.
    - `chart`: Form of the figure, drawn on paper and on the page.
    - `needs`: Requirement on a campaign; campaigns that do not meet it do not have the figure.
    """

    name: str
    title: str
    caption: str
    chart: Chart
    default: bool = False
    needs: Need = "nothing"

    @property
    def printed_caption(self) -> str:
        return f"{self.caption} {self.chart.on_paper}".strip()

    @property
    def page_caption(self) -> str:
        return f"{self.caption} {self.chart.on_page}".strip()

    def __call__(self, frame: pd.DataFrame, page: Page = WHOLE) -> Drawing:
        """Draw a page of it from the table of its exhibit, or why there is nothing to draw."""
        from matplotlib.text import Text

        from timefair.exhibits.charts import style
        from timefair.exhibits.charts.panels import NothingToDraw, note

        with style.applied():
            try:
                drawing = self.chart.paper(frame, page)
            except NothingToDraw as reason:
                return note(str(reason))
        if not unknown_optimum.has_words(frame):
            return drawing  # a search for its texts would make all ticks of all axes
        for text in drawing.findobj(Text):
            if (said := text.get_text()) != (words := unknown_optimum.worded(said, frame)):
                text.set_text(words)
        return drawing


def drawn(caption: str, chart: Chart, **facts: Any) -> Figure:
    """A figure with the name and the title of its exhibit."""
    return Figure("", "", caption, chart, **facts)


def over_costs(
    name: str, title: str, caption: str, chart: Curves, default: bool = False, **facts: Any
) -> tuple[Figure, Figure]:
    """A figure over seconds, and the same over evaluations, named ``<name>_evaluations``.

    ``{unit}`` is replaced in its texts, and in the columns of y and its limits by ``s`` or
    ``evaluations``. Only the first one may be a default figure.
    """

    def of(name: str, unit: str, words: str, short: str, default: bool) -> Figure:
        said = title.replace("{unit}", unit), caption.replace("{unit}", words)
        y, low, high = (each.replace("{unit}", short) for each in (chart.y, chart.low, chart.high))
        view = chart.view.replace("{unit}", unit)
        form = replace(chart, unit=unit, view=view, y=y, low=low, high=high)
        return Figure(name, *said, form, default, **facts)

    both = "evaluations", "evaluations", "evaluations", False
    return of(name, "seconds", "{seconds}", "s", default), of(f"{name}_evaluations", *both)


@dataclass(frozen=True)
class Exhibit:
    """A question, the table that answers it, and its figures.

    - `name`: The name of the table and of its files.
    - `caption`: Sentences on the content of the table. Placeholders are those of `Figure.caption`,
      and ``{confidence}``. Column names are in backticks.
    - `build`: Makes the table from the runs and the settings of the analysis.
    - `layouts`: Printed forms in LaTeX. Without any, all columns and rows are printed.
    - `charged`: Whether the settings of the campaign apply to its seconds: ``statistics.time``, and
      ``ancillary: amortised``, which adds ancillary costs; otherwise, they are as measured.
    - `complete`: Whether it describes the measurement itself. If so, it never omits perturbed runs,
      is not `charged`, and uses measured values of noisy runs.
    - `comparing`: Whether it compares algorithms. If so, it omits algorithms that made no
      evaluation in any run of a suite and dimension.
    - `measured`: Whether it uses measured values of noisy runs, whatever
      ``statistics.noisy_value``.
    - `asked`: Whether it reads the complete configuration, and so depends on every key of it.
    - `default`: Whether it is one of the default tables.
    - `beside`: Name of another exhibit. On the page, the charts of both exhibits share one place.
    """

    name: str
    question: Question
    title: str
    caption: str
    columns: tuple[Column, ...]
    build: Build
    layouts: tuple[Layout, ...] = ()
    figures: tuple[Figure, ...] = ()
    charged: bool = True
    complete: bool = False
    comparing: bool = False
    measured: bool = False
    asked: bool = False
    default: bool = False
    beside: str = ""

    @property
    def module(self) -> str:
        """The module that declares it: ``timefair.exhibits.runtimes``."""
        return self.build.__module__

    def __call__(self, runs: Runs, analysis: Analysis) -> pd.DataFrame:
        """The table; its attributes are its name, sentences for captions, such as ``omitted``,
        ``clock``, ``failed`` (suite, dimension and algorithm of all without an evaluation), `ORDER`
        and, if the campaign names functions, `GIVEN`."""
        analysis = analysis.suited(runs.optimum)
        runs = runs.with_targets_in_values(bool(analysis.target_values))
        taken = self._taken(runs, analysis)
        frame = self.build(taken, analysis)
        frame = marked(frame, replace(runs, clock=taken.clock), analysis.confidence)
        unknown_optimum.note(runs, analysis, frame)
        frame.attrs |= {"table": self.name, ORDER: in_order_of_looks(runs)}
        if analysis.function_names:
            frame.attrs[GIVEN] = analysis.function_names
        failed = of_runs.failed_algorithms(runs)
        omitted = [frame.attrs.get("refused", "")]
        if self.comparing:
            omitted += of_runs.failed_in_words(failed), of_runs.omitted_in_words(runs)
        of_noisy = "measured" if self.complete else analysis.noisy_value
        frame.attrs |= {
            "perturbed": self._perturbed(runs, analysis),
            "failed": [list(one) for one in failed],
            "omitted": " ".join(filter(None, omitted)),
            "machines": of_runs.mixture(runs),
            "clock": analysis.time if self.charged else "wall",
            "cost": of_runs.simulated_cost(runs.frame),
            "noise": "" if self.measured else said_of_noisy(runs.frame, of_noisy),
        }
        return frame

    def printed(self, frame: pd.DataFrame) -> tuple[Layout, ...]:
        """The layouts in LaTeX without further ones whose first value is empty everywhere; if the
        exhibit has none, one made from its columns."""
        first, more = self.layouts[:1], self.layouts[1:]
        full = (one for one in more if frame[one.values[0].column].notna().any())
        return (*first, *full) or (generic(frame, self.title),)

    def _taken(self, runs: Runs, analysis: Analysis) -> Runs:
        taken = of_runs.without_failed(runs) if self.comparing else runs
        taken = taken if self.complete else taken.wanted(analysis)
        taken = of_runs.with_partners(taken) if self.comparing else taken
        if not (self.measured or self.complete):
            taken = taken.with_values(analysis.noisy_value)
        if not self.charged:
            return taken
        taken = taken.timed_by(analysis.time)
        return taken.amortised(analysis) if analysis.ancillary == "amortised" else taken

    def _perturbed(self, runs: Runs, analysis: Analysis) -> str:
        """Number of perturbed runs, as a sentence for captions."""
        count, total = int(runs.perturbed.sum()), len(runs.frame)
        unknown = total - count - int((runs.frame["perturbation"] == Perturbation.CLEAN).sum())
        omitted = analysis.perturbed == "exclude" and not self.complete
        if unknown == total > 0:
            return f"Whether any of the {total} runs was perturbed is unknown."
        was, are = ("was", "is") if count == 1 else ("were", "are")
        text = f"{count} of {total} runs {was} perturbed"
        text += f" and {are} {'omitted' if omitted else 'included'}" if count else ""
        return text + (f"; for {unknown} this is unknown." if unknown else ".")


DECLARED: dict[str, Exhibit] = {}


def exhibit(
    *,
    layouts: Layout | Iterable[Layout] = (),
    figures: Figure | Iterable[Figure] = (),
    **facts: Any,
) -> Callable[[Callable[[Runs, Analysis], Made]], Build]:
    """Declare the exhibit whose table the decorated function makes, with the other attributes of
    `Exhibit`; a single layout or figure needs no list.

    Its name is that of the function, and the paragraphs of the docstring are its title, caption and
    columns (`columns_of`); there, ``{NAME}`` is replaced by a constant of its module.
    `Layout.declared` says what a layout takes from them. ValueError if another module declares an
    exhibit of the same name.
    """

    def declare(make: Callable[[Runs, Analysis], Made]) -> Build:
        text = _filled(str(inspect.getdoc(make)), vars(known_columns) | make.__globals__)
        title, caption, told = text.split("\n\n")
        label, caption, known = make.__name__, " ".join(caption.split()), columns_of(told)
        names, labels = column_names(known), [each.name for each in known if each.label]

        @wraps(make)
        def build(runs: Runs, analysis: Analysis) -> pd.DataFrame:
            made = make(runs, analysis)
            table, attributes = made if isinstance(made, tuple) else (made, {})
            if isinstance(table, list):
                table = with_labels(pd.DataFrame(table, columns=names), labels, like=names[0])
            if not isinstance(table, pd.DataFrame):
                table = stacked(table, names)
            frame = table[names] if len(table) else table.reindex(columns=names)
            frame.attrs |= attributes
            return frame

        declared = Exhibit(
            label,
            title=title,
            caption=caption,
            columns=known,
            build=build,
            layouts=tuple(
                one.declared(title, caption, known)
                for one in (layouts if isinstance(layouts, Iterable) else (layouts,))
            ),
            figures=tuple(
                replace(
                    one,
                    name=one.name or label,
                    title=one.title or title,
                    caption=" ".join(one.caption.split()),
                )
                for one in ((figures,) if isinstance(figures, Figure) else figures)
            ),
            **{"charged": not facts.get("complete", False)} | facts,
        )
        there = DECLARED.get(label)
        if there is not None and there.module != declared.module:
            raise ValueError(
                f"exhibit {label!r}: both {there.module} and {declared.module} have it"
            )
        DECLARED[label] = declared
        return build

    return declare


def _filled(text: str, constants: Mapping[str, object]) -> str:
    """A text at the margin, with its upper-case placeholders replaced by such texts."""
    return re.sub(
        r"\{([A-Z_]+)\}",
        lambda found: _filled(str(constants[found[1]]), constants),
        dedent(text).strip(),
    )
