//! The offers of a place: names of a kind, and words of the language.

use gen_lsp_types::CompletionItemKind;
use keyfold_model::names::{Declared, NameKind, Names};
use keyfold_model::written;

/// Something that may be written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    pub(super) text: String,
    pub(super) kind: CompletionItemKind,
    pub(super) detail: Option<String>,
}

/// Words of the language.
pub(super) fn words(words: &[&str]) -> Vec<Offer> {
    let word = |word: &&str| Offer {
        text: (*word).to_owned(),
        kind: CompletionItemKind::Keyword,
        detail: None,
    };
    words.iter().map(word).collect()
}

/// All names of these kinds.
pub(super) fn named(names: &Names, kinds: &[NameKind]) -> Vec<Offer> {
    let all = names.all().iter();
    all.filter(|one| kinds.contains(&one.kind))
        .map(|one| offer(one, None))
        .collect()
}

/// The entities and views.
pub(super) fn entities(names: &Names) -> Vec<Offer> {
    named(names, &[NameKind::Entity, NameKind::View])
}

/// The members of a kind of what has this name.
pub(super) fn members(names: &Names, owner: &str, kind: NameKind) -> Vec<Offer> {
    let owners = [
        NameKind::Entity,
        NameKind::View,
        NameKind::Record,
        NameKind::Table,
    ];
    let found = names.named(&owners, owner);
    let Some(at) = found.and_then(|found| names.position(found)) else {
        return Vec::new();
    };
    let own = names.members(at).filter(|one| one.kind == kind);
    own.map(|one| offer(one, Some(owner))).collect()
}

/// The attributes of an entity or a view.
pub(super) fn attributes(names: &Names, entity: &str) -> Vec<Offer> {
    members(names, entity, NameKind::Attribute)
}

fn offer(one: &Declared, owner: Option<&str>) -> Offer {
    let detail = owner.map(|owner| format!("of {owner}"));
    Offer {
        text: written(&one.text),
        kind: kind(one.kind),
        detail,
    }
}

fn kind(kind: NameKind) -> CompletionItemKind {
    match kind {
        NameKind::Table => CompletionItemKind::Module,
        NameKind::Column | NameKind::Field => CompletionItemKind::Field,
        NameKind::Index => CompletionItemKind::Reference,
        NameKind::Record => CompletionItemKind::Struct,
        NameKind::Entity => CompletionItemKind::Class,
        NameKind::View => CompletionItemKind::Interface,
        NameKind::Attribute => CompletionItemKind::Property,
        NameKind::Copy => CompletionItemKind::Value,
        NameKind::Pattern => CompletionItemKind::Function,
        NameKind::Write => CompletionItemKind::Method,
        NameKind::Parameter | NameKind::Alias => CompletionItemKind::Variable,
    }
}

/// The units of time.
pub(super) const UNITS: [&str; 4] = ["hour", "day", "month", "year"];

const TYPES: [&str; 13] = [
    "string", "number", "int", "bool", "time", "date", "binary", "ulid", "uuid", "list of",
    "map of", "set of", "time(s)",
];

/// The types of attributes.
pub(super) fn types(names: &Names) -> Vec<Offer> {
    let mut all = words(&TYPES);
    all.extend(named(names, &[NameKind::Record, NameKind::Entity]));
    all
}

/// The attributes of all entities.
pub(super) fn all_attributes(names: &Names) -> Vec<Offer> {
    named(names, &[NameKind::Attribute])
}

/// The parameters of a pattern or a write.
pub(super) fn parameters_of(names: &Names, owner: &str) -> Vec<Offer> {
    let found = names.named(&[NameKind::Write, NameKind::Pattern], owner);
    let Some(at) = found.and_then(|found| names.position(found)) else {
        return Vec::new();
    };
    let own = names
        .members(at)
        .filter(|one| one.kind == NameKind::Parameter);
    let own: Vec<&str> = own.map(|one| one.text.as_str()).collect();
    let mut all = named(names, &[NameKind::Parameter]);
    all.retain(|offer| own.contains(&offer.text.as_str()));
    all
}

/// The copies of an entity.
pub(super) fn copies(names: &Names, entity: &str) -> Vec<Offer> {
    members(names, entity, NameKind::Copy)
}
