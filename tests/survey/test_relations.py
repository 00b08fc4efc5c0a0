"""Who imports, mentions and tests what is touched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gitproject import write
from roundtable.survey.files import list_files
from roundtable.survey.relations import find_users, have_tests
from roundtable.survey.report import CodeLine, FoundFile


def importers(root: Path, files: Mapping[str, str], target: str) -> frozenset[str]:
    """The files that import the target."""
    write(root, {target: "", **files})
    return find_users(root, list_files(root), (FoundFile(target, 1.0, 1, ()),))


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
        "src/shop/a.py",
        "src/shop/b.py",
        "src/shop/sub/c.py",
        "src/shop/sub/d.py",
        "tests/e.py",
        "tests/f.py",
        "tests/g.py",
    }


def test_of_several_modules_with_one_name_the_nearest_is_meant(tmp_path: Path) -> None:
    files = {
        "shop/mail.py": "",
        "shop/a.py": "from .mail import send\n",
        "post/b.py": "from .mail import send\n",
    }
    assert importers(tmp_path, files, "post/mail.py") == {"post/b.py"}


def test_a_package_is_imported_by_its_folder(tmp_path: Path) -> None:
    files = {"src/shop/sub/a.py": "from shop import x\n", "b.py": "import shop\n"}
    assert importers(tmp_path, files, "src/shop/__init__.py") == {"src/shop/sub/a.py", "b.py"}


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
        "src/a.ts", "src/b.js", "src/d.ts", "src/e.ts", "src/f.ts", "src/sub/c.tsx"
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


def test_importers_and_mentions_are_users_and_tests_are_told_by_name_or_use(shop: Path) -> None:
    touched = (FoundFile("shop/mail.py", 1.0, 1, (CodeLine("shop/mail.py", 2, "toner = 1"),)),)
    paths = list_files(shop)
    users = find_users(shop, paths, touched)
    assert users == {"shop/__init__.py", "shop/cli.py", "shop/web.py", "tests/test_web.py"}
    assert have_tests(paths, touched, users)
    assert have_tests(["tests/test_mail.py"], touched, ())
    assert have_tests(["tests/test_web.py"], touched, users)
    assert not have_tests(["tests/test_web.py", "shop/mail.py"], touched, ())


def test_nothing_touched_is_tied_to_nothing(shop: Path) -> None:
    assert find_users(shop, list_files(shop), ()) == frozenset()
