"""`personas`, `steps`, `models` and `doctor`: what there is to work with, and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from ...core.errors import DiskFailed, RuleBroken
from ...detection import FoundModel, ask_model, find_models, list_speakers, read_model
from ...diagnosis import diagnose
from ...panel.base import OFFLINE
from ...settings import Settings, load_settings, remember_panel, user_file
from .conversation import Answers, ask_once
from .options import MODEL_OPTIONS, Command, Flags, Group
from .output import count, pairs, put_text, table, tell

if TYPE_CHECKING:
    from ...catalogue.files import Problem

_PERSONA_FIELDS = ("key", "name", "role", "short_role", "phases", "perspective", "lens")
_STEP_FIELDS = ("step_id", "title", "phase", "persona", "depth", "outputs", "depends_on", "skip_if")
_ASK_FAILED = 3
_MOST_OFFERED = 9
_OFFER = """The three colleagues can speak with a language model that you have already. Found here:

{found}

Enter stays offline, which is free: the built-in panel asks, and nothing leaves this machine.
Nothing was sent anywhere yet. You are asked this once; later: roundtable models"""


@click.group(cls=Group)
def personas() -> None:
    """List or check the personas.

    A project's own personas are files in .roundtable/personas.
    """


@click.group(cls=Group)
def steps() -> None:
    """List or check the steps of an analysis.

    A project's own steps are files in .roundtable/steps/PHASE.
    """


@personas.command("list")
@click.pass_obj
def list_personas(flags: Flags) -> None:
    """List the personas in their order."""
    found = flags.open_project().roster().personas
    rows = [(each.key, each.name, each.role, ", ".join(each.phases) or "-") for each in found]
    flags.show_result(
        [{field: getattr(each, field) for field in _PERSONA_FIELDS} for each in found],
        table(("key", "name", "role", "leads"), rows),
    )


@personas.command("check")
@click.pass_obj
def check_personas(flags: Flags) -> int:
    """Check the files of personas and prompts; the exit status is 2 if one has a problem."""
    return _report(flags, "persona", *flags.open_project().check_personas())


@steps.command("list")
@click.pass_obj
def list_steps(flags: Flags) -> None:
    """List the steps in the order in which they run."""
    found = flags.open_project().steps()
    rows = [(each.step_id, each.title, each.persona, each.depth, ", ".join(each.outputs)) for each in found]
    data = [
        {field: getattr(each, field) for field in _STEP_FIELDS}
        | {"phase": each.phase.key if each.phase else None}
        for each in found
    ]
    flags.show_result(data, table(("step", "title", "persona", "depth", "writes"), rows))


@steps.command("check")
@click.pass_obj
def check_steps(flags: Flags) -> int:
    """Check the steps' files; the exit status is 2 if one has a problem."""
    return _report(flags, "step", *flags.open_project().check_steps())


def _report(flags: Flags, noun: str, number: int, problems: Sequence[Problem]) -> int:
    """Report what was read and its problems, and return the exit status."""
    total = f"{count(number, noun)} read, {count(len(problems), 'problem') if problems else 'no problems'}."
    text = "\n".join([*(problem.text for problem in problems), total])
    flags.show_result({f"{noun}s": number, "problems": problems}, text)
    return 2 if problems else 0


@click.command(cls=Command, uses=("json", *MODEL_OPTIONS))
@click.pass_obj
def doctor(flags: Flags) -> int:
    """Check settings, models, extras and project files.

    This sends nothing that costs money. The exit status is 2 if something needs repair.
    """
    settings, warnings = load_settings(flags.root, flags.panel, model=flags.model, base_url=flags.base_url)
    found = list(diagnose(settings, warnings))
    sound = all(each.sound for each in found)
    rows = [(each.name, each.found if each.sound else f"{each.found} <- needs repair") for each in found]
    flags.show_result({"sound": sound, "findings": found}, pairs(rows))
    return 0 if sound else 2


def offer_models(settings: Settings, answers: Answers) -> Settings:
    """Ask the user once which of the models found here speaks, and remember it; return what counts now.

    Nobody is asked if nothing is found, or if the answer could not be kept anywhere.
    """
    found = find_models(settings.root) if user_file(os.environ) is not None else ()
    if not found:
        return settings
    names = {each.name: each for each in found}
    offered = {str(number): each for number, each in enumerate(found[:_MOST_OFFERED], start=1)}
    rows = [_describe(model, number) for number, model in offered.items()]
    text = _OFFER.format(found="\n\n".join(rows))
    put_text(click.wrap_text(text, get_terminal_size().columns, preserve_paragraphs=True))
    while (words := ask_once(answers, "Number, or Enter: ")) is not None:
        chosen = offered.get(words.strip()) or names.get(words.strip())
        if words.strip() in ("", OFFLINE):
            _remember(OFFLINE)
            return replace(settings, is_panel_chosen=True)
        if chosen is None:
            put_text("That is not in the list. Type a number from it, or press Enter to stay offline.")
        elif chosen.lacks:
            put_text(f"{chosen.name} {chosen.lacks}. Choose another, or press Enter to stay offline.")
        else:
            _remember("model", chosen)
            speaker = {"panel": "model", "models": (chosen.model,), "base_url": chosen.base_url}
            return replace(settings, **speaker, is_panel_chosen=True)
    return settings


