//! The server: a state, and what each message does to it.

use crate::answers::Answer;
use crate::capabilities::Client;
use crate::context::{Context, json, read};
use crate::files::Files;
use crate::text::Text;
use crate::uri::path_of;
use crate::workspace::{Document, Workspace};
use crate::{capabilities, diagnostics};
use gen_lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    TextDocumentContentChangeEvent,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The editor asked for it.
    Asked,
    /// The editor left without asking.
    Lost,
}

/// Where a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
    Ended(Exit),
}

/// The language server.
///
/// # Example
/// ```
/// use keyfold_lsp::{InMemory, Server};
/// use lsp_server::{Message, Request};
/// use serde_json::json;
///
/// let mut server = Server::new(Box::new(InMemory::default()));
/// let params = json!({ "capabilities": {} });
/// let initialize = Request::new(1.into(), "initialize".to_owned(), params);
/// let answers = server.handle(Message::Request(initialize));
/// assert_eq!(answers.len(), 1);
/// ```
pub struct Server {
    phase: Phase,
    client: Client,
    workspace: Workspace,
    /// The findings that the editor shows, by path, with the version that they are of.
    published: BTreeMap<String, (Option<i32>, Vec<Diagnostic>)>,
    /// Whether findings may differ from those that the editor shows.
    is_settled: bool,
    /// The number of requests that the server has made.
    asked: i32,
}

impl Server {
    /// A server before the first message, with the files that are not open.
    pub fn new(files: Box<dyn Files>) -> Server {
        Server {
            phase: Phase::New,
            client: Client::default(),
            workspace: Workspace::new(files),
            published: BTreeMap::new(),
            is_settled: true,
            asked: 0,
        }
    }

