//! Types of attributes: names, references to other entities' attributes, records.

use super::names::unknown;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::schema::{Precision, Record, Type};
use crate::syntax::ast::{
    AttributeDecl, Collection, EntityDecl, Name, PartDecl, Tree, TypeDecl, texts,
};
use crate::syntax::foreign::type_meant;
use crate::types::TYPE_DEPTH_MAX;
use std::cell::Cell;
use std::collections::HashMap;

/// Most types that are resolved; a record counts wherever it is used. Records that hold records make
/// their number grow exponentially.
const RESOLVED_MAX: usize = 200_000;

/// The types that have a name.
const SCALARS: [Type; 9] = [
    Type::String,
    Type::Int,
    Type::Number,
    Type::Bool,
    Type::Time(Precision::Millis),
    Type::Date,
    Type::Binary,
    Type::Ulid,
    Type::Uuid,
];

/// The types of all attributes; references are followed.
pub(super) struct Types<'t> {
    tree: &'t Tree,
    entities: HashMap<&'t str, &'t EntityDecl>,
    /// The number of types resolved so far.
    resolved: Cell<usize>,
}

impl<'t> Types<'t> {
    pub(super) fn new(tree: &'t Tree) -> Types<'t> {
        let mut entities = HashMap::new();
        for entity in &tree.entities {
            entities.entry(entity.name.text.as_str()).or_insert(entity);
        }
        Types {
            tree,
            entities,
            resolved: Cell::new(0),
        }
    }

    /// The type of an attribute, or what is wrong with it.
    pub(super) fn of(&self, attribute: &AttributeDecl) -> Result<Type, Box<Diagnostic>> {
        self.resolve(&attribute.kind, &attribute.name, 0)
    }

    /// Resolves a type at a depth of nesting. Errors about its size point at `name`.
    pub(super) fn resolve(
        &self,
        declared: &TypeDecl,
        name: &Name,
        depth: usize,
    ) -> Result<Type, Box<Diagnostic>> {
        self.check_size(name, depth)?;
        match declared {
            TypeDecl::Named(word, None) => self.named(word, name, depth),
            TypeDecl::Named(word, Some(precision)) => time(word, precision),
            TypeDecl::Words(words) => Ok(Type::Words(texts(words))),
            TypeDecl::Of(what, span, inner) => {
                collection(*what, *span, self.resolve(inner, name, depth + 1)?)
            }
            TypeDecl::Reference(entity, target) => {
                let next = self.referenced(entity, target)?;
                self.resolve(&next.kind, name, depth + 1)
            }
        }
    }

    /// Refuses a type that is nested too deeply or refers to itself, and a model with too many
    /// types.
    fn check_size(&self, name: &Name, depth: usize) -> Result<(), Box<Diagnostic>> {
        self.resolved.set(self.resolved.get() + 1);
        let (message, label) = if depth > TYPE_DEPTH_MAX {
            (
                format!(
                    "refers to itself, or to another through more than {TYPE_DEPTH_MAX} references"
                ),
                "references go round in a circle, or are too deep",
            )
        } else if self.resolved.get() > RESOLVED_MAX {
            (
                "is too large".to_owned(),
                "records that hold records are too many when each is counted where it is used",
            )
        } else {
            return Ok(());
        };
        let message = format!("the type of `{}` {message}", name.text);
        Err(Box::new(Diagnostic::error(
            "KF002", name.span, message, label,
        )))
    }

    /// The attribute that `Entity.attribute` refers to.
    fn referenced(
        &self,
        entity: &Name,
        target: &Name,
    ) -> Result<&'t AttributeDecl, Box<Diagnostic>> {
        let Some(found) = self.entities.get(entity.text.as_str()) else {
            let entities = &self.tree.entities;
            let names = entities.iter().map(|entity| entity.name.text.as_str());
            return Err(Box::new(unknown("entity", entity, names)));
        };
        if let Some(view) = &found.view {
            let message = format!("{} is a view, and nothing refers to one", entity.text);
            let help = format!(
                "refer to what its source has: `{}.{}`",
                view.source.text, target.text
            );
            return Err(Box::new(
                Diagnostic::error("KF002", entity.span, message, "a view").help(help),
            ));
        }
        let attributes = &found.attributes;
        let next = attributes
            .iter()
            .find(|attribute| attribute.name.text == target.text);
        next.ok_or_else(|| {
            let what = format!("attribute of {}", entity.text);
            let names = attributes
                .iter()
                .map(|attribute| attribute.name.text.as_str());
            Box::new(unknown(&what, target, names))
        })
    }

    fn named(&self, name: &Name, of: &Name, depth: usize) -> Result<Type, Box<Diagnostic>> {
        match SCALARS
            .into_iter()
            .find(|kind| kind.to_string() == name.text)
        {
            Some(kind) => Ok(kind),
            None => self.record(name, of, depth),
        }
    }

