//! An editor that speaks with the server: documents, changes, requests, and the findings that it
//! shows.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, and no test needs all of it"
)]

use keyfold_lsp::{InMemory, Server};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

pub(crate) mod edits;

/// The folder of all documents.
pub(crate) const FOLDER: &str = "/models/";

/// An editor with a server.
pub(crate) struct Editor {
    pub(crate) server: Server,
    /// The findings of each file that it shows.
    pub(crate) shown: BTreeMap<String, Json>,
    versions: BTreeMap<String, i32>,
    /// What it can.
    pub(crate) capabilities: Json,
    next: i32,
}

impl Editor {
    /// An editor whose folder has these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Editor {
        Editor::with(files, json!({}))
    }

    /// An editor that can this.
    pub(crate) fn with(files: &[(&str, &str)], capabilities: Json) -> Editor {
        let mut stored = InMemory::default();
        for (name, text) in files {
            stored
                .files
                .insert(format!("{FOLDER}{name}"), (*text).to_owned());
        }
        Editor::on(stored, capabilities)
    }

    /// An editor on these files.
    pub(crate) fn on(stored: InMemory, capabilities: Json) -> Editor {
        let mut editor = Editor {
            server: Server::new(Box::new(stored)),
            shown: BTreeMap::new(),
            versions: BTreeMap::new(),
            capabilities: capabilities.clone(),
            next: 0,
        };
        editor.ask("initialize", json!({ "capabilities": capabilities }));
        editor.say("initialized", json!({}));
        editor
    }

    /// An editor with one document.
    pub(crate) fn of(text: &str) -> Editor {
        let mut editor = Editor::new(&[]);
        editor.open("m.keyfold", text);
        editor
    }

    /// Sends a notification.
    pub(crate) fn say(&mut self, method: &str, params: Json) {
        let message = Notification::new(method.to_owned(), params);
        self.server.handle(message.into());
    }

    /// Sends a request. An error is a result with its `message`.
    pub(crate) fn try_ask(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.next += 1;
        let request = Request::new(self.next.into(), method.to_owned(), params);
        let mut answers = self.server.handle(request.into());
        assert_eq!(answers.len(), 1, "{answers:?}");
        match answers.remove(0) {
            Message::Response(response) => response.response_result.map_err(|error| error.message),
            other @ (Message::Request(_) | Message::Notification(_)) => panic!("{other:?}"),
        }
    }

    /// Sends a request that is answered.
    pub(crate) fn ask(&mut self, method: &str, params: Json) -> Json {
        self.try_ask(method, params).unwrap()
    }

    /// Opens a document.
    pub(crate) fn open(&mut self, name: &str, text: &str) {
        self.versions.insert(name.to_owned(), 1);
        let params = json!({ "textDocument": {
            "uri": uri(name), "languageId": "keyfold", "version": 1, "text": text,
        }});
        self.say("textDocument/didOpen", params);
    }

    /// Changes a document.
    pub(crate) fn change(&mut self, name: &str, changes: Json) {
        let version = self.versions.get_mut(name).unwrap();
        *version += 1;
        let params = json!({
            "textDocument": { "uri": uri(name), "version": *version },
            "contentChanges": changes,
        });
        self.say("textDocument/didChange", params);
    }

    /// Replaces the text of a document.
    pub(crate) fn replace(&mut self, name: &str, text: &str) {
        self.change(name, json!([{ "text": text }]));
    }

    /// The findings of a file once the editor pauses.
    pub(crate) fn findings(&mut self, name: &str) -> Vec<Json> {
        for message in self.server.settle() {
            let Message::Notification(published) = message else {
                panic!("{message:?}");
            };
            assert_eq!(published.method, "textDocument/publishDiagnostics");
            let uri = published.params["uri"].as_str().unwrap().to_owned();
            let found = published.params["diagnostics"].clone();
            self.shown.insert(uri, found);
        }
        let shown = self.shown.get(&uri(name));
        shown.map_or(Vec::new(), |found| found.as_array().unwrap().clone())
    }

    /// Sends a request about a place of a document: that of `‸` in `at`, a piece of its text.
    pub(crate) fn ask_at(&mut self, method: &str, name: &str, at: &str) -> Json {
        let params = self.params_at(name, at);
        self.ask(method, params)
    }

    /// The parameters of a request about a place.
    pub(crate) fn params_at(&self, name: &str, at: &str) -> Json {
        let text = self.text(name);
        let (before, behind) = at.split_once('‸').unwrap();
        let piece = format!("{before}{behind}");
        let start = text
            .find(&piece)
            .unwrap_or_else(|| panic!("no {piece:?} in\n{text}"));
        json!({
            "textDocument": { "uri": uri(name) },
            "position": position(&text, start + before.len()),
        })
    }

    /// The text of a document.
    pub(crate) fn text(&self, name: &str) -> String {
        self.server.text(&uri(name)).unwrap().to_owned()
    }
}

/// The URI of a document.
pub(crate) fn uri(name: &str) -> String {
    format!("file://{FOLDER}{name}")
}

/// The position of a byte, in UTF-16 units.
pub(crate) fn position(text: &str, at: usize) -> Json {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let units = before[start..].encode_utf16().count();
    json!({ "line": line, "character": units })
}

/// The byte of a position, in UTF-16 units.
pub(crate) fn offset(text: &str, position: &Json) -> usize {
    let line = position["line"].as_u64().unwrap() as usize;
    let mut left = position["character"].as_u64().unwrap() as usize;
    let mut at: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    for character in text[at..].chars() {
        if left == 0 {
            break;
        }
        left -= character.len_utf16();
        at += character.len_utf8();
    }
    at
}

/// The piece of a text that a range is of.
pub(crate) fn piece<'t>(text: &'t str, range: &Json) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}
