//! What the editor asks about a place in a document, a file each.

mod actions;
mod completion;
mod design;
mod difference;
mod folding;
mod formatting;
mod hints;
mod hover;
mod lenses;
mod navigation;
mod rename;
mod symbols;
mod tokens;
mod why;

use crate::context::{Context, json, read};
use crate::text::Text;
use crate::uri::path_of;
use gen_lsp_types::{
    CodeActionParams, DocumentRangeFormattingParams, InlayHintParams, Position, ReferenceParams,
    RenameParams, TextDocumentIdentifier, TextDocumentPositionParams, WorkspaceSymbolParams,
};
use lsp_server::ErrorCode;
use serde::Deserialize;
use serde_json::Value as Json;

/// The answer of a request: its result, or its error.
pub(crate) type Answer = Result<Json, (ErrorCode, String)>;

/// Parameters that name a document. Others beside it are of no matter.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfDocument {
    text_document: TextDocumentIdentifier,
}

/// The parameters of `keyfold/design`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfDesign {
    text_document: TextDocumentIdentifier,
    width: usize,
}

/// The parameters of `keyfold/why`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfPattern {
    text_document: TextDocumentIdentifier,
    pattern: String,
    #[serde(default)]
    without: Vec<String>,
}

impl Context<'_> {
    /// Answers a request.
    pub(crate) fn answer(&mut self, method: &str, params: Json) -> Answer {
        match method {
            "textDocument/codeAction" => {
                let params: CodeActionParams = read(params)?;
                let path = path_of(params.text_document.uri.as_ref());
                Ok(json(actions::quick_fixes(self, &path, params.range)))
            }
            "keyfold/design" => {
                let params: OfDesign = read(params)?;
                let path = path_of(params.text_document.uri.as_ref());
                Ok(json(design::design(self, &path, params.width)))
            }
            "keyfold/difference" => {
                let params: OfDocument = read(params)?;
                let path = path_of(params.text_document.uri.as_ref());
                Ok(json(difference::difference(self, &path)))
            }
            "keyfold/why" => {
                let params: OfPattern = read(params)?;
                let path = path_of(params.text_document.uri.as_ref());
                Ok(json(why::reasons(
                    self,
                    &path,
                    (&params.pattern, &params.without),
                )))
            }
            "textDocument/rangeFormatting" => {
                let params: DocumentRangeFormattingParams = read(params)?;
                let path = path_of(params.text_document.uri.as_ref());
                let encoding = self.client.encoding;
                let edits = |text| formatting::edits_in(text, params.range, encoding);
                Ok(json(self.text(&path).map(edits)))
            }
            "textDocument/inlayHint" => {
                let params: InlayHintParams = read(params)?;
                let path = path_of(params.text_document.uri.as_ref());
                Ok(json(hints::hints(self, &path, params.range)))
            }
            "textDocument/references" => {
                let params: ReferenceParams = read(params)?;
                let (path, at) = place(&params.text_document_position_params);
                let all = params.context.include_declaration;
                Ok(json(navigation::references(self, &path, at, all)))
            }
            "textDocument/rename" => {
                let params: RenameParams = read(params)?;
                let (path, at) = place(&params.text_document_position_params);
                let edit = rename::rename(self, &path, at, &params.new_name);
                edit.map(json)
                    .map_err(|reason| (ErrorCode::RequestFailed, reason))
            }
            "workspace/symbol" => {
                let params: WorkspaceSymbolParams = read(params)?;
                Ok(json(symbols::of_workspace(self, &params.query)))
            }
            "textDocument/formatting"
            | "textDocument/documentSymbol"
            | "textDocument/codeLens"
            | "textDocument/semanticTokens/full"
            | "textDocument/foldingRange" => self.answer_of_document(method, params),
            _ => self.answer_at_place(method, params),
        }
    }

    /// Answers what is asked of a whole document.
    fn answer_of_document(&mut self, method: &str, params: Json) -> Answer {
        let params: OfDocument = read(params)?;
        let path = path_of(params.text_document.uri.as_ref());
        let encoding = self.client.encoding;
        Ok(match method {
            "textDocument/formatting" => json(
                self.text(&path)
                    .map(|text| formatting::edits(text, encoding)),
            ),
            "textDocument/codeLens" => json(lenses::lenses(self, &path)),
            "textDocument/semanticTokens/full" => json(tokens::tokens(self, &path)),
            "textDocument/foldingRange" => json(self.text(&path).map(folding::ranges)),
            _ => json(symbols::of_document(self, &path)),
        })
    }

    /// Answers what is asked of a place in a document.
    fn answer_at_place(&mut self, method: &str, params: Json) -> Answer {
        let known = [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/definition",
            "textDocument/documentHighlight",
            "textDocument/prepareRename",
        ];
        if !known.contains(&method) {
            let message = format!("there is no method {method}");
            return Err((ErrorCode::MethodNotFound, message));
        }
        let params: TextDocumentPositionParams = read(params)?;
        let (path, at) = place(&params);
        Ok(match method {
            "textDocument/hover" => json(hover::hover(self, &path, at)),
            "textDocument/completion" => json(completion::completion(self, &path, at)),
            "textDocument/definition" => json(navigation::definition(self, &path, at)),
            "textDocument/documentHighlight" => json(navigation::highlights(self, &path, at)),
            _ => json(rename::prepare(self, &path, at)),
        })
    }

    /// The text of a document.
    fn text(&self, path: &str) -> Option<&Text> {
        let document = self.workspace.document(path)?;
        Some(&document.text)
    }
}

/// The document and the position of parameters.
fn place(params: &TextDocumentPositionParams) -> (String, Position) {
    (path_of(params.text_document.uri.as_ref()), params.position)
}
