//! An editor's session with the language server: a text and random edits. No edit makes it panic, the
//! server's text is that of the editor, and its findings are those of the compiler.

use keyfold_lsp::{InMemory, Server};
use keyfold_model::compile;
use lsp_server::{Message, Notification, Request};
use serde_json::{Value as Json, json};

/// The name of the document.
const URI: &str = "file:///m.keyfold";
/// Most edits of an input.
const EDITS_MAX: usize = 20;
/// What is asked of each place.
const QUESTIONS: [&str; 7] = [
    "hover",
    "completion",
    "definition",
    "documentHighlight",
    "prepareRename",
    "references",
    "rename",
];
/// What is asked of a document, or of a range of it.
const OF_DOCUMENT: [&str; 8] = [
    "documentSymbol",
    "foldingRange",
    "codeLens",
    "formatting",
    "semanticTokens/full",
    "codeAction",
    "inlayHint",
    "rangeFormatting",
];

/// A text; then edits, each behind a byte 1: four characters that say where it starts and ends, by
/// line and column, and the new text.
pub(crate) fn editor(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else {
        return;
    };
    let mut pieces = input.split('\u{1}');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    let mut server = Server::new(Box::new(InMemory::default()));
    ask(&mut server, "initialize", json!({ "capabilities": {} }));
    let document = json!({ "uri": URI, "languageId": "keyfold", "version": 0, "text": text });
    say(&mut server, "didOpen", json!({ "textDocument": document }));
    check(&mut server, &text);
    for (version, edit) in (1..).zip(pieces.take(EDITS_MAX)) {
        let mut characters = edit.chars();
        let mut number = || characters.next().map_or(0, |c| u32::from(c) % 64);
        let (start, end) = ((number(), number()), (number(), number()));
        let new = characters.as_str();
        let position =
            |(line, character): (u32, u32)| json!({ "line": line, "character": character });
        let change = json!({
            "range": { "start": position(start), "end": position(end) },
            "text": new,
        });
        say(
            &mut server,
            "didChange",
            json!({
                "textDocument": { "uri": URI, "version": version },
                "contentChanges": [change],
            }),
        );
        let (from, to) = (offset(&text, start), offset(&text, end));
        text.replace_range(from.min(to)..from.max(to), new);
        check(&mut server, &text);
        questions(&mut server, position(start), position(end));
    }
}

/// The byte of a position in UTF-16 units, found a character at a time.
fn offset(text: &str, (line, character): (u32, u32)) -> usize {
    let (mut lines, mut units) = (0, 0);
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let ends = c == '\n' || (c == '\r' && characters.peek().map(|next| next.1) != Some('\n'));
        let is_end = ends || c == '\r';
        if lines == line && (is_end || units + c.len_utf16() > character as usize) {
            return at;
        }
        if ends {
            lines += 1;
            units = 0;
        } else if lines == line {
            units += c.len_utf16();
        }
    }
    text.len()
}

/// The server has the text, and publishes what the compiler finds in it.
fn check(server: &mut Server, text: &str) {
    assert_eq!(server.text(URI), Some(text), "the text of the editor");
    let published = server.settle().pop();
    let Some(Message::Notification(published)) = published else {
        panic!("a version gets its findings: {published:?}");
    };
    let shown = published.params["diagnostics"].as_array().cloned();
    let shown: Vec<(Json, String, Json)> = shown
        .unwrap_or_default()
        .into_iter()
        .filter(|one| one["severity"] != 3)
        .map(|one| {
            let message = one["message"].as_str().unwrap_or_default();
            let first = message.lines().next().unwrap_or_default().to_owned();
            (one["code"].clone(), first, one["range"]["start"].clone())
        })
        .collect();
    let found = compile(text).diagnostics;
    assert_eq!(
        shown.len(),
        found.len(),
        "as many findings as the compiler has"
    );
    for ((code, message, start), one) in shown.iter().zip(&found) {
        assert_eq!(*code, one.code);
        let first = one.message.lines().next().unwrap_or_default();
        assert_eq!(message, first);
        let number = |name: &str| start[name].as_u64().unwrap_or_default() as u32;
        let at = offset(text, (number("line"), number("character")));
        assert_eq!(at, one.place(), "the place of {}", one.message);
    }
}

/// Everything that can be asked has an answer.
fn questions(server: &mut Server, start: Json, end: Json) {
    for at in [&start, &end] {
        for question in QUESTIONS {
            let params = json!({
                "textDocument": { "uri": URI },
                "position": at,
                "context": { "includeDeclaration": true },
                "newName": "renamed",
            });
            ask(server, question, params);
        }
    }
    for question in OF_DOCUMENT {
        let params = json!({
            "textDocument": { "uri": URI },
            "range": { "start": start, "end": end },
            "context": { "diagnostics": [] },
            "options": { "tabSize": 2, "insertSpaces": true },
        });
        ask(server, question, params);
    }
}

fn say(server: &mut Server, method: &str, params: Json) {
    let message = Notification::new(format!("textDocument/{method}"), params);
    server.handle(message.into());
}

/// Sends a request. The only refusal is that of a name.
fn ask(server: &mut Server, method: &str, params: Json) {
    let method = match method {
        "initialize" => method.to_owned(),
        other => format!("textDocument/{other}"),
    };
    let request = Request::new(1.into(), method.clone(), params);
    for answer in server.handle(request.into()) {
        if let Message::Response(response) = answer
            && let Err(error) = response.response_result
        {
            assert!(method.ends_with("rename"), "{method}: {}", error.message);
        }
    }
}
