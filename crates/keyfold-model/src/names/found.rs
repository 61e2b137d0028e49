//! The names of texts, once they are collected.

use crate::diagnostic::Span;

/// What a name is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// A table.
    Table,
    /// A key attribute of a table or index.
    Column,
    /// An index of a table.
    Index,
    /// A nested type.
    Record,
    /// A field of a record.
    Field,
    /// An entity.
    Entity,
    /// A view.
    View,
    /// An attribute of an entity or a view.
    Attribute,
    /// A copy of an entity.
    Copy,
    /// An access pattern.
    Pattern,
    /// A named write.
    Write,
    /// A parameter of a pattern or a write.
    Parameter,
    /// Another name of an entity in a write or a result.
    Alias,
}

/// A name, with the place that declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// What it is the name of.
    pub kind: NameKind,
    /// The name, without quotes.
    pub text: String,
    /// The name that it belongs to, by place: the entity of an attribute, the table of an index.
    pub owner: Option<usize>,
    /// Its place.
    pub span: Span,
    /// The place of all that it declares, from its first word to its last.
    pub whole: Span,
    /// Its type as written, where it has one.
    pub written_type: Option<Span>,
}

/// A place in the texts that says a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// The place, with quotes or braces where the name stands in them.
    pub span: Span,
    /// The name, by place in [`Names::all`].
    pub name: usize,
    /// Whether it is the place that declares it.
    pub is_declaration: bool,
}

/// The names of a model's texts.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub(super) all: Vec<Declared>,
    /// In the order of the texts.
    pub(super) mentions: Vec<Mention>,
    /// For each name, the first of those that it is linked with.
    pub(super) linked: Vec<usize>,
}

impl Names {
    /// All names, in the order in which they are found.
    pub fn all(&self) -> &[Declared] {
        &self.all
    }

    /// All mentions, in the order of the texts. A place that says several names has one for each.
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// The mentions at a place, its end included: none, one, or one for each name that is said there.
    pub fn at(&self, place: usize) -> Vec<Mention> {
        let until = self
            .mentions
            .partition_point(|mention| mention.span.start <= place);
        let before = self.mentions.get(..until).unwrap_or_default();
        let mut found: Vec<Mention> = Vec::new();
        for mention in before.iter().rev() {
            if found.last().is_some_and(|last| last.span != mention.span) {
                break;
            }
            if place > mention.span.end {
                break;
            }
            found.push(*mention);
        }
        found.reverse();
        found
    }

    /// Whether two names are one thing under one name.
    pub fn are_linked(&self, one: usize, other: usize) -> bool {
        self.linked.get(one) == self.linked.get(other)
    }

    /// The mentions of a name and of those that it is linked with; each place once.
    pub fn linked_mentions(&self, name: usize) -> Vec<Mention> {
        let own = self.mentions.iter();
        let mut own: Vec<Mention> = own
            .filter(|mention| self.are_linked(mention.name, name))
            .copied()
            .collect();
        own.dedup_by(|later, first| later.span == first.span);
        own
    }

    /// The name of a kind, by its text.
    pub fn named(&self, kinds: &[NameKind], text: &str) -> Option<&Declared> {
        let mut all = self.all.iter();
        all.find(|one| kinds.contains(&one.kind) && one.text == text)
    }

    /// The names that belong to another one.
    pub fn members(&self, owner: usize) -> impl Iterator<Item = &Declared> {
        let all = self.all.iter();
        all.filter(move |one| one.owner == Some(owner))
    }

    /// The place of a name among all.
    pub fn position(&self, name: &Declared) -> Option<usize> {
        self.all.iter().position(|one| one == name)
    }
}
