//! Types of attributes: names, references to other entities' attributes, records.

use super::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{Precision, Record, Type};
use crate::syntax::ast::{AttributeDecl, EntityDecl, Name, Tree, TypeDecl};
use std::cell::Cell;
use std::collections::HashMap;

const NAMED: [&str; 9] = [
    "string", "int", "number", "bool", "time", "date", "binary", "ulid", "uuid",
];

/// The types of all attributes, references followed.
pub(super) struct Types<'t> {
    tree: &'t Tree,
    entities: HashMap<&'t str, &'t EntityDecl>,
    /// Types that have been looked at: records that hold records would make it very many.
    looked_at: Cell<usize>,
}

/// Deepest nesting of a type: DynamoDB's items have at most 32 levels.
const DEPTH_MAX: usize = 30;
/// Most types of a model, records counted wherever they are used.
const LOOKED_AT_MAX: usize = 200_000;

impl<'t> Types<'t> {
    pub(super) fn new(tree: &'t Tree) -> Types<'t> {
        let mut entities = HashMap::new();
        for entity in &tree.entities {
            entities.entry(entity.name.text.as_str()).or_insert(entity);
        }
        Types {
            tree,
            entities,
            looked_at: Cell::new(0),
        }
    }

    /// The type of an attribute; `Err` says what is wrong with it.
    pub(super) fn of(&self, attribute: &AttributeDecl) -> Result<Type, Box<Diagnostic>> {
        self.resolve(&attribute.kind, &attribute.name, 0)
    }

    pub(super) fn resolve(
        &self,
        declared: &TypeDecl,
        name: &Name,
        depth: usize,
    ) -> Result<Type, Box<Diagnostic>> {
        self.looked_at.set(self.looked_at.get() + 1);
        if depth > DEPTH_MAX || self.looked_at.get() > LOOKED_AT_MAX {
            let (message, label) = if depth > DEPTH_MAX {
                (
                    "refers to itself, or to another through more than 30 references",
                    "references go round in a circle, or are too deep",
                )
            } else {
                (
                    "is too large",
                    "records that hold records are too many when each is counted where it is used",
                )
            };
            let message = format!("the type of `{}` {message}", name.text);
            return Err(Box::new(Diagnostic::error(
                "KF002", name.span, message, label,
            )));
        }
        match declared {
            TypeDecl::Named(word, precision) => self.named(word, precision.as_ref(), depth),
            TypeDecl::Words(words) => Ok(Type::Words(
                words.iter().map(|word| word.text.clone()).collect(),
            )),
            TypeDecl::Of(what, inner) => {
                let inner_type = self.resolve(inner, name, depth + 1)?;
                match what.text.as_str() {
                    "list" => Ok(Type::List(Box::new(inner_type))),
                    "map" => Ok(Type::Map(Box::new(inner_type))),
                    _ if inner_type.is_text()
                        || inner_type.is_number()
                        || inner_type == Type::Binary =>
                    {
                        Ok(Type::Set(Box::new(inner_type)))
                    }
                    _ => Err(Box::new(
                        Diagnostic::error(
                            "KF004",
                            what.span,
                            format!("there are no sets of {inner_type}"),
                            "a set holds texts, numbers or binary values",
                        )
                        .help("use `list of`"),
                    )),
                }
            }
            TypeDecl::Reference(entity, target) => {
                let names = || {
                    self.tree
                        .entities
                        .iter()
                        .map(|entity| entity.name.text.as_str())
                };
                let found = self.entities.get(entity.text.as_str()).copied();
                let found = found.ok_or_else(|| Box::new(unknown("entity", entity, names())))?;
                let attributes = || {
                    found
                        .attributes
                        .iter()
                        .map(|attribute| attribute.name.text.as_str())
                };
                let next = found
                    .attributes
                    .iter()
                    .find(|attribute| attribute.name.text == target.text);
                let next = next.ok_or_else(|| {
                    Box::new(unknown(
                        &format!("attribute of {}", entity.text),
                        target,
                        attributes(),
                    ))
                })?;
                self.resolve(&next.kind, name, depth + 1)
            }
        }
    }

    fn named(
        &self,
        name: &Name,
        precision: Option<&Name>,
        depth: usize,
    ) -> Result<Type, Box<Diagnostic>> {
        if let Some(precision) = precision {
            let known = [
                Precision::Seconds,
                Precision::Millis,
                Precision::Micros,
                Precision::Nanos,
            ];
            let found = known
                .into_iter()
                .find(|known| known.word() == precision.text);
            return match found {
                Some(found) if name.text == "time" => Ok(Type::Time(found)),
                Some(_) => Err(Box::new(
                    Diagnostic::error(
                        "KF004",
                        precision.span,
                        "only a time has a precision",
                        "not this type",
                    )
                    .help("remove the parentheses"),
                )),
                None => Err(Box::new(unknown(
                    "precision",
                    precision,
                    known.map(Precision::word).into_iter(),
                ))),
            };
        }
        Ok(match name.text.as_str() {
            "string" => Type::String,
            "int" => Type::Int,
            "number" => Type::Number,
            "bool" => Type::Bool,
            "time" => Type::Time(Precision::Millis),
            "date" => Type::Date,
            "binary" => Type::Binary,
            "ulid" => Type::Ulid,
            "uuid" => Type::Uuid,
            _ => return self.record(name, depth),
        })
    }

    fn record(&self, name: &Name, depth: usize) -> Result<Type, Box<Diagnostic>> {
        let Some(record) = self
            .tree
            .records
            .iter()
            .find(|record| record.name.text == name.text)
        else {
            let records = self
                .tree
                .records
                .iter()
                .map(|record| record.name.text.as_str());
            return Err(Box::new(
                unknown("type", name, NAMED.into_iter().chain(records))
                    .note("a type is one of these, words (`pending | paid`), another entity's attribute (`User.userId`), a record, or `list of`, `map of`, `set of` a type"),
            ));
        };
        let fields = record.fields.iter().map(|field| {
            let kind = self.resolve(&field.kind, &field.name, depth + 1)?;
            Ok((field.name.text.clone(), kind, field.optional))
        });
        let fields = fields.collect::<Result<_, Box<Diagnostic>>>()?;
        Ok(Type::Record(Record {
            name: name.text.clone(),
            fields,
        }))
    }
}
