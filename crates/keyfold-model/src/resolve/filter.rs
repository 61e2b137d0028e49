//! Filters of patterns: which attributes and kinds they compare with what.

use super::comparison::Operands;
use super::condition::{self, Subject};
use super::names::{unknown, unknown_attribute};
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Comparator, Comparison, Condition, Entity, Limit, Measure, Model, Operand, Parameter, Returned,
    Type,
};
use crate::syntax::ast::{ComparisonDecl, ConditionDecl, Name, PathDecl};
use keyfold_types::Value;

/// The scope of a filter: the items that the pattern returns, and its parameters.
pub(super) struct Filters<'s> {
    pub(super) model: &'s Model,
    pub(super) returned: &'s [Returned],
    pub(super) parameters: &'s [Parameter],
}

/// The types of an attribute, which each of the entities must have.
pub(super) fn types_of<'e>(
    entities: impl Iterator<Item = &'e Entity>,
    name: &Name,
) -> Result<Vec<&'e Type>, Box<Diagnostic>> {
    let kind = |entity: &'e Entity| {
        match entity.attribute(&name.text) {
        Some(attribute) => Ok(&attribute.kind),
        None if name.text == "kind" => Err(Box::new(
            unknown_attribute(entity, name).note(
                "another entity of the pattern has an attribute `kind`, which hides the word for the kinds of items",
            ),
        )),
        None => Err(Box::new(
            unknown_attribute(entity, name)
                .note("a pattern speaks of attributes of every entity it returns"),
        )),
    }
    };
    entities.map(kind).collect()
}

/// The parameter `now` that filters use without a declaration: its default is the present moment.
pub(super) fn now(scope: &Filters<'_>, declared: &[ConditionDecl]) -> Option<Parameter> {
    let kind_of = |name: &Name| {
        let mut kinds = scope
            .entities()
            .map(|entity| entity.attribute(&name.text).map(|found| &found.kind));
        kinds.next().flatten()
    };
    let (kind, word) = condition::type_of_now(declared, kind_of)?;
    let is_known = scope.parameters.iter().any(|known| known.name == word.text);
    (!is_known).then_some(Parameter {
        name: word.text,
        attribute: String::new(),
        kind,
        limit: Limit::Free,
        optional: false,
        span: word.span,
    })
}

