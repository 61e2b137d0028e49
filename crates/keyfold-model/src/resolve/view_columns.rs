//! The columns of views: what each attribute of a row is made of, and its type.

use super::link::Link;
use super::names::{attribute_of, unknown};
use crate::diagnostic::{Diagnostic, Span, report};
use crate::period::Unit;
use crate::schema::view::{Column, From};
use crate::schema::{Attribute, Condition, Entity, Model, Record, Type};
use crate::syntax::ast::{
    EntityDecl, FromDecl, KeyDecl, Name, PartDecl, Tree, ViewColumnDecl, ViewDecl,
};
use crate::words::{Fold, Order};

/// Most items of a `top`: a row is one item of at most 400 KB.
const TOP_MAX: u32 = 100;

/// What has a least and a greatest value.
pub(super) const ORDERED: &str = "a number, a time, a date or a ulid";

/// A view whose columns are resolved.
pub(super) struct Scope<'v> {
    pub(super) declared: &'v EntityDecl,
    pub(super) view: &'v ViewDecl,
    pub(super) source: &'v Entity,
    /// The conditions on its source's items.
    pub(super) when: &'v [Condition],
    pub(super) is_grouped: bool,
    /// The declarations, and the entities among them.
    pub(super) known: (&'v Tree, &'v Model),
}

/// An attribute of a row, and what it is made of.
type Made = (Attribute, Column);

/// A name in a key's templates, and the longest text that they keep of it: `None` is all of it.
struct Field<'d> {
    name: &'d Name,
    cut: Option<Unit>,
}

impl<'v> Scope<'v> {
    /// The columns: those of the keys' attributes, then those that the view declares. `None` where a
    /// key has an attribute that no row has.
    pub(super) fn columns(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<Made>> {
        let keys: Vec<Field<'_>> = fields(self.declared.key.iter());
        let indexed = fields(self.declared.indexes.iter().map(|index| &index.key));
        let mut of_keys: Vec<Option<Made>> = Vec::new();
        for field in &keys {
            match self.column(&field.name.text) {
                None => {
                    let made = self.key_field(field.name, field.name, field.cut);
                    of_keys.push(report(made, diagnostics));
                }
                Some(column) if !matches!(column.from, FromDecl::Attribute(_)) => {
                    let error = Err(Box::new(self.kept_in_key(column, field.name)));
                    of_keys.push(report(error, diagnostics));
                }
                Some(_) => {}
            }
        }
        for field in &indexed {
            let is_known = keys.iter().any(|key| key.name.text == field.name.text);
            if !is_known && self.column(&field.name.text).is_none() {
                of_keys.push(report(self.indexed(field.name), diagnostics));
            }
        }
        let mut declared = Vec::new();
        for column in &self.view.columns {
            declared.extend(report(self.declared(column, &keys), diagnostics));
        }
        let mut all: Vec<Made> = of_keys.into_iter().collect::<Option<_>>()?;
        all.extend(declared);
        Some(all)
    }

    /// Whether the conditions hold only for items that have an attribute.
    fn demands(&self, attribute: &str) -> bool {
        let demands = |one: &Condition| one.demands(attribute);
        self.when.iter().any(demands)
    }

    /// The declared column of a name.
    fn column(&self, name: &str) -> Option<&'v ViewColumnDecl> {
        let mut columns = self.view.columns.iter();
        columns.find(|column| column.name.text == name)
    }

    /// An attribute of the row's key: the source's attribute `of` under a name.
    fn key_field(
        &self,
        name: &Name,
        of: &Name,
        cut: Option<Unit>,
    ) -> Result<Made, Box<Diagnostic>> {
        let found = attribute_of(self.source, of)?;
        if found.optional && !self.demands(&found.name) {
            return Err(Box::new(self.may_lack(name, found)));
        }
        let from = match cut {
            Some(_) if !self.is_grouped => From::Copied {
                of: found.name.clone(),
            },
            cut => From::Group {
                of: found.name.clone(),
                cut,
            },
        };
        Ok(made(name, name.span, found, from))
    }

    /// The error about an optional attribute of the source in a row's key.
    fn may_lack(&self, name: &Name, found: &Attribute) -> Diagnostic {
        let (view, of) = (&self.declared.name.text, &self.source.name);
        let message = format!(
            "the key of {view} is made of `{}`, which may be missing in {of}",
            found.name
        );
        let label = "an item without it has no row";
        Diagnostic::error("KF019", name.span, message, label)
            .label(found.span, "declared optional here")
            .help(format!(
                "let only items with it be in the view: `where exists {}`",
                found.name
            ))
            .help("or make it required: remove the `?` behind its type")
    }

