//! Keys in indexes. An item is in an index when it has all attributes of the index's key. They come
//! from lines of the entity, from the table's own key, and from attributes of the entity that have
//! the name of a key attribute.
//!
//! An attribute may be part of several keys if one template makes it. Two templates would overwrite
//! each other.

use super::comparison::stored_text;
use super::names::{attribute_of, distinct, unknown};
use super::template::{self, Columns};
use crate::check::meant;
use crate::diagnostic::{Diagnostic, Edit, Span, report};
use crate::schema::{Attribute, Column, Entity, Index, IndexKey, KeyPair, Sparse, Table, Type};
use crate::syntax::ast::{EntityDecl, IndexKeyDecl, SparseDecl};
use crate::template::{CHUNK_DIGITS, Format, KeyTemplate, Part};
use keyfold_types::KeyKind;
use std::collections::BTreeMap;

/// The template of one key attribute.
#[derive(Clone)]
struct Made {
    parts: Vec<Part>,
    sparse: Option<Sparse>,
    span: Span,
}

impl Made {
    /// The template with the number of the first part instead of the part's number.
    fn first_part(&self) -> Made {
        let number = |part: &Part| match part {
            Part::Chunk => Part::Text("0".repeat(CHUNK_DIGITS)),
            Part::Text(_) | Part::Field { .. } | Part::Shard { .. } | Part::Break => part.clone(),
        };
        Made {
            parts: self.parts.iter().map(number).collect(),
            ..self.clone()
        }
    }
}

/// Resolves the entity's keys in all indexes of its table.
pub(super) fn resolve_all(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    identity: &[Part],
    diagnostics: &mut Vec<Diagnostic>,
) {
    distinct(
        "index key",
        declared.indexes.iter().map(|index| &index.index),
        diagnostics,
    );
    let mut scope = Scope {
        table,
        entity: &*entity,
        identity,
        made: of_table(table, entity),
    };
    for index in &declared.indexes {
        scope.line(index, diagnostics);
    }
    if report(scope.add_attributes(), diagnostics).is_some() {
        check_filled_attributes(table, entity, diagnostics);
    }
    let keys: Vec<IndexKey> = table
        .indexes
        .iter()
        .enumerate()
        .filter_map(|(at, index)| {
            let line = declared
                .indexes
                .iter()
                .find(|line| line.index.text == index.name);
            scope.index_key(at, index, line)
        })
        .collect();
    entity.indexes.extend(keys);
}

/// The templates of the table's own key.
fn of_table(table: &Table, entity: &Entity) -> BTreeMap<String, Made> {
    table
        .columns()
        .zip(entity.key.templates())
        .map(|(column, template)| {
            let made = Made {
                parts: template.parts.clone(),
                sparse: None,
                span: entity.key.span,
            };
            (column.name.clone(), made)
        })
        .collect()
}

/// Whether an attribute is part of the table's own key.
fn is_base(table: &Table, column: &Column) -> bool {
    table.columns().any(|one| one.name == column.name)
}

/// Whether a template is nothing but the attribute of this name.
fn is_attribute_itself(parts: &[Part], attribute: &str) -> bool {
    matches!(parts, [Part::Field { name, format: Format::Bare, .. }] if name == attribute)
}

/// An entity and the templates of its key attributes found so far.
struct Scope<'e> {
    table: &'e Table,
    entity: &'e Entity,
    identity: &'e [Part],
    made: BTreeMap<String, Made>,
}

