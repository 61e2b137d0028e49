//! Completion by place: attributes inside templates, kinds in results, formats behind a colon, types,
//! tables and indexes, and the words that may follow.
//!
//! A line that is typed cannot be read yet. So the place is found in the tokens before the cursor, and
//! the names are those of the lines that can be read.

mod line;
mod offers;
mod pattern;
mod place;

use crate::context::Context;
use gen_lsp_types::{
    CompletionItem, CompletionItemTextEdit, CompletionList, Position, Range, TextEdit,
};
use keyfold_model::Span;
use line::Line;
use offers::Offer;

/// What may be written at a place.
pub(crate) fn completion(context: &mut Context<'_>, path: &str, at: Position) -> CompletionList {
    let encoding = context.client.encoding;
    let Some(document) = context.workspace.document(path) else {
        return CompletionList::default();
    };
    let text = document.text.clone();
    let place = text.offset(at, encoding);
    let line = Line::at(text.as_str(), place);
    let names = context.workspace.model_of(path).names();
    let typed = Span {
        start: line.typed_from,
        end: place,
    };
    let range = text.range(typed, encoding);
    let mut offered: Vec<Offer> = Vec::new();
    for offer in place::offers(&line, names) {
        if !offered.iter().any(|known| known.text == offer.text) {
            offered.push(offer);
        }
    }
    CompletionList {
        is_incomplete: false,
        items: offered
            .into_iter()
            .enumerate()
            .map(|(at, offer)| item(at, offer, range))
            .collect(),
        ..CompletionList::default()
    }
}

fn item(at: usize, offer: Offer, range: Range) -> CompletionItem {
    CompletionItem {
        label: offer.text.clone(),
        kind: Some(offer.kind),
        detail: offer.detail,
        // The order of the offers.
        sort_text: Some(format!("{at:04}")),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
            range,
            new_text: offer.text,
        })),
        ..CompletionItem::default()
    }
}
