//! Findings: what is wrong with a stored item, and the line of the model that it breaks.

use keyfold_lower::difference::Declared;
use keyfold_model::diagnostic::Span;
use keyfold_model::{Entity, Sources, Table};
use keyfold_types::Item;

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The table is not as the model declares it.
    Definition,
    /// No kind of the model has this key.
    UnknownItem,
    /// The key does not follow from the attributes.
    Key,
    /// A required attribute is absent.
    MissingAttribute,
    /// An attribute is no value of its type.
    WrongType,
    /// The key attributes of an index do not follow from the attributes.
    IndexKey,
    /// An attribute that the model keeps beside the declared ones is wrong.
    Hidden,
    /// No copy can be made of the attributes.
    CopyKey,
    /// A copy is absent.
    CopyMissing,
    /// A copy differs from its item.
    CopyStale,
    /// A copy belongs to no item.
    CopyForeign,
    /// No guard can be made of the attributes.
    GuardKey,
    /// The guard of a unique value is absent.
    GuardMissing,
    /// The guard of an `id` says another place than that of its item.
    GuardStale,
    /// A guard belongs to no item.
    GuardForeign,
    /// Two items have the same unique value.
    NotUnique,
    /// An aggregate differs from the items.
    Aggregate,
    /// A part of a split list is absent.
    PartMissing,
    /// A part belongs to no list.
    PartForeign,
    /// A row of a view is not what the items of its source make.
    ViewRow,
}

impl FindingKind {
    /// All kinds, in their order.
    pub const ALL: [FindingKind; 20] = [
        FindingKind::Definition,
        FindingKind::UnknownItem,
        FindingKind::Key,
        FindingKind::MissingAttribute,
        FindingKind::WrongType,
        FindingKind::IndexKey,
        FindingKind::Hidden,
        FindingKind::CopyKey,
        FindingKind::CopyMissing,
        FindingKind::CopyStale,
        FindingKind::CopyForeign,
        FindingKind::GuardKey,
        FindingKind::GuardMissing,
        FindingKind::GuardStale,
        FindingKind::GuardForeign,
        FindingKind::NotUnique,
        FindingKind::Aggregate,
        FindingKind::PartMissing,
        FindingKind::PartForeign,
        FindingKind::ViewRow,
    ];

    /// The kind with this [`FindingKind::word`].
    pub(super) fn of_word(word: &str) -> Option<FindingKind> {
        FindingKind::ALL
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// The word of programs.
    pub fn word(self) -> &'static str {
        match self {
            FindingKind::Definition => "table_definition",
            FindingKind::UnknownItem => "unknown_item",
            FindingKind::Key => "key",
            FindingKind::MissingAttribute => "missing_attribute",
            FindingKind::WrongType => "wrong_type",
            FindingKind::IndexKey => "index_key",
            FindingKind::Hidden => "hidden_attribute",
            FindingKind::CopyKey => "copy_key",
            FindingKind::CopyMissing => "copy_missing",
            FindingKind::CopyStale => "copy_stale",
            FindingKind::CopyForeign => "copy_foreign",
            FindingKind::GuardKey => "guard_key",
            FindingKind::GuardMissing => "guard_missing",
            FindingKind::GuardStale => "guard_stale",
            FindingKind::GuardForeign => "guard_foreign",
            FindingKind::NotUnique => "not_unique",
            FindingKind::Aggregate => "aggregate",
            FindingKind::PartMissing => "part_missing",
            FindingKind::PartForeign => "part_foreign",
            FindingKind::ViewRow => "view_row",
        }
    }

    /// The sentence for people.
    pub fn text(self) -> &'static str {
        match self {
            FindingKind::Definition => "the table is not as the model declares it",
            FindingKind::UnknownItem => "no kind of the model has this key",
            FindingKind::Key => "the key does not follow from the attributes",
            FindingKind::MissingAttribute => "a required attribute is missing",
            FindingKind::WrongType => "an attribute is no value of its type",
            FindingKind::IndexKey => "an index key does not follow from the attributes",
            FindingKind::Hidden => "an attribute that the model keeps is wrong",
            FindingKind::CopyKey => "no copy can be stored of an item",
            FindingKind::CopyMissing => "a copy is missing",
            FindingKind::CopyStale => "a copy differs from its item",
            FindingKind::CopyForeign => "a copy belongs to no item",
            FindingKind::GuardKey => "no guard can be stored of an item",
            FindingKind::GuardMissing => "the guard of a unique value is missing",
            FindingKind::GuardStale => "a guard says another place than its item's",
            FindingKind::GuardForeign => "a guard belongs to no item",
            FindingKind::NotUnique => "two items have the same unique value",
            FindingKind::Aggregate => "an aggregate differs from the items",
            FindingKind::PartMissing => "a part of a list is missing",
            FindingKind::PartForeign => "a part belongs to no list",
            FindingKind::ViewRow => "a row of a view differs from what its source gives",
        }
    }
}