    /// The error about a column of the row's key that follows from the items of the row: these are found by the key.
    fn kept_in_key(&self, column: &ViewColumnDecl, field: &Name) -> Diagnostic {
        let (view, name) = (&self.declared.name.text, &column.name.text);
        let message = format!(
            "`{name}` is part of the key of {view}, and is kept from what lies under the key"
        );
        Diagnostic::error(
            "KF019",
            column.span,
            message,
            "changes with the items of a row",
        )
        .label(field.span, "in the key")
        .help("give the column another name")
    }

    /// An attribute of an index key that is not in the row's own key.
    fn indexed(&self, name: &Name) -> Result<Made, Box<Diagnostic>> {
        let found = attribute_of(self.source, name)?;
        if self.is_grouped {
            return Err(Box::new(self.several(name, found)));
        }
        let of = found.name.clone();
        Ok(made(name, name.span, found, From::Copied { of }))
    }

    /// The error about an attribute of which the items of a row may have several values.
    fn several(&self, name: &Name, found: &Attribute) -> Diagnostic {
        let (view, of) = (&self.declared.name.text, &self.source.name);
        let message = format!(
            "the {of} items of a row of {view} need not have the same `{}`",
            found.name
        );
        let error = Diagnostic::error("KF019", name.span, message, "which of their values?")
            .label(self.key_span(), "rows are grouped by this key");
        let key = format!("put {{{}}} in the key", found.name);
        if found.kind.is_number() || found.kind.is_time() {
            let fold = format!("or take one of them: `max {}`", found.name);
            return error.help(key).help(fold);
        }
        error.help(key).help(format!(
            "or count the different ones: `distinct {}`",
            found.name
        ))
    }

    fn key_span(&self) -> Span {
        let key = self.declared.key.as_ref();
        key.map_or(self.declared.name.span, |key| key.span)
    }

