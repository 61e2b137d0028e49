//! Documents, their changes, and the findings that an editor shows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Editor, piece, uri};
use keyfold_lsp::{Exit, InMemory, Next, Queue, Server, Wait, drive};
use keyfold_model::compile;
use lsp_server::{Message, Notification, Request};
use serde_json::{Value as Json, json};
use std::collections::VecDeque;

const NOTES: &str = "\
model notes 1
table Main (PK, SK)

entity Note
  noteId: string, text: string
  key  \"NOTE#{noteId}\"  \"NOTE\"

pattern note(noteId) -> Note?
";

#[test]
fn a_session_begins_and_ends_as_the_protocol_says() {
    let mut server = Server::new(Box::new(InMemory::default()));
    let mut ask = |id: i32, method: &str, params: Json| {
        let request = Request::new(id.into(), method.to_owned(), params);
        let answers = server.handle(request.into());
        let [Message::Response(response)] = answers.as_slice() else {
            panic!("{answers:?}");
        };
        response.response_result.clone()
    };
    let early = ask(1, "textDocument/hover", json!({})).unwrap_err();
    assert_eq!(early.code, -32002);
    let offered = json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } });
    let begun = ask(2, "initialize", json!({ "capabilities": offered })).unwrap();
    assert_eq!(begun["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(begun["serverInfo"]["name"], "keyfold");
    let unknown = ask(3, "textDocument/unknown", json!({})).unwrap_err();
    assert_eq!(unknown.code, -32601);
    let wrong = ask(4, "textDocument/codeAction", json!({ "range": 1 })).unwrap_err();
    assert_eq!(wrong.code, -32602);
    assert_eq!(ask(5, "shutdown", json!(null)).unwrap(), Json::Null);
    assert_eq!(
        ask(6, "textDocument/hover", json!({})).unwrap_err().code,
        -32600
    );
    server.handle(Notification::new("exit".to_owned(), json!(null)).into());
    assert_eq!(server.exit(), Some(Exit::Asked));
}

#[test]
fn findings_have_their_places_and_say_what_the_compiler_says() {
    let text = NOTES.replace("(noteId) -> Note?", "(noteID) -> Note?  # É😀 noteID");
    let mut editor = Editor::of(&text);
    let found = editor.findings("m.keyfold");
    let compiled = compile(&text).diagnostics;
    assert_eq!(found.len(), compiled.len());
    let (one, own) = (&found[0], &compiled[0]);
    assert_eq!(one["code"], own.code);
    assert_eq!(one["severity"], 1);
    assert_eq!(one["source"], "keyfold");
    assert_eq!(piece(&text, &one["range"]), "noteID");
    let message = one["message"].as_str().unwrap();
    assert!(message.starts_with(&own.message), "{message}");
    assert!(message.contains("help: "), "{message}");

    editor.replace("m.keyfold", NOTES);
    assert_eq!(editor.findings("m.keyfold"), Vec::<Json>::new());
}

#[test]
fn a_finding_names_its_further_places() {
    let twice = format!("{NOTES}pattern note(noteId) -> Note?\n");
    let mut editor = Editor::of(&twice);
    let found = editor.findings("m.keyfold");
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], uri("m.keyfold"));
    assert_eq!(piece(&twice, &related["location"]["range"]), "note");
}

#[test]
fn places_are_counted_in_the_unit_that_was_agreed_on() {
    for (encoding, column) in [("utf-8", 8), ("utf-16", 5), ("utf-32", 4)] {
        let offered = json!({ "general": { "positionEncodings": [encoding] } });
        let mut editor = Editor::with(&[], offered);
        // The quote in the second line is not closed.
        editor.open("m.keyfold", "model m 1\nÉ 😀 \"x\n");
        let found = editor.findings("m.keyfold");
        let starts = found.iter().map(|one| &one["range"]["start"]["character"]);
        assert!(
            starts.clone().any(|start| *start == column),
            "{encoding}: {:?}",
            starts.collect::<Vec<_>>()
        );
    }
}

#[test]
fn incremental_changes_make_the_text_of_the_editor() {
    let mut editor = Editor::of("one\nÉ😀two\nthree");
    let range = |from: (u32, u32), to: (u32, u32)| {
        json!({
            "start": { "line": from.0, "character": from.1 },
            "end": { "line": to.0, "character": to.1 },
        })
    };
    let changes = json!([
        { "range": range((1, 1), (1, 3)), "text": "x" },
        { "range": range((0, 3), (1, 0)), "text": "" },
        { "range": range((1, 5), (9, 9)), "text": "\nend" },
    ]);
    editor.change("m.keyfold", changes);
    assert_eq!(editor.text("m.keyfold"), "oneÉxtwo\nthree\nend");
}