def _remember(panel: str, model: FoundModel | None = None) -> None:
    try:
        own = remember_panel(panel, *((model.model, model.base_url) if model else ()))
    except (RuleBroken, DiskFailed) as failure:
        tell(f"{failure} Your choice is used this once.")
    else:
        put_text(f"{model.name if model else OFFLINE}: kept in {own}.\n")


def _describe(model: FoundModel, mark: str) -> str:
    lacks = f" It {model.lacks}." if model.lacks else ""
    return f"{mark:>2}  {model.name}: {model.how}. {_warn(model)}{lacks}"


def _warn(model: FoundModel) -> str:
    return f"It {model.cost}. {model.leaves[0].upper()}{model.leaves[1:]}."


@click.group(cls=Group)
def models() -> None:
    """List, test and choose the language models on this machine.

    Without a command it lists them. Listing starts no program and sends nothing out of this machine.
    """


@models.command("list")
@click.pass_obj
def list_models(flags: Flags) -> None:
    """List the models: how each was found, what it costs, and what leaves the machine."""
    settings = flags.settings()
    found = find_models(settings.root)
    speakers = list_speakers(settings, found)
    names = [model.name for model in speakers] or [OFFLINE] * (settings.panel == OFFLINE)
    shown = [*found, *(model for model in speakers if model not in found)]
    mark = "*" if OFFLINE in names else ""
    lines = [f"{mark:>2}  {OFFLINE}: built in. It is free; nothing leaves this machine."]
    lines += [_describe(model, "*" if model.name in names else "") for model in shown]
    if not found:
        lines.append("\nNo assistant, no local model server and no key was found.")
    lines.append("\n* speaks. Choose with: roundtable models use NAME")
    flags.show_result({"speaks": names, "found": shown}, "\n".join(lines))


@models.command("use", uses=("json", "base_url"))
@click.argument("name")
@click.pass_obj
def use_model(flags: Flags, name: str) -> None:
    """Let NAME speak from now on; `offline` turns models off.

    The choice is saved in your own settings file. NAME is one of the list, or anthropic:NAME, openai:NAME,
    google:NAME, ollama:NAME, command:PROGRAM, or a name with --base-url.
    """
    settings = flags.settings()
    if name.strip() == OFFLINE:
        own, told = remember_panel(OFFLINE), "offline speaks from now on. Nothing leaves this machine."
    else:
        model = read_model(name, flags.base_url or "", find_models(settings.root))
        if model.lacks:
            tell(f"{model.name} {model.lacks}.")
        own = remember_panel("model", model.model, model.base_url)
        told = f"{model.name} speaks from now on. {_warn(model)}"
    variables = ("ROUNDTABLE_PANEL", "ROUNDTABLE_MODEL", "ROUNDTABLE_BASE_URL")
    if stronger := [key for key in variables if os.environ.get(key)]:
        tell(f"{' and '.join(stronger)} in your environment overrides the file.")
    flags.show_result({"speaks": name.strip(), "file": str(own)}, f"{told} Kept in {own}.")


@models.command("test", uses=("json", "base_url"))
@click.argument("name", required=False)
@click.option("--yes", is_flag=True, help="Ask the model without asking you first.")
@click.pass_obj
def test_model(flags: Flags, name: str | None, yes: bool) -> int:
    """Ask NAME, or the model that speaks, one short question.

    It says what it will do and asks first; in a pipe it needs --yes. Nothing from your project is sent.
    """
    settings = flags.settings()
    found = find_models(settings.root)
    chosen = [read_model(name, flags.base_url or "", found)] if name else list_speakers(settings, found)
    if not chosen:
        raise RuleBroken("No model is chosen, so none can be tested. Name one: roundtable models test NAME")
    what = " ".join(f"{model.name} is asked one short question. It {model.cost}." for model in chosen)
    flags.require_yes(yes, f"{what} Nothing from your project is sent.", "Nothing was sent.")
    results = [(model.name, *ask_model(model)) for model in chosen]
    flags.show_result(
        [{"name": name, "answer": answer, "sound": sound} for name, answer, sound in results],
        "\n".join(f"{name} {answer}" if sound else answer for name, answer, sound in results),
    )
    return 0 if all(sound for _, _, sound in results) else _ASK_FAILED
