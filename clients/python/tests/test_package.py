"""The package as a program gets it: the wheel in an empty environment, and the README's
programs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import support


def run(command: list[str], folder: Path, **more: str) -> str:
    """Runs a command without a network, and returns what it prints."""
    environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built from its files."""
    folder = tmp_path_factory.mktemp("dist")
    source = folder / "source"
    kept = shutil.ignore_patterns(".*", "__pycache__", "dist")
    shutil.copytree(support.PACKAGE, source, ignore=kept)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    run([*build, str(source)], folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A new environment in which the wheel was installed from its file."""
    folder = tmp_path_factory.mktemp("program")
    run([sys.executable, "-m", "venv", "venv"], folder)
    made = folder / "venv" / "bin" / "python"
    find = ["install", "--quiet", "--no-index", "--no-deps", "--find-links", str(wheel.parent)]
    run([str(made), "-m", "pip", *find, "keyfold"], folder)
    # boto3 and aioboto3 are those of the tests' environment: nothing is fetched.
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "venv" / "lib" / version / "site-packages"
    (packages / "of_tests.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return str(made)


def test_the_wheel_has_the_package_and_its_types(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "keyfold/py.typed" in names and "keyfold/lower/read/page.py" in names
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"keyfold", "keyfold-0.1.0.dist-info"}


def test_the_package_needs_no_asyncio_client(python: str, tmp_path: Path) -> None:
    """Only `keyfold.aio` in use needs aioboto3."""
    program = (
        "import sys, keyfold, keyfold.testing; print('aioboto3' in sys.modules, keyfold.__file__)"
    )
    said = run([python, "-c", program], tmp_path).split()
    assert said[0] == "False" and "site-packages" in said[1]


def test_classes_that_are_checked_say_that_they_need_pydantic(python: str, tmp_path: Path) -> None:
    program = """
import sys
sys.modules['pydantic'] = None
try:
    import keyfold.typed.strict
except ModuleNotFoundError as error:
    print(error.name, error)
"""
    said = run([python, "-c", program], tmp_path).strip()
    assert said.startswith("pydantic ") and said.endswith(
        ": the generated classes check their values; `pip install keyfold[pydantic]`"
    )
    program = "from keyfold.typed.strict import ConfigDict, dataclass; import keyfold.typed"
    run([python, "-c", program], tmp_path)


def test_the_wheel_has_its_extras(wheel: Path) -> None:
    metadata = zipfile.ZipFile(wheel).read("keyfold-0.1.0.dist-info/METADATA").decode()
    for extra, package in (("async", "aioboto3"), ("pydantic", "pydantic")):
        assert f"Provides-Extra: {extra}\n" in metadata
        needs = rf"Requires-Dist: {package}>=\d+; extra == '{extra}'"
        assert re.search(needs, metadata), metadata


def test_the_programs_of_the_readme_run(python: str, tmp_path: Path) -> None:
    text = (support.PACKAGE / "README.md").read_text(encoding="utf-8")
    shutil.copy(support.ROOT / "models" / "shop.keyfold", tmp_path)
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "keyfold").symlink_to(support.KEYFOLD)
    path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
    blocks = re.findall(r"```(sh|python)\n(.*?)```", text.partition("## Quick start")[2], re.DOTALL)
    assert [language for language, _ in blocks] == ["sh", "python", "python", "python"]
    said: list[str] = []
    for language, block in blocks:
        command = ["sh", "-ec", block] if language == "sh" else [python, "-c", block]
        said.append(run(command, tmp_path, PATH=path))
    quick, asynchronous = said[1].splitlines(), said[2].splitlines()
    assert quick[0] == "email `ada@example.com` is taken: another User has it"
    assert quick[1].startswith("OrderItem {'orderId': '7', 'itemId': '1'")
    assert quick[2].startswith("Order {'orderId': '7'") and "'status': 'paid'" in quick[2]
    assert quick[3] == "['paid'] None"
    assert asynchronous == ["7 42.5"]


@pytest.mark.parametrize(
    "checker",
    [["mypy"], ["pyright"], ["ruff", "check"], ["ruff", "format", "--check"]],
    ids=" ".join,
)
def test_types_and_style(checker: list[str]) -> None:
    """`pyproject.toml` says how strict: mypy over sources and tests, pyright over sources."""
    pythonpath = os.pathsep.join([str(support.PACKAGE / "src"), str(support.PACKAGE / "tests")])
    # pyright looks for packages where `python` of the PATH has them.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run([sys.executable, "-m", *checker], support.PACKAGE, MYPYPATH=pythonpath, PATH=path)
