"""Who imports, mentions and tests what is touched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitproject import write
from roundtable.survey.files import list_files
from roundtable.survey.relations import Relations, find_relations
from roundtable.survey.report import CodeLine, FoundFile


def importers(root: Path, files: Mapping[str, str], target: str) -> dict[str, int]:
    """The files that import the target, with the line that says so."""
    write(root, {target: "", **files})
    found = find_relations(root, list_files(root), (FoundFile(target, 1.0, 1, ()),)).users
    return {line.path: line.number for line in found}


def test_python_imports_in_every_spelling(tmp_path: Path) -> None:
    files = {
        "src/shop/a.py": "import os\nfrom .mail import send\n",
        "src/shop/b.py": "from . import mail\n",
        "src/shop/sub/c.py": "from ..mail import (\n    send,\n)\n",
        "src/shop/sub/d.py": "from .. import mail as post\n",
        "tests/e.py": "from shop.mail import send\n",
        "tests/f.py": "import shop.mail\n",
        "tests/g.py": "from shop import cart, mail\n",
        "src/shop/h.py": "mail = 1  # import nothing\n",
        "src/shop/i.py": "from .mailbox import send\n",
        "src/shop/__init__.py": "",
    }
    assert importers(tmp_path, files, "src/shop/mail.py") == {
        "src/shop/a.py": 2,
        "src/shop/b.py": 1,
        "src/shop/sub/c.py": 1,
        "src/shop/sub/d.py": 1,
        "tests/e.py": 1,
        "tests/f.py": 1,
        "tests/g.py": 1,
    }


def test_of_several_modules_with_one_name_the_nearest_is_meant(tmp_path: Path) -> None:
    files = {
        "shop/mail.py": "",
        "shop/a.py": "from .mail import send\n",
        "post/b.py": "from .mail import send\n",
    }
    assert importers(tmp_path, files, "post/mail.py") == {"post/b.py": 1}


def test_a_package_is_imported_by_its_folder(tmp_path: Path) -> None:
    files = {"src/shop/sub/a.py": "from shop import x\n", "b.py": "import shop\n"}
    assert importers(tmp_path, files, "src/shop/__init__.py") == {"src/shop/sub/a.py": 1, "b.py": 1}


def test_script_imports_in_every_spelling(tmp_path: Path) -> None:
    files = {
        "src/a.ts": "import { send } from './mail'\n",
        "src/b.js": "const mail = require('./mail.js')\n",
        "src/sub/c.tsx": 'import x from "../mail"\n',
        "src/d.ts": "export * from './mail'\n",
        "src/e.ts": "const m = await import('./mail')\n",
        "src/f.ts": "import {\n  send,\n} from './mail'\n",
        "src/g.ts": "const mail = 1\n",
    }
    assert importers(tmp_path, files, "src/mail.ts") == {
        "src/a.ts": 1, "src/b.js": 1, "src/d.ts": 1, "src/e.ts": 1, "src/f.ts": 3, "src/sub/c.tsx": 1
    }  # fmt: skip


@pytest.mark.parametrize(
    ("target", "path", "text", "found"),
    [
        ("doc/man.go", "cmd/a.go", 'import (\n\t"fmt"\n\t"example.org/shop/doc"\n)\n', True),
        ("doc/man.go", "cmd/a.go", 'import "example.org/shop/docs"\n', False),
        ("src/mail/send.rs", "src/a.rs", "use crate::mail::send;\n", True),
        ("src/mail/mod.rs", "src/main.rs", "mod mail;\n", True),
        ("app/shop/Mail.java", "app/shop/A.java", "import shop.Mail;\n", True),
        ("app/shop/Mail.java", "app/shop/A.java", "import shop.Mailbox;\n", False),
        ("src/mail.h", "src/a.c", '#include "mail.h"\n', True),
        ("src/mail.h", "src/a.c", "#include <stdio.h>\n", False),
        ("src/mail.ts", "src/a.py", "from .mail import x\n", False),
        ("README.md", "src/a.py", "import README\n", False),
    ],
)
def test_imports_of_other_languages(tmp_path: Path, target: str, path: str, text: str, found: bool) -> None:
    assert (path in importers(tmp_path, {path: text}, target)) is found


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write(
        tmp_path,
        {
            "pyproject.toml": (
                '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n\n[tool.x]\ny = "z"\n'
            ),
            "shop/__init__.py": "from .mail import Mailer\n",
            "shop/mail.py": "class Mailer:\n    toner = 1\n",
            "shop/cli.py": (
                "import click\nfrom . import mail\n\n\n"
                "@click.command()\n@click.option('--x')\ndef send():\n    pass\n"
            ),
            "shop/web.py": "from shop import Mailer\n\n\n@app.post('/mail')\ndef post():\n    Mailer()\n",
            "shop/other.py": "Mailers = 1\n",
            "shop/__main__.py": "from .cli import send\n\nsend()\n",
            "tests/test_mail.py": "import pytest\n\n\ndef test_it():\n    pass\n",
            "tests/test_web.py": "from shop.mail import Mailer\n",
        },
    )


def related(root: Path) -> Relations:
    touched = (FoundFile("shop/mail.py", 1.0, 1, (CodeLine("shop/mail.py", 2, "toner = 1"),)),)
    return find_relations(root, list_files(root), touched)


def test_importers_mentions_and_tests_are_lines_of_files(shop: Path) -> None:
    found = related(shop)
    assert {(line.path, line.number) for line in found.users} == {
        ("shop/__init__.py", 1),
        ("shop/cli.py", 2),
        ("shop/web.py", 1),
        ("tests/test_web.py", 1),
    }
    assert {(line.path, line.number, line.text) for line in found.tests} == {
        ("tests/test_mail.py", 1, "import pytest"),
        ("tests/test_web.py", 1, "from shop.mail import Mailer"),
    }


def test_nothing_touched_is_tied_to_nothing(shop: Path) -> None:
    assert find_relations(shop, list_files(shop), ()) == Relations((), ())