    /// A column that the view declares.
    fn declared(
        &self,
        column: &ViewColumnDecl,
        keys: &[Field<'_>],
    ) -> Result<Made, Box<Diagnostic>> {
        let name = &column.name;
        let kept = |kind: Type, optional: bool, from: From| {
            let attribute = Attribute {
                name: name.text.clone(),
                span: name.span,
                kind,
                optional,
                mark: None,
                default: None,
                refers: None,
                is_kept: true,
                was: Vec::new(),
                former: None,
            };
            let column = Column {
                attribute: name.text.clone(),
                from,
                span: column.span,
            };
            (attribute, column)
        };
        match &column.from {
            FromDecl::Count => Ok(kept(Type::Int, false, From::Count)),
            FromDecl::Fold(fold, of) => {
                let (kind, optional, from) = self.folded(*fold, of)?;
                Ok(kept(kind, optional, from))
            }
            FromDecl::Top { .. } => {
                let (kind, from) = self.top(column)?;
                Ok(kept(kind, false, from))
            }
            FromDecl::Joined { entity, of, by } => {
                let (kind, from) = self.joined(column, (entity, of), by)?;
                Ok(kept(kind, true, from))
            }
            FromDecl::Attribute(of) => self.copied(column, of, keys),
        }
    }

    /// `name: attribute`.
    fn copied(
        &self,
        column: &ViewColumnDecl,
        of: &Name,
        keys: &[Field<'_>],
    ) -> Result<Made, Box<Diagnostic>> {
        let found = attribute_of(self.source, of)?;
        let own = keys.iter().find(|key| key.name.text == column.name.text);
        if let Some(own) = own {
            return self.key_field(&column.name, of, own.cut);
        }
        let name = &column.name;
        if !self.is_grouped {
            let of = found.name.clone();
            return Ok(made(name, column.span, found, From::Copied { of }));
        }
        match self.grouped(&found.name, keys) {
            Some(cut) => self.key_field(name, of, cut),
            None => Err(Box::new(self.several(of, found))),
        }
    }

    /// What the row's key keeps of a source's attribute; `None` if it is not in the key.
    fn grouped(&self, of: &str, keys: &[Field<'_>]) -> Option<Option<Unit>> {
        let source = |field: &Field<'_>| {
            match self.column(&field.name.text).map(|one| &one.from) {
                Some(FromDecl::Attribute(of)) => Some(of.text.as_str()),
                None => Some(field.name.text.as_str()),
                Some(
                    FromDecl::Count
                    | FromDecl::Fold(..)
                    | FromDecl::Top { .. }
                    | FromDecl::Joined { .. },
                ) => None,
            }
            .is_some_and(|name| name == of)
        };
        let cuts = keys.iter().filter(|field| source(field));
        cuts.map(|field| field.cut).min()
    }

    /// The type of a fold, whether it may be absent, and what it is made of.
    fn folded(&self, fold: Fold, of: &Name) -> Result<(Type, bool, From), Box<Diagnostic>> {
        let found = attribute_of(self.source, of)?;
        let kind = &found.kind;
        let (fits, needed) = match fold {
            Fold::Sum | Fold::Average => (kind.is_number(), "a number"),
            Fold::Min | Fold::Max => (kind.is_number() || kind.is_time(), ORDERED),
            Fold::Distinct => (kind.fits_key(), "a text, a number or a bool"),
        };
        if !fits {
            return Err(Box::new(wrong_type(fold.word(), of, found, needed)));
        }
        let of = found.name.clone();
        Ok(match fold {
            Fold::Sum => (kind.clone(), false, From::Sum { of }),
            Fold::Min => (kind.clone(), true, From::Min { of }),
            Fold::Max => (kind.clone(), true, From::Max { of }),
            Fold::Average => (Type::Number, true, From::Average { of }),
            Fold::Distinct => (Type::Int, false, From::Distinct { of }),
        })
    }

    /// `top 3 total only a, b`: a list of records.
    fn top(&self, column: &ViewColumnDecl) -> Result<(Type, From), Box<Diagnostic>> {
        let FromDecl::Top {
            number,
            number_span,
            order,
            by,
            only,
        } = &column.from
        else {
            return Ok((Type::Int, From::Count));
        };
        if !(1..=TOP_MAX).contains(number) {
            let message = format!("a row holds the first 1 to {TOP_MAX} items, not {number}");
            return Err(Box::new(
                Diagnostic::error("KF004", *number_span, message, "too many or none")
                    .help("more of them are a pattern of the source, in this order"),
            ));
        }
        let found = attribute_of(self.source, by)?;
        if !(found.kind.is_number() || found.kind.is_time()) {
            return Err(Box::new(wrong_type("top", by, found, ORDERED)));
        }
        if let Some((order, span)) = order
            && !order.fits(&found.kind)
        {
            let message = format!("{} has no {}", found.kind.with_article(), order.word());
            let label = "numbers are `highest` or `lowest`, times `newest` or `oldest`";
            return Err(Box::new(
                Diagnostic::error("KF004", *span, message, label)
                    .label(found.span, "declared here"),
            ));
        }
        let mut fields = vec![(found.name.clone(), found.kind.clone(), false)];
        let mut refers = Vec::new();
        for name in only {
            let found = attribute_of(self.source, name)?;
            if fields.iter().any(|(known, ..)| *known == found.name) {
                continue;
            }
            let optional = found.optional && !self.demands(&found.name);
            fields.push((found.name.clone(), found.kind.clone(), optional));
            let target = found.refers.clone();
            refers.extend(target.map(|target| (found.name.clone(), target)));
        }
        let from = From::Top {
            number: *number,
            by: found.name.clone(),
            descending: order.is_none_or(|(order, _)| Order::is_descending(order)),
            fields: fields.iter().map(|(name, ..)| name.clone()).collect(),
        };
        let record = Record {
            name: self.record_name(&column.name)?,
            fields,
            refers,
        };
        Ok((Type::List(Box::new(Type::Record(record))), from))
    }

    /// The name of the records of a `top`: the view's and the column's.
    fn record_name(&self, column: &Name) -> Result<String, Box<Diagnostic>> {
        let mut name = self.declared.name.text.clone();
        let mut starts = true;
        for c in column.text.chars() {
            if !c.is_alphanumeric() {
                starts = true;
            } else if std::mem::take(&mut starts) {
                name.extend(c.to_uppercase());
            } else {
                name.push(c);
            }
        }
        let (tree, _) = self.known;
        let records = tree.records.iter().map(|record| &record.name);
        let mut all = records.chain(tree.entities.iter().map(|entity| &entity.name));
        let Some(taken) = all.find(|other| other.text == name) else {
            return Ok(name);
        };
        let message = format!("the items of `{}` are records named {name}", column.text);
        Err(Box::new(
            Diagnostic::error("KF003", column.span, message, "this name is taken")
                .label(taken.span, "declared here")
                .help("give the column another name"),
        ))
    }

    /// `Entity.attribute`: its type, and what refers to the entity.
    fn joined(
        &self,
        column: &ViewColumnDecl,
        (entity, of): (&Name, &Name),
        by: &[Name],
    ) -> Result<(Type, From), Box<Diagnostic>> {
        let (_, model) = self.known;
        let mut entities = model.entities.iter().enumerate();
        let found = entities.find(|(_, one)| one.name == entity.text && one.view.is_none());
        let Some((at, parent)) = found else {
            let mut declared = self.known.0.entities.iter();
            if declared.any(|one| one.name.text == entity.text && one.view.is_some()) {
                let message = format!(
                    "{} is a view, and a row shows what entities have",
                    entity.text
                );
                return Err(Box::new(Diagnostic::error(
                    "KF019",
                    entity.span,
                    message,
                    "a view",
                )));
            }
            let names = model.entities.iter().filter(|one| one.view.is_none());
            let names = names.map(|one| one.name.as_str());
            return Err(Box::new(unknown("entity", entity, names)));
        };
        let attribute = attribute_of(parent, of)?;
        check_followed(entity, parent)?;
        let (name, source) = (&self.declared.name.text, &self.source.name);
        let link_of = Link {
            at: entity.span,
            by,
            start: format!("{}: {}.{}", column.name.text, parent.name, of.text),
            need: format!(
                "a row of {name} shows an attribute of the {} to which its {source} refers",
                parent.name
            ),
            ends: (parent, self.source),
            model,
        };
        link_of.check_named()?;
        let mut link = Vec::new();
        for field in parent.key.fields() {
            let own = link_of.attribute(field)?;
            let keys = fields(self.declared.key.iter());
            if self.is_grouped && self.grouped(&own.name, &keys) != Some(None) {
                let place = Name {
                    text: own.name.clone(),
                    span: entity.span,
                };
                return Err(Box::new(self.several(&place, own)));
            }
            let pair = (field.to_owned(), own.name.clone());
            if !link.contains(&pair) {
                link.push(pair);
            }
        }
        let of = attribute.name.clone();
        Ok((
            attribute.kind.clone(),
            From::Joined {
                entity: at,
                link,
                of,
            },
        ))
    }
}

/// Refuses an entity whose changes no row can follow.
fn check_followed(entity: &Name, parent: &Entity) -> Result<(), Box<Diagnostic>> {
    let (message, label) = if parent.moves() {
        (
            format!(
                "{} moves, and is not found by its id in one request",
                parent.name
            ),
            "a row follows items whose key stays",
        )
    } else if parent.split.is_some() {
        (
            format!("{} is split over several items", parent.name),
            "a row follows items that are whole",
        )
    } else {
        return Ok(());
    };
    Err(Box::new(
        Diagnostic::error("KF019", entity.span, message, label)
            .label(parent.span, "declared here")
            .help("show an attribute of the source, or leave it out"),
    ))
}

/// The error about an attribute whose type a column cannot be made of.
pub(super) fn wrong_type(word: &str, of: &Name, found: &Attribute, needed: &str) -> Diagnostic {
    let message = format!("{} has no {word}", found.kind.with_article());
    let label = format!("{needed} is needed");
    Diagnostic::error("KF004", of.span, message, label).label(found.span, "declared here")
}

/// A row's attribute that is an attribute of the source.
fn made(name: &Name, span: Span, found: &Attribute, from: From) -> Made {
    let is_copied = matches!(from, From::Copied { .. });
    let attribute = Attribute {
        name: name.text.clone(),
        span: name.span,
        kind: found.kind.clone(),
        optional: found.optional && is_copied,
        mark: None,
        default: None,
        refers: found.refers.clone(),
        is_kept: false,
        was: Vec::new(),
        former: None,
    };
    let column = Column {
        attribute: name.text.clone(),
        from,
        span,
    };
    (attribute, column)
}

/// The names in the templates of keys, each once, with what the templates keep of it.
fn fields<'d>(keys: impl Iterator<Item = &'d KeyDecl>) -> Vec<Field<'d>> {
    let mut all: Vec<Field<'d>> = Vec::new();
    let mut add = |name: &'d Name, cut: Option<Unit>| {
        let known = all.iter_mut().find(|field| field.name.text == name.text);
        match known {
            // No unit keeps most, and the shortest unit more than the others.
            Some(known) => known.cut = known.cut.min(cut),
            None => all.push(Field { name, cut }),
        }
    };
    for key in keys {
        for part in key.templates.iter().flat_map(|template| &template.parts) {
            if let PartDecl::Field { name, formats } = part {
                let mut units = formats
                    .iter()
                    .filter_map(|format| Unit::of_word(&format.text));
                add(name, units.next());
            }
        }
        if let Some((unit, Some(of))) = &key.bucket {
            add(of, Unit::of_word(&unit.text));
        }
    }
    all
}
