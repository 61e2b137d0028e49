//! The declarations of a document as a tree, and those of all open models as a list.

use crate::context::{Context, piece};
use crate::model::Edited;
use crate::text::Encoding;
use gen_lsp_types::{
    BaseSymbolInformation, DocumentSymbol, Location, SymbolKind, Uri, WorkspaceSymbol,
    WorkspaceSymbolLocation,
};
use keyfold_model::Span;
use keyfold_model::names::{Declared, NameKind, Names};

/// The declarations of a document, each with its members.
pub(crate) fn of_document(context: &mut Context<'_>, path: &str) -> Vec<DocumentSymbol> {
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let names = model.names().clone();
    let Some(file) = model.file_span(path) else {
        return Vec::new();
    };
    let mut members: Vec<Vec<&Declared>> = vec![Vec::new(); names.all().len()];
    for one in names.all() {
        if let Some(own) = one.owner.and_then(|owner| members.get_mut(owner)) {
            own.push(one);
        }
    }
    let mut symbols = Vec::new();
    for (one, members) in names.all().iter().zip(&members) {
        let is_here = file.start <= one.span.start && one.span.end <= file.end;
        if one.owner.is_some() || !is_here {
            continue;
        }
        let shown = members.iter().filter(|member| is_shown(member.kind));
        let children = shown.filter_map(|member| symbol(model, member, &[], encoding));
        let children: Vec<DocumentSymbol> = children.collect();
        let all: Vec<Span> = members.iter().map(|member| member.whole).collect();
        let Some(symbol) = symbol(model, one, &all, encoding) else {
            continue;
        };
        symbols.push(DocumentSymbol {
            children: (!children.is_empty()).then_some(children),
            ..symbol
        });
    }
    symbols.sort_by_key(|symbol| symbol.range.start);
    symbols
}

#[expect(deprecated, reason = "a member that the protocol keeps")]
fn symbol(
    model: &Edited,
    one: &Declared,
    members: &[Span],
    encoding: Encoding,
) -> Option<DocumentSymbol> {
    let whole = members
        .iter()
        .fold(one.whole, |all, member| all.to(*member));
    let (_, range) = model.range(whole, encoding)?;
    let (_, selection_range) = model.range(one.span, encoding)?;
    let detail = one.written_type.map(|span| piece(model, span));
    Some(DocumentSymbol {
        name: one.text.clone(),
        detail: detail.map(str::to_owned),
        kind: kind(one.kind),
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    })
}

/// Whether an outline shows a member.
fn is_shown(kind: NameKind) -> bool {
    !matches!(kind, NameKind::Alias)
}

fn kind(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::Table => SymbolKind::Namespace,
        NameKind::Column => SymbolKind::Key,
        NameKind::Index => SymbolKind::Array,
        NameKind::Record => SymbolKind::Struct,
        NameKind::Field => SymbolKind::Field,
        NameKind::Entity => SymbolKind::Class,
        NameKind::View => SymbolKind::Interface,
        NameKind::Attribute => SymbolKind::Property,
        NameKind::Copy => SymbolKind::Object,
        NameKind::Pattern => SymbolKind::Function,
        NameKind::Write => SymbolKind::Method,
        NameKind::Parameter | NameKind::Alias => SymbolKind::Variable,
    }
}

/// The declarations of all open models whose names have the letters of a query, in this order.
pub(crate) fn of_workspace(context: &mut Context<'_>, query: &str) -> Vec<WorkspaceSymbol> {
    let encoding = context.client.encoding;
    let mut symbols = Vec::new();
    for first in context.workspace.firsts() {
        let model = context.workspace.model(&first);
        let names: Names = model.names().clone();
        let found = names.all().iter().filter(|one| {
            let is_local = matches!(one.kind, NameKind::Parameter | NameKind::Alias);
            !is_local && has_letters(&one.text, query)
        });
        let found = found.filter_map(|one| Some((one, model.range(one.span, encoding)?)));
        let found: Vec<_> = found.collect();
        for (one, (path, range)) in found {
            let owner = one.owner.and_then(|owner| names.all().get(owner));
            let uri = Uri::from(context.workspace.uri(&path));
            symbols.push(WorkspaceSymbol {
                location: WorkspaceSymbolLocation::Location(Location { uri, range }),
                data: None,
                base_symbol_information: BaseSymbolInformation {
                    name: one.text.clone(),
                    kind: kind(one.kind),
                    tags: None,
                    container_name: owner.map(|owner| owner.text.clone()),
                },
            });
        }
    }
    symbols
}

/// Whether a name has these letters in this order, whatever their case.
fn has_letters(name: &str, query: &str) -> bool {
    let lower = |text: &str| text.to_lowercase();
    let name = lower(name);
    let mut letters = name.chars();
    lower(query)
        .chars()
        .all(|wanted| letters.any(|letter| letter == wanted))
}