/// A line of the model: a declaration, or the line of an entity that begins with a word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelLine {
    /// The declaration's start, in bytes of the source.
    start: usize,
    /// The end of the declaration's lines; only with a word.
    end: usize,
    /// The word, such as `unique`, and a name in the line.
    word: Option<(String, String)>,
}

impl ModelLine {
    /// The line at a place of the source.
    pub(super) fn at(span: Span) -> ModelLine {
        ModelLine {
            start: span.start,
            end: span.end,
            word: None,
        }
    }

    /// The line of an entity that begins with a word and contains a name.
    pub(super) fn of_word(entity: &Entity, word: &str, name: &str) -> ModelLine {
        ModelLine {
            start: entity.span.start,
            end: entity.end,
            word: Some((word.to_owned(), name.to_owned())),
        }
    }

    /// The line of a table that it contradicts.
    pub(super) fn of_table(table: &Table, declared: &Declared) -> ModelLine {
        match declared {
            Declared::Table => ModelLine::at(table.span),
            Declared::Index(span) => ModelLine::at(*span),
            Declared::Setting(word, name) => ModelLine {
                start: table.span.start,
                end: table.end,
                word: Some(((*word).to_owned(), name.clone())),
            },
        }
    }

    /// What [`ModelLine::of_parts`] makes the line of.
    pub(super) fn parts(&self) -> (usize, usize, Option<(String, String)>) {
        (self.start, self.end, self.word.clone())
    }

    pub(super) fn of_parts(
        (start, end, word): (usize, usize, Option<(String, String)>),
    ) -> ModelLine {
        ModelLine { start, end, word }
    }

    /// The line in the texts of the model.
    pub fn find<'s>(&self, sources: &'s Sources) -> FoundLine<'s> {
        let Some(file) = sources.file_at(self.start) else {
            return FoundLine {
                path: String::new(),
                owner: None,
                number: 1,
                text: "",
            };
        };
        let from = file.span().start;
        let (number, text) = self.find_in(sources.text_of(file), from);
        FoundLine {
            path: sources.path_of(file),
            owner: file.owner(),
            number,
            text,
        }
    }

    /// The number of the line in a text that lies at a place, and the line without indentation.
    fn find_in<'s>(&self, source: &'s str, from: usize) -> (usize, &'s str) {
        let number_at = |at: usize| source.get(..at).unwrap_or("").matches('\n').count();
        let (first, last) = (
            number_at(self.start.saturating_sub(from)),
            number_at(self.end.saturating_sub(from)),
        );
        let lines = || source.lines().enumerate().skip(first);
        let of_word = self.word.as_ref().and_then(|(word, name)| {
            let is_it = |text: &str| {
                let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.next() == Some(word.as_str())
                    && (name.is_empty()
                        || words.any(|one| one == name)
                        || text.contains(&format!("\"{name}\"")))
            };
            lines()
                .take(last.saturating_sub(first) + 1)
                .find(|(_, text)| is_it(text.trim_start()))
        });
        let (at, text) = of_word.or_else(|| lines().next()).unwrap_or((first, ""));
        (at + 1, text.trim())
    }
}

/// A line of a model with its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine<'s> {
    /// The path of the file.
    pub path: String,
    /// The owner that the file names.
    pub owner: Option<&'s str>,
    /// The number of the line, from 1.
    pub number: usize,
    /// Its text without indentation.
    pub text: &'s str,
}

/// Something that is wrong with a stored item.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The table of the item.
    pub table: String,
    /// The key of the item; of an absent item, the key that it should have; empty for the table.
    pub key: Item,
    /// The kind of the item: an entity, a copy as `Entity.copy`, a part as `Entity.part`, `unique`;
    /// `None` for an item of no kind, and for the table.
    pub item: Option<String>,
    /// The key of the item that this one follows from, where it is another one.
    pub owner: Option<Item>,
    /// The line of the model that is broken; `None` for an item of no kind.
    pub line: Option<ModelLine>,
    /// The details: names and values.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        for (at, kind) in FindingKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, at);
            assert_eq!(FindingKind::of_word(kind.word()), Some(kind));
        }
    }
}
