//! The beginning of a session: what the editor can, and what the server offers.

use crate::legend::{MODIFIERS, TYPES};
use crate::text::Encoding;
use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProvider, CodeLensOptions, CompletionOptions,
    DefinitionProvider, DocumentFormattingProvider, DocumentHighlightProvider,
    DocumentRangeFormattingProvider, DocumentSymbolProvider, FoldingRangeProvider, Full,
    HoverProvider, InitializeResult, InlayHintProvider, ReferencesProvider, Registration,
    RegistrationParams, RenameOptions, RenameProvider, Save, SemanticTokensLegend,
    SemanticTokensOptions, SemanticTokensProvider, ServerCapabilities, ServerInfo,
    TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions, WorkDoneProgressOptions,
    WorkspaceSymbolProvider,
};
use serde_json::{Value as Json, json};

/// What an editor can.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// Whether it reports changes of files that are not open, once it is asked to.
    pub(crate) watches: bool,
    /// Whether an edit may say the version of the document that it is for.
    pub(crate) has_versioned_edits: bool,
}

impl Client {
    /// What the parameters of `initialize` say. What they leave out an editor cannot.
    pub(crate) fn of(params: &Json) -> Client {
        let capabilities = &params["capabilities"];
        let offered = capabilities["general"]["positionEncodings"].as_array();
        let offered = offered.into_iter().flatten().filter_map(Json::as_str);
        let workspace = &capabilities["workspace"];
        let is_true = |value: &Json| value.as_bool().unwrap_or(false);
        Client {
            encoding: Encoding::negotiated(offered),
            watches: is_true(&workspace["didChangeWatchedFiles"]["dynamicRegistration"]),
            has_versioned_edits: is_true(&workspace["workspaceEdit"]["documentChanges"]),
        }
    }
}

/// What the server offers.
pub(crate) fn offered(encoding: Encoding) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        save: Some(Save::Bool(true)),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QuickFix]),
        ..CodeActionOptions::default()
    };
    let tokens = SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: TYPES.map(str::to_owned).to_vec(),
            token_modifiers: MODIFIERS.map(str::to_owned).to_vec(),
        },
        range: None,
        full: Some(Full::Bool(true)),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    // Places at which a name begins, though no letter of it is typed.
    let triggers = ["{", ":", ".", "("];
    let capabilities = ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSync::Options(sync)),
        code_action_provider: Some(CodeActionProvider::CodeActionOptions(actions)),
        document_formatting_provider: Some(DocumentFormattingProvider::Bool(true)),
        hover_provider: Some(HoverProvider::Bool(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers.map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(DefinitionProvider::Bool(true)),
        references_provider: Some(ReferencesProvider::Bool(true)),
        document_highlight_provider: Some(DocumentHighlightProvider::Bool(true)),
        document_symbol_provider: Some(DocumentSymbolProvider::Bool(true)),
        workspace_symbol_provider: Some(WorkspaceSymbolProvider::Bool(true)),
        inlay_hint_provider: Some(InlayHintProvider::Bool(true)),
        code_lens_provider: Some(CodeLensOptions::default()),
        semantic_tokens_provider: Some(SemanticTokensProvider::SemanticTokensOptions(tokens)),
        folding_range_provider: Some(FoldingRangeProvider::Bool(true)),
        rename_provider: Some(RenameProvider::RenameOptions(RenameOptions {
            prepare_provider: Some(true),
            ..RenameOptions::default()
        })),
        document_range_formatting_provider: Some(DocumentRangeFormattingProvider::Bool(true)),
        ..ServerCapabilities::default()
    };
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "keyfold".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    }
}

/// The request to report changes of files: those of models, and projects.
pub(crate) fn watched() -> RegistrationParams {
    let watchers = json!({
        "watchers": [{ "globPattern": "**/*.keyfold" }, { "globPattern": "**/keyfold.toml" }],
    });
    RegistrationParams {
        registrations: vec![Registration {
            id: "keyfold-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(watchers),
        }],
    }
}