impl<'e> Scope<'e> {
    /// Resolves a line of the entity: templates for the index's own attributes, or for all of its
    /// key.
    fn line(&mut self, declared: &IndexKeyDecl, diagnostics: &mut Vec<Diagnostic>) {
        let Some(index) = report(self.index(declared), diagnostics) else {
            return;
        };
        let is_whole = declared.key.templates.len() == index.columns().count();
        let chosen = |columns: &'_ [Column]| -> Vec<Column> {
            columns
                .iter()
                .filter(|column| is_whole || !is_base(self.table, column))
                .cloned()
                .collect()
        };
        let (partition, sort) = (chosen(&index.partition), chosen(&index.sort));
        let columns = Columns {
            partition: partition.iter().collect(),
            sort: sort.iter().collect(),
        };
        if report(check_chosen(&columns, index, declared), diagnostics).is_none() {
            return;
        }
        if let Some(SparseDecl {
            attribute,
            value: Some(value),
        }) = &declared.sparse
            && let Some(found) = self.entity.attribute(&attribute.text)
        {
            let names = self.entity.attributes.iter().map(|one| one.name.as_str());
            diagnostics.extend(meant::report(value, &found.kind, names));
        }
        let key = template::key(&declared.key, &columns, self.entity, diagnostics);
        let Some(mut key) = key else { return };
        template::add_shard(&mut key, &declared.key, self.identity);
        let made = self.made_by(declared, index, &columns, &key);
        for (column, new) in report(made, diagnostics).unwrap_or_default() {
            report(self.assign(column, new, index), diagnostics);
        }
    }

    /// The index that a line names.
    fn index(&self, declared: &IndexKeyDecl) -> Result<&'e Index, Box<Diagnostic>> {
        let indexes = &self.table.indexes;
        let found = indexes
            .iter()
            .find(|index| index.name == declared.index.text);
        found.ok_or_else(|| {
            let what = format!("index of {}", self.table.name);
            let names = indexes.iter().map(|index| index.name.as_str());
            Box::new(unknown(&what, &declared.index, names).note(
                "a line in an entity is an attribute (`name: type`), an index's key, `key`, `copy`, `unique`, `ttl`, `version`, `count`, `sum`, `max`, `split`, `compress`, `unstored`, `expect` or `from`",
            ))
        })
    }

    /// The templates that a line makes, each with its key attribute. The table's key and attributes
    /// of the entity exist whatever `sparse` says.
    fn made_by<'c>(
        &self,
        declared: &IndexKeyDecl,
        index: &Index,
        columns: &Columns<'c>,
        key: &KeyPair,
    ) -> Result<Vec<(&'c Column, Made)>, Box<Diagnostic>> {
        let sparse = match &declared.sparse {
            None => None,
            Some(sparse) => Some(resolve_sparse(sparse, self.entity)?),
        };
        // Without a partition attribute to make, the partition template is empty.
        let partition = (!columns.partition.is_empty()).then_some(&key.partition);
        let templates = partition
            .into_iter()
            .chain(&key.sort)
            .flat_map(KeyTemplate::columns);
        let made: Vec<(&Column, &[Part])> = columns.all().zip(templates).collect();
        let always_exists = |column: &Column, parts: &[Part]| {
            is_base(self.table, column) || is_attribute_itself(parts, &column.name)
        };
        if sparse.is_some()
            && made
                .iter()
                .all(|(column, parts)| always_exists(column, parts))
        {
            let message = format!(
                "every {} with these attributes is in {}, whatever `sparse` says",
                self.entity.name, index.name
            );
            let label = "the key attributes are the entity's own";
            return Err(Box::new(
                Diagnostic::error("KF004", declared.key.span, message, label)
                    .note("an item is in an index when it has the attributes of its key, and these are its own")
                    .help("leave `sparse` out: an item without one of these attributes is not in the index")
                    .help("or give the index a key attribute of another name, which only some items get"),
            ));
        }
        let each = made.into_iter().map(|(column, parts)| {
            let new = Made {
                parts: parts.to_vec(),
                sparse: sparse.clone().filter(|_| !always_exists(column, parts)),
                span: declared.key.span,
            };
            (column, new)
        });
        Ok(each.collect())
    }

    /// Adds the template of a key attribute; a different template of the same attribute is refused.
    fn assign(&mut self, column: &Column, new: Made, index: &Index) -> Result<(), Box<Diagnostic>> {
        match self.made.get(&column.name) {
            Some(first) if first.parts != new.parts || first.sparse != new.sparse => {
                let message = format!(
                    "`{}` of {} is made in two ways, here for {}",
                    column.name, self.entity.name, index.name
                );
                Err(Box::new(
                    Diagnostic::error("KF018", new.span, message, "differs from the other")
                        .label(first.span, "made first here")
                        .note("an item has one value of an attribute, so one key would overwrite the other")
                        .help("write the same template in both places, or give the index a key attribute of its own"),
                ))
            }
            Some(_) => Ok(()),
            None => {
                self.made.insert(column.name.clone(), new);
                Ok(())
            }
        }
    }

    /// Adds the attributes of the entity that have the name of a key attribute.
    fn add_attributes(&mut self) -> Result<(), Box<Diagnostic>> {
        let of_indexes = self.table.indexes.iter().flat_map(Index::columns);
        for column in self.table.columns().chain(of_indexes) {
            let Some(attribute) = self.entity.attribute(&column.name) else {
                continue;
            };
            match self.made.get(&column.name) {
                Some(made) => check_not_overwritten(attribute, made)?,
                None => {
                    let made = made_of(attribute, column)?;
                    self.made.insert(column.name.clone(), made);
                }
            }
        }
        Ok(())
    }

    /// The entity's key in the index at place `at`; `None` when the entity lacks a key attribute.
    fn index_key(&self, at: usize, index: &Index, line: Option<&IndexKeyDecl>) -> Option<IndexKey> {
        let all: Vec<&Made> = index
            .columns()
            .map(|column| self.made.get(&column.name))
            .collect::<Option<_>>()?;
        // Of the parts of a split item, only the first has other key attributes than the table's.
        let is_of_base = index.columns().all(|column| is_base(self.table, column));
        let all: Vec<Made> = if is_of_base {
            all.into_iter().cloned().collect()
        } else {
            all.into_iter().map(Made::first_part).collect()
        };
        let span = line.map_or(self.entity.key.span, |line| line.key.span);
        let joined = |made: &[Made]| KeyTemplate {
            parts: made
                .iter()
                .map(|one| one.parts.clone())
                .collect::<Vec<_>>()
                .join(&Part::Break),
            span,
        };
        let (partition, sort) = all.split_at(index.partition.len());
        Some(IndexKey {
            index: at,
            key: KeyPair {
                partition: joined(partition),
                sort: (!sort.is_empty()).then(|| joined(sort)),
                span,
            },
            sparse: all.iter().find_map(|one| one.sparse.clone()),
            is_declared: line.is_some(),
        })
    }
}