#[test]
fn a_file_that_is_used_shows_its_findings_in_itself() {
    let shop = "model shop 1\nowner platform\nuse \"orders.keyfold\"\nshared table Shop (PK, SK)\n";
    let orders = "owner orders\nentity Order\n  id: string\n  key \"ORDER#{ids}\" \"META\"\n";
    let mut editor = Editor::new(&[("shop.keyfold", shop), ("orders.keyfold", orders)]);
    editor.open("orders.keyfold", orders);
    let found = editor.findings("orders.keyfold");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(piece(orders, &found[0]["range"]), "ids");
    assert_eq!(editor.findings("shop.keyfold"), Vec::<Json>::new());
    // The text of the editor counts, not that of the file.
    editor.replace("orders.keyfold", &orders.replace("ids", "id"));
    assert_eq!(editor.findings("orders.keyfold"), Vec::<Json>::new());
    // The first file may be open, too.
    editor.open("shop.keyfold", &shop.replace("(PK, SK)", "(PK, SK"));
    assert_eq!(editor.findings("shop.keyfold").len(), 1);
}

#[test]
fn the_model_of_a_file_is_that_of_its_project() {
    let first = |name: &str| {
        format!(
            "model {name} 1\nowner {name}\nuse \"part.keyfold\"\nshared table {name} (PK, SK)\n"
        )
    };
    let part = "owner part\nentity Part in two\n  id: string\n  key \"P#{id}\" \"META\"\n";
    let mut stored = InMemory::default();
    for (name, text) in [("a", first("one")), ("b", first("two"))] {
        stored.files.insert(format!("/models/{name}.keyfold"), text);
    }
    stored
        .files
        .insert("/models/part.keyfold".to_owned(), part.to_owned());
    let project = ("/models/".to_owned(), "/models/b.keyfold".to_owned());
    stored.projects.extend([project]);
    let mut editor = Editor::on(stored, json!({}));
    editor.open("part.keyfold", part);
    assert_eq!(editor.findings("part.keyfold"), Vec::<Json>::new());
}

#[test]
fn findings_of_a_closed_document_go_unless_its_model_shows_them() {
    let wrong = NOTES.replace("Note?", "Nothing?");
    let mut editor = Editor::of(&wrong);
    assert_eq!(editor.findings("m.keyfold").len(), 1);
    let params = json!({ "textDocument": { "uri": uri("m.keyfold") } });
    editor.say("textDocument/didClose", params);
    assert_eq!(editor.findings("m.keyfold"), Vec::<Json>::new());
}

/// Messages that arrive in bursts: each list without a pause, and a pause behind it.
struct Bursts {
    waiting: VecDeque<VecDeque<Message>>,
    sent: Vec<Message>,
}

impl Queue for Bursts {
    fn next(&mut self, wait: Wait) -> Next {
        let Some(burst) = self.waiting.front_mut() else {
            return Next::Closed;
        };
        if let Some(message) = burst.pop_front() {
            return Next::Message(message);
        }
        self.waiting.pop_front();
        match wait {
            Wait::Always => self.next(wait),
            Wait::Moment => Next::Quiet,
        }
    }

    fn send(&mut self, message: Message) -> bool {
        self.sent.push(message);
        true
    }
}

#[test]
fn a_burst_of_changes_is_compiled_once_behind_it() {
    let mut server = Server::new(Box::new(InMemory::default()));
    let document =
        json!({ "uri": uri("m.keyfold"), "languageId": "keyfold", "version": 0, "text": NOTES });
    let say = |method: &str, params: Json| -> Message {
        Notification::new(method.to_owned(), params).into()
    };
    let begin = Request::new(
        1.into(),
        "initialize".to_owned(),
        json!({ "capabilities": {} }),
    );
    let open = say("textDocument/didOpen", json!({ "textDocument": document }));
    let changes = (1..=200).map(|version| {
        let text = format!("{NOTES}# {version}\n");
        let params = json!({
            "textDocument": { "uri": uri("m.keyfold"), "version": version },
            "contentChanges": [{ "text": text }],
        });
        say("textDocument/didChange", params)
    });
    let waiting = [vec![begin.into(), open], changes.collect()];
    let mut queue = Bursts {
        waiting: waiting.map(VecDeque::from).into(),
        sent: Vec::new(),
    };
    assert_eq!(drive(&mut server, &mut queue), Exit::Lost);
    assert!(server.compiled() <= 3, "{} times", server.compiled());
    let Some(Message::Notification(last)) = queue.sent.last() else {
        panic!("{:?}", queue.sent);
    };
    assert_eq!(last.params["version"], 200);
}