impl Filters<'_> {
    /// Resolves the filters of a pattern.
    pub(super) fn resolve(
        &self,
        declared: &[ConditionDecl],
    ) -> Result<Vec<Condition>, Box<Diagnostic>> {
        let filters = declared
            .iter()
            .map(|one| condition::resolve(one, &|comparison| self.comparison(comparison)));
        let filters = filters.collect::<Result<Vec<_>, _>>()?;
        self.check_used(&filters)?;
        Ok(filters)
    }

    /// The returned entities.
    fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.returned
            .iter()
            .filter_map(|one| self.model.entities.get(one.entity))
    }

    fn comparison(&self, declared: &ComparisonDecl) -> Result<Comparison, Box<Diagnostic>> {
        let is_attribute = |name: &str| self.entities().any(|one| one.attribute(name).is_some());
        let is_plain = declared.fields.is_empty() && !declared.is_size;
        if is_plain && declared.attribute.text == "kind" && !is_attribute("kind") {
            return self.kinds(declared);
        }
        let kinds = types_of(self.entities(), &declared.attribute)?;
        self.check_not_compressed(&declared.attribute)?;
        let subjects = kinds.into_iter().map(|kind| Subject::of(declared, kind));
        let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
        let nothing = || {
            Box::new(unknown(
                "attribute",
                &declared.attribute,
                std::iter::empty(),
            ))
        };
        let subject = subjects.first().ok_or_else(nothing)?;
        let parameters: Vec<(&str, &Type)> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.as_str(), &parameter.kind))
            .collect();
        let operands = Operands {
            parameters: &parameters,
            item: None,
            above: None,
        };
        operands.comparison(declared, subject)
    }

    /// Resolves `kind in (Order, Invoice)`, which the table's type attribute decides.
    fn kinds(&self, declared: &ComparisonDecl) -> Result<Comparison, Box<Diagnostic>> {
        let is_list = match declared.comparator {
            Comparator::Equal => false,
            Comparator::In => true,
            Comparator::Unequal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast
            | Comparator::Contains
            | Comparator::Starts
            | Comparator::Exists
            | Comparator::Missing
            | Comparator::Within => {
                let message = format!("a kind is not compared by `{}`", declared.comparator.word());
                return Err(Box::new(
                    Diagnostic::error("KF004", declared.comparator_span, message, "not for kinds")
                        .help("write `kind = Order`, `kind in (Order, Invoice)` or `not kind = Order`"),
                ));
            }
        };
        let attribute = self.type_attribute(declared)?;
        let mut operands = Vec::new();
        for operand in &declared.operands {
            let texts = self.stored_kinds(operand)?;
            operands.extend(
                texts
                    .into_iter()
                    .map(|text| Operand::Literal(Value::S(text))),
            );
        }
        Ok(Comparison {
            measure: Measure::Kind,
            attribute,
            fields: Vec::new(),
            comparator: if is_list || operands.len() > 1 {
                Comparator::In
            } else {
                Comparator::Equal
            },
            operands,
            span: declared.span,
        })
    }

    /// The attribute that holds the kind of an item.
    fn type_attribute(&self, declared: &ComparisonDecl) -> Result<String, Box<Diagnostic>> {
        let first = self.entities().next();
        let table = first.and_then(|entity| self.model.tables.get(entity.table));
        if let Some(attribute) = table.and_then(|table| table.type_attribute.clone()) {
            return Ok(attribute);
        }
        let name = table.map_or("the table", |table| table.name.as_str());
        let message = format!("the items of {name} do not say their kind");
        let mut error =
            Diagnostic::error("KF004", declared.span, message, "no attribute to filter by")
                .help("add `type entity` to the table, or filter by an attribute")
                .note("items that were written before have no such attribute");
        if let Some(table) = table {
            error = error.label(table.span, "has no `type`");
        }
        Err(Box::new(error))
    }

    /// The texts by which stored items say that they are of an entity that the pattern returns.
    fn stored_kinds(&self, declared: &PathDecl) -> Result<Vec<String>, Box<Diagnostic>> {
        let name = &declared.name;
        let text = |one: &Returned| {
            let entity = self.model.entities.get(one.entity)?;
            let is_named = entity.name == name.text;
            is_named.then(|| entity.kind_of(one.copy))
        };
        let texts: Vec<String> = self.returned.iter().filter_map(text).collect();
        if texts.is_empty() || !declared.fields.is_empty() {
            let names = self.entities().map(|entity| entity.name.as_str());
            return Err(Box::new(unknown("kind of this pattern", name, names)));
        }
        Ok(texts)
    }

    /// DynamoDB cannot compare a compressed attribute: only the client can unpack it.
    fn check_not_compressed(&self, name: &Name) -> Result<(), Box<Diagnostic>> {
        let compressed = self
            .entities()
            .find(|entity| entity.compressed.contains(&name.text));
        let Some(entity) = compressed else {
            return Ok(());
        };
        let message = format!(
            "`{}` of {} is stored compressed, and cannot be compared",
            name.text, entity.name
        );
        Err(Box::new(
            Diagnostic::error("KF004", name.span, message, "DynamoDB sees its bytes only")
                .label(entity.span, "`compress` is declared here")
                .help("compare it when it is there, or do not compress it"),
        ))
    }

    /// A parameter that limits no attribute must be the operand of a filter.
    fn check_used(&self, filters: &[Condition]) -> Result<(), Box<Diagnostic>> {
        let is_used = |name: &str| {
            let mut used = filters.iter().flat_map(Condition::parameters);
            used.any(|one| one == name)
        };
        let is_unused =
            |parameter: &&Parameter| parameter.limit == Limit::Free && !is_used(&parameter.name);
        let Some(unused) = self.parameters.iter().find(is_unused) else {
            return Ok(());
        };
        let name = &unused.name;
        let message = format!("the parameter `{name}` is not used");
        let error = Diagnostic::error("KF002", unused.span, message, "no filter compares with it");
        let is_attribute = self.entities().any(|one| one.attribute(name).is_some());
        Err(Box::new(match is_attribute {
            true => error.help(format!(
                "to give the attribute `{name}`, leave out the type: it has that of the attribute"
            )),
            false => error.help(format!(
                "limit an attribute by it (`total >= {name}`) or compare: `filter total >= {name}`"
            )),
        }))
    }
}
