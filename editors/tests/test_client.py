"""The language server with a client that checks every message against the protocol's types."""

import json
import os
import subprocess

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

BIN = os.environ["KEYFOLD_BIN"]

SHOP = """\
model shop 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)

entity User
  userId: string, email: string
  key     "USER#{userId}"  "PROFILE"
  GSI1    "EMAIL#{email}"  "PROFILE"
  unique  email

pattern user(userId)          -> User?
pattern user_by_email(email)  -> User?
"""


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[BIN, "lsp"]))
async def client(lsp_client: LanguageClient):
    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf8])
    capabilities = types.ClientCapabilities(general=general)
    params = types.InitializeParams(capabilities=capabilities)
    result = await lsp_client.initialize_session(params)
    assert result.capabilities.position_encoding == "utf-8"
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, path, text: str) -> str:
    path.write_text(text)
    uri = path.as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="keyfold", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return uri


async def published(client: LanguageClient, uri: str):
    await client.wait_for_notification("textDocument/publishDiagnostics")
    return list(client.diagnostics.get(uri, []))


def checked(path):
    """What `keyfold check` finds in a file."""
    done = subprocess.run([BIN, "check", "--json", str(path)], capture_output=True, check=False)
    document = json.loads(done.stdout)
    result = document.get("result") or document["error"]
    return result["diagnostics"]


def at(text: str, piece: str, uri: str) -> dict:
    """The parameters of a request at the `^` of a piece."""
    before, behind = piece.split("^")
    place = text.index(before + behind) + len(before)
    line = text.count("\n", 0, place)
    column = len(text[text.rfind("\n", 0, place) + 1 : place].encode())
    return {
        "text_document": types.TextDocumentIdentifier(uri=uri),
        "position": types.Position(line=line, character=column),
    }


async def test_findings_are_those_of_check(client: LanguageClient, tmp_path):
    path = tmp_path / "shop.keyfold"
    wrong = SHOP.replace("user(userId)", "user(userID)").replace("{email}", "{mail}")
    uri = opened(client, path, wrong)
    shown = await published(client, uri)
    found = checked(path)
    assert len(shown) == len(found) >= 2
    for one, own in zip(shown, found):
        assert one.code == own["code"]
        assert one.message.startswith(own["message"])
        assert one.range.start.line + 1 == own["line"]
        assert one.range.start.character + 1 == own["column"]
        assert len(one.related_information or []) == len(own["labels"]) - 1


async def test_a_quick_fix_mends_its_finding(client: LanguageClient, tmp_path):
    path = tmp_path / "shop.keyfold"
    wrong = SHOP.replace("{email}", "{emial}")
    uri = opened(client, path, wrong)
    shown = await published(client, uri)
    params = types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(uri=uri),
        range=shown[0].range,
        context=types.CodeActionContext(diagnostics=shown),
    )
    actions = await client.text_document_code_action_async(params)
    edit = next(action for action in actions if action.is_preferred).edit.changes[uri][0]
    change = types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)
    version = types.VersionedTextDocumentIdentifier(uri=uri, version=2)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=version, content_changes=[change])
    )
    assert await published(client, uri) == []


async def test_everything_else_has_an_answer(client: LanguageClient, tmp_path):
    uri = opened(client, tmp_path / "shop.keyfold", SHOP)
    assert await published(client, uri) == []
    hover = await client.text_document_hover_async(
        types.HoverParams(**at(SHOP, "user_by^_email", uri))
    )
    assert "**Query** of `Shop.GSI1`" in hover.contents.value
    found = await client.text_document_definition_async(
        types.DefinitionParams(**at(SHOP, '"EMAIL#{em^ail}', uri))
    )
    assert found[0].range.start.line == 5
    context = types.ReferenceContext(include_declaration=True)
    found = await client.text_document_references_async(
        types.ReferenceParams(context=context, **at(SHOP, '"EMAIL#{em^ail}', uri))
    )
    assert [one.range.start.line for one in found] == [5, 7, 8, 11]
    edit = await client.text_document_rename_async(
        types.RenameParams(new_name="address", **at(SHOP, '"EMAIL#{em^ail}', uri))
    )
    assert len(edit.changes[uri]) == 4
    offered = await client.text_document_completion_async(
        types.CompletionParams(**at(SHOP, "-> Us^er?\npattern user_by", uri))
    )
    assert "User" in [item.label for item in offered.items]
    document = types.TextDocumentIdentifier(uri=uri)
    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=document)
    )
    assert [one.name for one in symbols] == ["Shop", "User", "user", "user_by_email"]
    whole = types.Range(start=types.Position(0, 0), end=types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(
        types.InlayHintParams(text_document=document, range=whole)
    )
    assert [one.label for one in hints] == [
        "GetItem of Shop, 0.5 units",
        "Query of Shop.GSI1, 0.5 units",
    ]
    lenses = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document)
    )
    assert [one.command.title for one in lenses] == ["prove", "run", "run"]
    tokens = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(text_document=document)
    )
    assert len(tokens.data) > 100
    options = types.FormattingOptions(tab_size=2, insert_spaces=True)
    edits = await client.text_document_formatting_async(
        types.DocumentFormattingParams(text_document=document, options=options)
    )
    assert list(edits) == []


async def test_a_file_of_a_project_has_the_findings_of_its_model(client: LanguageClient, tmp_path):
    (tmp_path / "keyfold.toml").write_text('model = "shop.keyfold"\n')
    first = 'model shop 1\nowner platform\nuse "orders.keyfold"\nshared table Shop (PK, SK)\n'
    (tmp_path / "shop.keyfold").write_text(first)
    orders = 'owner orders\nentity Order\n  id: string\n  key "ORDER#{ids}" "META"\n'
    uri = opened(client, tmp_path / "orders.keyfold", orders)
    shown = await published(client, uri)
    found = checked(tmp_path / "shop.keyfold")
    assert [one.code for one in shown] == [one["code"] for one in found]
    assert shown[0].range.start.line == 3


def test_a_server_that_the_editor_leaves_ends():
    done = subprocess.run([BIN, "lsp"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)
    assert done.returncode == 1
    assert b"the editor left" in done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize("program", ["nvim", "emacs"])
def test_an_editor_shows_findings_and_repairs(program: str, tmp_path):
    """Neovim and Emacs, as docs/editors.md configures them, without a screen."""
    folder = os.path.dirname(__file__)
    (tmp_path / "shop.keyfold").write_text(SHOP.replace("{email}", "{emial}"))
    commands = {
        "nvim": ["nvim", "--headless", "-u", "NONE", "-S", f"{folder}/neovim.lua"],
        "emacs": ["emacs", "--batch", "-l", f"{folder}/emacs.el"],
    }
    done = subprocess.run(
        commands[program],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "as it should be" in said, said
    assert "{email}" in (tmp_path / "shop.keyfold").read_text()
