"""`eval`: how good the offline panel is, measured on real items with scripted users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...core.errors import DiskFailed, RuleBroken
from .flags import Command, Flags
from .output import command, one_line, put_json, put_text, table, tell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ...evaluation.discussion import Trial
    from ...evaluation.figure import Figure

_SETS = ("write", "check", "fresh")
_TABLE = "sample.md"
_LONGEST_MISS = 240


@click.command("eval", cls=Command)
@click.option("--set", "chosen", type=click.Choice(_SETS), help="Which items; default: fresh, else check.")
@click.option("--items", metavar="DIR", help="Items of a folder of your own in place of a set.")
@click.option("--seed", type=int, default=1, show_default=True, help="What --sample draws by.")
@click.option("--transcripts", metavar="DIR", help="Write the discussions there, for a reader.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Draw N contributions for a reader.")
@click.option(
    "--table", "table_file", metavar="FILE", default=_TABLE, show_default=True,
    help="Where --sample writes them, with columns for verdicts.",
)  # fmt: skip
@click.option("--verdicts", metavar="FILE", help="Read a filled table and show its shares; plays nothing.")
@click.option("--misses", type=click.IntRange(min=1), metavar="N", help="Show up to N misses of each figure.")
@click.option("--quick", is_flag=True, help="Leave out what is timed in processes of its own.")
@click.option("--strict", is_flag=True, help="Exit with 1 where a figure is not reached.")
@click.pass_obj
def evaluate(
    flags: Flags,
    chosen: str | None,
    items: str | None,
    seed: int,
    transcripts: str | None,
    sample: int | None,
    table_file: str,
    verdicts: str | None,
    misses: int | None,
    quick: bool,
    strict: bool,
) -> int:
    """Measure the offline panel on real items.

    Scripted users ask, object, wander off, decide and stay silent; the figures say what became of it.
    """
    from pathlib import Path

    if verdicts is not None:
        from ...evaluation.verdicts import read_verdicts

        return _reported(flags, {"verdicts": verdicts}, read_verdicts(Path(verdicts)), misses, strict)

    from ...evaluation.report import figures

    if sample is not None:
        _must_be_new(Path(table_file))
    root = flags.settings().root
    name, trials = _played(chosen, items, root)
    if transcripts is not None:
        _write_transcripts(trials, Path(transcripts))
    if sample is not None:
        _write_sample(trials, sample, seed, Path(table_file))
    spoken = sum(len(each.contributions) for trial in trials for each in trial.discussions)
    head: dict[str, object] = {"set": name, "items": len(trials), "contributions": spoken}
    found = tuple(figures(trials, _others(name, root), timed=not quick))
    return _reported(flags, head, found, misses, strict)


def _played(chosen: str | None, items: str | None, root: Path) -> tuple[str, tuple[Trial, ...]]:
    """The name of the set, and its discussions."""
    from pathlib import Path

    from ...evaluation.discussion import play_all
    from ...evaluation.scripts import read_scripts, set_folder
    from ...panel.offline import OfflinePanel

    if items is not None:
        return items, play_all(read_scripts(Path(items)), OfflinePanel(root))
    name = chosen or ("fresh" if set_folder("fresh").is_dir() else "check")
    return name, play_all(read_scripts(set_folder(name)), OfflinePanel(root))


def _others(name: str, root: Path) -> tuple[Trial, ...]:
    """The discussions of all the other sets."""
    from ...evaluation.discussion import play_all
    from ...evaluation.scripts import read_scripts, set_folder
    from ...panel.offline import OfflinePanel

    folders = [set_folder(each) for each in _SETS if each != name]
    scripts = [script for folder in folders if folder.is_dir() for script in read_scripts(folder)]
    return play_all(scripts, OfflinePanel(root))


def _reported(
    flags: Flags, head: dict[str, object], found: Sequence[Figure], misses: int | None, strict: bool
) -> int:
    """Show the figures; the exit status is 1 where it has to tell that one is not reached."""
    short = [figure for figure in found if figure.holds is False]
    if flags.json:
        put_json({**head, "figures": [_record(figure) for figure in found]}, indent=2)
    else:
        put_text(", ".join(f"{name}: {value}" for name, value in head.items()))
        put_text(table(("figure", "found", "wanted", "", "counted"), [_row(figure) for figure in found]))
        if misses is not None:
            put_text("\n".join(_misses(found, misses)))
        bounded = sum(figure.holds is not None for figure in found)
        put_text(f"{bounded - len(short)} of {bounded} figures hold.")
    return 1 if strict and short else 0


def _row(figure: Figure) -> tuple[str, ...]:
    verdict = {True: "holds", False: "FALLS SHORT", None: ""}[figure.holds]
    return figure.name, figure.shown, figure.wanted, verdict, figure.counted


def _record(figure: Figure) -> dict[str, object]:
    return {
        "name": figure.name,
        "value": figure.value,
        "unit": figure.unit,
        "wanted": figure.wanted,
        "holds": figure.holds,
        "counted": figure.counted,
        "misses": list(figure.misses),
    }


def _misses(found: Sequence[Figure], most: int) -> list[str]:
    lines = []
    for figure in found:
        if figure.misses:
            lines.append(f"\n{figure.name} ({len(figure.misses)} missed)")
            lines += [f"  - {one_line(words, _LONGEST_MISS)}" for words in figure.misses[:most]]
    return lines or ["Nothing was missed."]


# --- for a reader ---------------------------------------------------------------------------------------


def _must_be_new(path: Path) -> None:
    if path.exists():
        raise RuleBroken(
            f"{path} is there already and may hold a reader's verdicts. Nothing was written. "
            "Name another file with --table."
        )


def _write_transcripts(trials: tuple[Trial, ...], folder: Path) -> None:
    from ...evaluation.transcripts import write_transcripts

    try:
        written = write_transcripts(trials, folder)
    except OSError as error:
        raise _not_written(folder, error) from error
    tell(f"Wrote {len(written)} transcripts to {folder}.")


def _write_sample(trials: tuple[Trial, ...], number: int, seed: int, path: Path) -> None:
    from ...evaluation.verdicts import draw
    from ...evaluation.verdicts import table as reading_table

    drawn = draw(trials, number, seed)
    try:
        path.write_text(reading_table(drawn), encoding="utf-8")
    except OSError as error:
        raise _not_written(path, error) from error
    then = command("eval", "--verdicts", str(path))
    tell(f"Wrote {len(drawn)} contributions to {path}. Fill in yes or no, then: {then}")


def _not_written(path: Path, error: OSError) -> DiskFailed:
    return DiskFailed(
        f"Could not write to {path}: {error.strerror or error}.", do="Name another place. Run it again."
    )