    /// Takes a message, and returns those that answer it.
    pub fn handle(&mut self, message: Message) -> Vec<Message> {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notification(notification),
            // The server asks for nothing whose answer matters.
            Message::Response(_) => Vec::new(),
        }
    }

    /// Computes the findings, and returns those that differ from what the editor shows.
    pub fn settle(&mut self) -> Vec<Message> {
        self.is_settled = true;
        let mut found = diagnostics::all(&mut self.workspace, self.client.encoding);
        let gone = self
            .published
            .keys()
            .filter(|path| !found.contains_key(*path));
        let gone: Vec<String> = gone.cloned().collect();
        found.extend(gone.into_iter().map(|path| (path, Vec::new())));
        let mut messages = Vec::new();
        for (path, diagnostics) in found {
            let document = self.workspace.document(&path);
            let version = document.map(|document| document.version);
            let known = self.published.get(&path);
            let is_same = match known {
                Some((shown, old)) => *shown == version && *old == diagnostics,
                None => version.is_none() && diagnostics.is_empty(),
            };
            if is_same {
                continue;
            }
            let is_gone = version.is_none() && diagnostics.is_empty();
            let params = diagnostics::published(&path, diagnostics.clone(), &self.workspace);
            messages.push(notify("textDocument/publishDiagnostics", params));
            match is_gone {
                true => self.published.remove(&path),
                false => self.published.insert(path, (version, diagnostics)),
            };
        }
        messages
    }

    /// Whether the editor shows the findings of the texts as they are.
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// How the session ended; `None` while it goes on.
    pub fn exit(&self) -> Option<Exit> {
        match self.phase {
            Phase::Ended(exit) => Some(exit),
            Phase::New | Phase::Running | Phase::ShutDown => None,
        }
    }

    /// How often a model was compiled since the beginning.
    pub fn compiled(&self) -> u64 {
        self.workspace.compiled()
    }

    /// The text of a document as the server knows it, by its URI.
    pub fn text(&self, uri: &str) -> Option<&str> {
        let document = self.workspace.document(&path_of(uri))?;
        Some(document.text.as_str())
    }

    fn request(&mut self, request: Request) -> Vec<Message> {
        let Request { id, method, params } = request;
        match (self.phase, method.as_str()) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Running;
                self.client = Client::of(&params);
                vec![answer(
                    id,
                    Ok(json(capabilities::offered(self.client.encoding))),
                )]
            }
            (Phase::New, _) => vec![refusal(
                id,
                ErrorCode::ServerNotInitialized,
                "the first request is `initialize`",
            )],
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                vec![answer(id, Ok(Json::Null))]
            }
            (Phase::Running, _) => {
                let mut context = Context {
                    client: &self.client,
                    workspace: &mut self.workspace,
                };
                vec![answer(id, context.answer(&method, params))]
            }
            (Phase::ShutDown | Phase::Ended(_), _) => vec![refusal(
                id,
                ErrorCode::InvalidRequest,
                "the session has ended",
            )],
        }
    }

    fn notification(&mut self, notification: Notification) -> Vec<Message> {
        let Notification { method, params } = notification;
        match (self.phase, method.as_str()) {
            (_, "exit") => {
                let asked = self.phase == Phase::ShutDown;
                self.phase = Phase::Ended(if asked { Exit::Asked } else { Exit::Lost });
                Vec::new()
            }
            (Phase::Running, "initialized") => self.ask_for_changes(),
            (Phase::Running, _) => {
                if self.edited(&method, params) {
                    self.is_settled = false;
                }
                Vec::new()
            }
            (Phase::New | Phase::ShutDown | Phase::Ended(_), _) => Vec::new(),
        }
    }

    /// Asks the editor to report changes of files that are not open.
    fn ask_for_changes(&mut self) -> Vec<Message> {
        if !self.client.watches {
            return Vec::new();
        }
        self.asked += 1;
        let params = json(capabilities::watched());
        let method = "client/registerCapability".to_owned();
        vec![Request::new(self.asked.into(), method, params).into()]
    }

    /// Takes what the editor says of documents and files. Whether findings may differ now.
    fn edited(&mut self, method: &str, params: Json) -> bool {
        match method {
            "textDocument/didOpen" => self.opened(params).is_some(),
            "textDocument/didChange" => self.changed(params).is_some(),
            "textDocument/didClose" => self.closed(params).is_some(),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.workspace.files_changed();
                true
            }
            _ => false,
        }
    }

    fn opened(&mut self, params: Json) -> Option<()> {
        let params: DidOpenTextDocumentParams = read(params).ok()?;
        let item = params.text_document;
        let uri = item.uri.to_string();
        let document = Document {
            version: item.version,
            text: Text::new(item.text),
            uri: uri.clone(),
        };
        self.workspace.open(&path_of(&uri), document);
        Some(())
    }

    fn changed(&mut self, params: Json) -> Option<()> {
        let params: DidChangeTextDocumentParams = read(params).ok()?;
        let document = params.text_document;
        let uri = document.text_document_identifier.uri.to_string();
        let encoding = self.client.encoding;
        self.workspace.change(&path_of(&uri), |known| {
            known.version = document.version;
            for change in params.content_changes {
                match change {
                    TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                        known.text.edit(part.range, &part.text, encoding);
                    }
                    TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(
                        whole,
                    ) => known.text = Text::new(whole.text),
                }
            }
        });
        Some(())
    }

    fn closed(&mut self, params: Json) -> Option<()> {
        let params: DidCloseTextDocumentParams = read(params).ok()?;
        let uri = params.text_document.uri.to_string();
        self.workspace.close(&path_of(&uri));
        Some(())
    }
}

fn notify(method: &str, params: impl Serialize) -> Message {
    Notification::new(method.to_owned(), json(params)).into()
}

fn answer(id: RequestId, outcome: Answer) -> Message {
    match outcome {
        Ok(result) => Response::new_ok(id, result).into(),
        Err((code, message)) => refusal(id, code, &message),
    }
}

fn refusal(id: RequestId, code: ErrorCode, message: &str) -> Message {
    Response::new_err(id, code as i32, message.to_owned()).into()
}
