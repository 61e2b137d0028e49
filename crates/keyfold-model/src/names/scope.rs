//! Names while they are collected: declared, looked up, mentioned, linked.

use super::found::{Declared, Mention, NameKind, Names};
use crate::diagnostic::Span;
use crate::syntax::ast::Name;
use std::collections::{BTreeMap, BTreeSet};

/// The names that are known so far.
#[derive(Default)]
pub(super) struct Scope {
    all: Vec<Declared>,
    mentions: Vec<Mention>,
    links: Vec<(usize, usize)>,
    /// Names by owner and text.
    known: BTreeMap<(Option<usize>, String), Vec<usize>>,
    /// The columns of each table and of its indexes, and the table of each entity.
    columns: BTreeMap<usize, Vec<usize>>,
    tables: BTreeMap<usize, usize>,
    /// The names that belong to each name.
    members: BTreeMap<usize, Vec<usize>>,
    /// The attributes that identify the items of each entity.
    keys: BTreeSet<(usize, usize)>,
}

impl Scope {
    /// Declares a name.
    pub(super) fn declare(
        &mut self,
        kind: NameKind,
        name: &Name,
        owner: Option<usize>,
        whole: Span,
    ) -> usize {
        let at = self.all.len();
        let text = name.unquoted().to_owned();
        if let Some(owner) = owner {
            self.members.entry(owner).or_default().push(at);
        }
        let key = (owner, text.clone());
        self.known.entry(key).or_default().push(at);
        self.all.push(Declared {
            kind,
            text,
            owner,
            span: name.span,
            whole: name.span.to(whole),
            written_type: None,
        });
        self.mentions.push(Mention {
            span: name.span,
            name: at,
            is_declaration: true,
        });
        at
    }

    /// Says the type of a name.
    pub(super) fn of_type(&mut self, at: usize, span: Option<Span>) {
        if let (Some(one), Some(span)) = (self.all.get_mut(at), span) {
            one.written_type = Some(span);
            one.whole = one.whole.to(span);
        }
    }

    /// The first name of one of these kinds.
    pub(super) fn find(
        &self,
        kinds: &[NameKind],
        owner: Option<usize>,
        text: &str,
    ) -> Option<usize> {
        let found = self.known.get(&(owner, text.to_owned()))?;
        let is_kind = |at: &&usize| {
            let one = self.all.get(**at);
            one.is_some_and(|one| kinds.contains(&one.kind))
        };
        found.iter().find(is_kind).copied()
    }

    /// The entity or view of a name.
    pub(super) fn entity(&self, name: &Name) -> Option<usize> {
        self.find(&[NameKind::Entity, NameKind::View], None, &name.text)
    }

    /// An attribute of an entity, or a column of its table.
    pub(super) fn attribute(&self, entity: usize, text: &str) -> Option<usize> {
        let own = self.find(&[NameKind::Attribute], Some(entity), text);
        own.or_else(|| {
            let columns = self.columns.get(self.tables.get(&entity)?)?;
            let named = |at: &&usize| self.all.get(**at).is_some_and(|one| one.text == text);
            columns.iter().find(named).copied()
        })
    }

    /// Mentions a name.
    pub(super) fn mention(&mut self, span: Span, name: usize) {
        self.mentions.push(Mention {
            span,
            name,
            is_declaration: false,
        });
    }

    /// Mentions an entity or view, if there is one of this name.
    pub(super) fn mention_entity(&mut self, name: &Name) -> Option<usize> {
        let entity = self.entity(name)?;
        self.mention(name.span, entity);
        Some(entity)
    }

    /// Mentions an attribute of an entity, if it has one of this name.
    pub(super) fn mention_attribute(&mut self, entity: Option<usize>, name: &Name) -> bool {
        let braced = name.in_braces();
        let text = braced.as_ref().unwrap_or(name).unquoted().to_owned();
        let found = entity.and_then(|entity| self.attribute(entity, &text));
        if let Some(found) = found {
            self.mention(name.span, found);
        }
        found.is_some()
    }

    /// Two names are one thing under one name.
    pub(super) fn link(&mut self, one: usize, other: usize) {
        self.links.push((one, other));
    }

    /// Notes the table of an entity.
    pub(super) fn lies_in(&mut self, entity: usize, table: usize) {
        self.tables.insert(entity, table);
    }

    /// The table of an entity.
    pub(super) fn table_of(&self, entity: usize) -> Option<usize> {
        self.tables.get(&entity).copied()
    }

    /// Notes a key attribute of a table.
    pub(super) fn has_column(&mut self, table: usize, column: usize) {
        self.columns.entry(table).or_default().push(column);
    }

    /// The columns of a table and of its indexes.
    pub(super) fn columns_of(&self, table: usize) -> Vec<usize> {
        self.columns.get(&table).cloned().unwrap_or_default()
    }

    /// The text of a name.
    pub(super) fn text(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |one| one.text.as_str())
    }

    /// The names of a kind that belong to another one.
    pub(super) fn members(&self, kind: NameKind, owner: usize) -> Vec<usize> {
        let members = self.members.get(&owner).into_iter().flatten();
        let is_kind = |at: &usize| self.all.get(*at).is_some_and(|one| one.kind == kind);
        members.copied().filter(is_kind).collect()
    }

    /// Notes that an attribute is one of those that find an item.
    pub(super) fn finds(&mut self, entity: usize, attribute: &Name) {
        if let Some(found) = self.attribute(entity, &attribute.text) {
            self.keys.insert((entity, found));
        }
    }

    /// Whether an attribute is one of those that find an item.
    pub(super) fn is_found_by(&self, entity: usize, attribute: usize) -> bool {
        self.keys.contains(&(entity, attribute))
    }

    /// All that was collected. Names that are said at one place are linked.
    pub(super) fn finish(mut self) -> Names {
        self.mentions
            .sort_by_key(|one| (one.span.start, one.span.end, !one.is_declaration, one.name));
        self.mentions
            .dedup_by(|later, first| (later.span, later.name) == (first.span, first.name));
        for pair in self.mentions.windows(2) {
            if let [one, other] = pair
                && one.span == other.span
            {
                self.links.push((one.name, other.name));
            }
        }
        let mut linked: Vec<usize> = (0..self.all.len()).collect();
        for (one, other) in self.links {
            let (one, other) = (root(&linked, one), root(&linked, other));
            if let Some(place) = linked.get_mut(one.max(other)) {
                *place = one.min(other);
            }
        }
        let roots = (0..linked.len()).map(|at| root(&linked, at)).collect();
        Names {
            all: self.all,
            mentions: self.mentions,
            linked: roots,
        }
    }
}

/// The first name that a name is linked with.
fn root(linked: &[usize], mut at: usize) -> usize {
    while let Some(next) = linked.get(at).copied()
        && next != at
    {
        at = next;
    }
    at
}