    /// The error about a type that is none.
    fn no_type(&self, name: &Name, of: &Name) -> Diagnostic {
        let records = self
            .tree
            .records
            .iter()
            .map(|record| record.name.text.as_str());
        let scalars: Vec<String> = SCALARS.iter().map(Type::to_string).collect();
        let known = scalars.iter().map(String::as_str).chain(records);
        let entity = self.entities.get(name.text.as_str());
        let meant = type_meant(&name.text);
        let is_meant = entity.is_some() || meant.is_some();
        let error = unknown("type", name, known.filter(|_| !is_meant));
        if let Some((target, is_sure)) = entity.and_then(|entity| identifying(entity, of)) {
            let meant = format!("{}.{target}", name.text);
            let edits = vec![Edit::replace(name.span, meant.clone())];
            let error = error
                .note("a reference is the attribute that identifies the other entity")
                .help(format!("write `{meant}`"));
            return match is_sure {
                true => error.repair(edits),
                false => error.offer(edits),
            };
        }
        let error = error.note("a type is one of these, words (`pending | paid`, one alone in quotes: `\"user\"`), another entity's attribute (`User.userId`), a record, or `list of`, `map of`, `set of` a type");
        match meant {
            Some(meant) => error
                .help(format!("write `{meant}`"))
                .repair(vec![Edit::replace(name.span, meant)]),
            None => error,
        }
    }

    /// The record of a name, with the types of its fields. `of` is the attribute.
    fn record(&self, name: &Name, of: &Name, depth: usize) -> Result<Type, Box<Diagnostic>> {
        let Some(record) = self
            .tree
            .records
            .iter()
            .find(|record| record.name.text == name.text)
        else {
            return Err(Box::new(self.no_type(name, of)));
        };
        let fields = record.fields.iter().map(|field| {
            let kind = self.resolve(&field.kind, &field.name, depth + 1)?;
            Ok((field.name.text.clone(), kind, field.optional))
        });
        let fields = fields.collect::<Result<_, Box<Diagnostic>>>()?;
        let refers = record.fields.iter().filter_map(|field| {
            let target = reference(&field.kind)?;
            Some((field.name.text.clone(), target))
        });
        Ok(Type::Record(Record {
            name: name.text.clone(),
            fields,
            refers: refers.collect(),
        }))
    }
}

/// The attribute of an entity that a reference probably means, and whether it is sure: one of the same
/// name as the attribute `of`, else one that has `id` in its name.
fn identifying<'e>(entity: &'e EntityDecl, of: &Name) -> Option<(&'e str, bool)> {
    let names = || entity.attributes.iter().map(|one| one.name.text.as_str());
    let same = names().find(|name| *name == of.text);
    let is_id = |name: &&str| name.to_ascii_lowercase().ends_with("id");
    let parts = || {
        entity
            .key
            .iter()
            .flat_map(|key| key.templates.iter().flat_map(|one| &one.parts))
    };
    let fields = || {
        parts().filter_map(|part| match part {
            PartDecl::Field { name, .. } => Some(name.text.as_str()),
            PartDecl::Text(_) => None,
        })
    };
    let guess = || names().find(is_id).or_else(|| fields().next_back());
    same.map(|name| (name, true))
        .or_else(|| guess().map(|name| (name, false)))
}

/// The names of the entity and the attribute that a type refers to: `User.userId`.
pub(super) fn reference(kind: &TypeDecl) -> Option<(String, String)> {
    match kind {
        TypeDecl::Reference(entity, attribute) => {
            Some((entity.text.clone(), attribute.text.clone()))
        }
        TypeDecl::Named(..) | TypeDecl::Words(_) | TypeDecl::Of(..) => None,
    }
}

/// `time(precision)`.
fn time(name: &Name, precision: &Name) -> Result<Type, Box<Diagnostic>> {
    let known = [
        Precision::Seconds,
        Precision::Millis,
        Precision::Micros,
        Precision::Nanos,
    ];
    let found = known
        .into_iter()
        .find(|known| known.word() == precision.text);
    match found {
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
    }
}

/// `list of`, `map of` or `set of` a type. `span` is the place of the first word.
fn collection(what: Collection, span: Span, of: Type) -> Result<Type, Box<Diagnostic>> {
    match what {
        Collection::List => Ok(Type::List(Box::new(of))),
        Collection::Map => Ok(Type::Map(Box::new(of))),
        Collection::Set if of.is_text() || of.is_number() || of == Type::Binary => {
            Ok(Type::Set(Box::new(of)))
        }
        Collection::Set => Err(Box::new(
            Diagnostic::error(
                "KF004",
                span,
                format!("there are no sets of {of}"),
                "a set holds texts, numbers or binary values",
            )
            .help("use `list of`"),
        )),
    }
}
