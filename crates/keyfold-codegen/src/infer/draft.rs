//! A table on its way to a declaration. Whatever the language cannot say of it is taken away, a
//! part at a time, and noted with the reason.

use super::definition::{IndexDefinition, KeyColumn, Projection, TableDefinition};
use super::kinds::KindKey;
use keyfold_model::unwritable;
use keyfold_types::Item;

/// The entities that the items of a table become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grouping {
    /// One for each kind of item.
    ByKind,
    /// One for the table.
    AsOne,
    /// One for the table, with the key attributes alone.
    Keys,
    /// None.
    Nothing,
}

/// A part of a proposed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The first line of a table.
    Table,
    /// An index of the table, by its place.
    Index(usize),
    /// The entities of the table, and their records.
    Entities,
}

/// The declarable parts of a table.
pub(super) struct Draft<'i> {
    /// The table with the indexes that are declared.
    pub(super) table: TableDefinition,
    pub(super) items: &'i [Item],
    pub(super) grouping: Grouping,
    /// Whether the table is declared.
    pub(super) is_declared: bool,
    /// The parts that are left out, each with the reason.
    pub(super) notes: Vec<String>,
    /// What the author of the model should know of the table.
    pub(super) remarks: Vec<String>,
    /// The kinds of a few items that are left out.
    pub(super) strays: Vec<KindKey>,
}

impl<'i> Draft<'i> {
    /// Leaves out the parts whose names could not even be written down.
    pub(super) fn new(table: &TableDefinition, items: &'i [Item]) -> Draft<'i> {
        let TableDefinition {
            name,
            key,
            indexes,
            ttl,
        } = table;
        let mut draft = Draft {
            table: TableDefinition {
                name: name.clone(),
                key: key.clone(),
                indexes: Vec::new(),
                ttl: None,
            },
            items,
            grouping: Grouping::ByKind,
            is_declared: true,
            notes: Vec::new(),
            remarks: Vec::new(),
            strays: Vec::new(),
        };
        if let Some(reason) = title_error(name).or_else(|| columns_error(key)) {
            draft.drop_table(&reason);
            return draft;
        }
        for index in indexes {
            match index_error(index) {
                Some(reason) => draft.note_index(index, &reason),
                None => draft.table.indexes.push(index.clone()),
            }
        }
        match ttl.as_ref().map(|ttl| (ttl, unwritable(ttl))) {
            Some((ttl, Some((reason, _)))) => {
                draft.notes.push(format!("ttl `{ttl}`: {reason}"));
            }
            Some((ttl, None)) if items.iter().any(|item| item.get(ttl).is_some()) => {
                draft.remarks.push(format!(
                    "the items expire by `{ttl}`, which other programs fill: so it is an attribute here, and the table does not declare `ttl {ttl}`"
                ));
            }
            Some((ttl, None)) => draft.table.ttl = Some(ttl.clone()),
            None => {}
        }
        draft
    }

    /// Takes away a part that the compiler refuses.
    pub(super) fn take(&mut self, part: Part, reason: &str) {
        match part {
            Part::Table => self.drop_table(reason),
            Part::Index(at) => {
                let index = self.table.indexes.remove(at);
                self.note_index(&index, reason);
            }
            Part::Entities => {
                self.strays.clear();
                self.grouping = match self.grouping {
                    Grouping::ByKind => {
                        self.remarks.push(format!(
                            "the items are one entity, whose key is as it is stored, since as kinds of their own they were refused: {reason}"
                        ));
                        Grouping::AsOne
                    }
                    Grouping::AsOne => Grouping::Keys,
                    Grouping::Keys | Grouping::Nothing => {
                        self.notes
                            .push(format!("the items of `{}`: {reason}", self.table.name));
                        Grouping::Nothing
                    }
                };
            }
        }
    }

    fn drop_table(&mut self, reason: &str) {
        self.is_declared = false;
        self.notes
            .push(format!("the table `{}`: {reason}", self.table.name));
    }

    fn note_index(&mut self, index: &IndexDefinition, reason: &str) {
        self.notes
            .push(format!("the index `{}`: {reason}", index.name));
    }

    /// The notes and remarks as comments, with those about strays.
    pub(super) fn comments(&self, strays: impl Iterator<Item = String>) -> String {
        let line =
            |note: &String| format!("# left out, the language cannot say it: {}\n", shown(note));
        let remark = |remark: String| format!("# {}\n", shown(&remark));
        let remarks = self.remarks.iter().cloned().chain(strays).map(remark);
        self.notes.iter().map(line).chain(remarks).collect()
    }
}

/// A text in one line.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = c.is_control().then(|| c.escape_default());
            let plain = escaped.is_none().then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// The reason that a name of a table or index cannot stand in quotes.
fn title_error(name: &str) -> Option<String> {
    let ends = |c: char| c == '"' || c.is_control();
    name.contains(ends)
        .then(|| "no name that DynamoDB accepts".to_owned())
}

fn columns_error<'c>(columns: impl IntoIterator<Item = &'c KeyColumn>) -> Option<String> {
    columns.into_iter().find_map(|(name, _)| {
        let (reason, _) = unwritable(name)?;
        Some(format!("its key attribute `{name}`: {reason}"))
    })
}

fn index_error(index: &IndexDefinition) -> Option<String> {
    let IndexDefinition {
        name,
        is_local,
        partition,
        sort,
        projection,
    } = index;
    let key = if *is_local { sort } else { partition };
    if key.is_empty() {
        return Some("it has no key attribute".to_owned());
    }
    let projected = || match projection {
        Projection::All | Projection::Keys => None,
        Projection::Only(names) if names.is_empty() => {
            Some("it projects chosen attributes, and none is named".to_owned())
        }
        Projection::Only(names) => names.iter().find_map(|name| {
            let (reason, _) = unwritable(name)?;
            Some(format!("it projects `{name}`: {reason}"))
        }),
    };
    title_error(name)
        .or_else(|| columns_error(index.columns()))
        .or_else(projected)
}
