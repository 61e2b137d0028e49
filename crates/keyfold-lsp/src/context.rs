//! What an answer is made of: the editor, the documents, and the parameters.

use crate::capabilities::Client;
use crate::model::Edited;
use crate::workspace::Workspace;
use gen_lsp_types::{Location, Position, Uri};
use keyfold_model::Span;
use keyfold_model::names::Mention;
use lsp_server::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// What an answer is made of.
pub(crate) struct Context<'s> {
    pub(crate) client: &'s Client,
    pub(crate) workspace: &'s mut Workspace,
}

impl Context<'_> {
    /// The places of a model as the editor names them.
    pub(crate) fn locations(&mut self, path: &str, spans: &[Span]) -> Vec<Location> {
        let encoding = self.client.encoding;
        let model = self.workspace.model_of(path);
        let places: Vec<_> = spans
            .iter()
            .filter_map(|span| model.range(*span, encoding))
            .collect();
        let location = |(path, range): (String, _)| Location {
            uri: Uri::from(self.workspace.uri(&path)),
            range,
        };
        places.into_iter().map(location).collect()
    }

    /// The names that are said at a place of a document.
    pub(crate) fn mentions(&mut self, path: &str, at: Position) -> Vec<Mention> {
        let encoding = self.client.encoding;
        let model = self.workspace.model_of(path);
        let Some(place) = model.place(path, at, encoding) else {
            return Vec::new();
        };
        model.names().at(place)
    }
}

/// The text of a piece of a model.
pub(crate) fn piece(model: &Edited, span: Span) -> &str {
    let text = model.sources.text();
    text.get(span.start..span.end).unwrap_or_default()
}

/// Reads parameters.
pub(crate) fn read<T: DeserializeOwned>(params: Json) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

/// A value of the protocol as JSON. All of them can be written.
pub(crate) fn json(value: impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or(Json::Null)
}