/// A line must have an attribute to make.
fn check_chosen(
    columns: &Columns<'_>,
    index: &Index,
    declared: &IndexKeyDecl,
) -> Result<(), Box<Diagnostic>> {
    if columns.all().next().is_some() {
        return Ok(());
    }
    let message = format!("the key of {} is made of the table's key", index.name);
    let label = "nothing is left to make";
    Err(Box::new(
        Diagnostic::error("KF004", declared.key.span, message, label)
            .help("remove the line: every item of the table is in this index"),
    ))
}

/// Refuses an attribute whose name is that of a key attribute that a template makes.
fn check_not_overwritten(attribute: &Attribute, made: &Made) -> Result<(), Box<Diagnostic>> {
    if is_attribute_itself(&made.parts, &attribute.name) {
        return Ok(());
    }
    let name = &attribute.name;
    let message = format!("`{name}` is an attribute that the table's keys use");
    let label = "the key would overwrite it";
    Err(Box::new(
        Diagnostic::error("KF018", attribute.span, message, label)
            .label(made.span, "made from a template here")
            .help(format!(
                "rename the attribute, or let it be the key itself: {{{name}}}"
            )),
    ))
}

/// The template of a key attribute that is an attribute of the entity.
fn made_of(attribute: &Attribute, column: &Column) -> Result<Made, Box<Diagnostic>> {
    let fits = match column.kind {
        KeyKind::S => attribute.kind.is_text(),
        KeyKind::N => attribute.kind.is_number(),
        KeyKind::B => attribute.kind == Type::Binary,
    };
    if !fits {
        return Err(Box::new(wrong_type(attribute, column)));
    }
    let field = Part::Field {
        name: attribute.name.clone(),
        kind: attribute.kind.clone(),
        format: Format::Bare,
        excluded: Vec::new(),
    };
    Ok(Made {
        parts: vec![field],
        sparse: None,
        span: attribute.span,
    })
}

/// The error about an attribute that is a key attribute of another type.
fn wrong_type(attribute: &Attribute, column: &Column) -> Diagnostic {
    let (name, word) = (&attribute.name, column.word());
    let message = format!(
        "`{name}` is {}, and a key attribute that is declared as {word}",
        attribute.kind.with_article()
    );
    let label = "items with it would be refused";
    let diagnostic = Diagnostic::error("KF004", attribute.span, message, label)
        .label(column.span, format!("a {word} here"));
    let Some(kind) = attribute.kind.key_kind() else {
        return diagnostic.help(format!(
            "rename the attribute: {} is no key attribute",
            attribute.kind.with_article()
        ));
    };
    let declared = column.declared_as(kind);
    diagnostic
        .help(format!("declare the key attribute as `{declared}`"))
        .repair(vec![Edit::replace(column.span, declared)])
        .otherwise("rename the attribute, or give both the same type")
}

/// Refuses attributes of the entity that the table fills: its type and its time of expiry.
fn check_filled_attributes(table: &Table, entity: &Entity, diagnostics: &mut Vec<Diagnostic>) {
    for filled in table.type_attribute.iter().chain(&table.ttl_attribute) {
        if let Some(attribute) = entity.attribute(filled) {
            let message = format!(
                "`{filled}` is an attribute that the table {} fills itself",
                table.name
            );
            diagnostics.push(
                Diagnostic::error("KF018", attribute.span, message, "would be overwritten")
                    .label(table.span, "declared here")
                    .help("give one of them another name"),
            );
        }
    }
}

fn resolve_sparse(declared: &SparseDecl, entity: &Entity) -> Result<Sparse, Box<Diagnostic>> {
    let attribute = attribute_of(entity, &declared.attribute)?;
    let value = match &declared.value {
        None => None,
        Some(value) => Some(stored_text(attribute, value)?),
    };
    Ok(Sparse {
        attribute: attribute.name.clone(),
        value,
    })
}
