//! Named writes: actions, and the parameters they need.

use super::above::{Above, Earlier};
use super::assignment::{self, check_changed_once};
use super::comparison::Operands;
use super::condition::{self, Subject};
use super::constant;
use super::names::{Entities, attribute_of};
use super::needed::needed;
use super::present::{Present, path_of};
use super::record::check_field;
use super::source;
use super::stored_or_given::Resolved;
use super::too_many;
use super::types::Types;
use super::unused;
use crate::diagnostic::{Diagnostic, Span, report};
use crate::schema::{
    Action, Assignment, Attribute, Condition, Entity, Model, Operand, Record, Taken, Type, Verb,
    Write, WriteParameter,
};
use crate::syntax::ast::{
    ActionDecl, AssignmentDecl, ComparisonDecl, ConditionDecl, Name, TypeDecl, WriteDecl,
    WriteParameterDecl,
};

/// Resolves a named write; `None` when it has an error.
pub(super) fn resolve(
    declared: &WriteDecl,
    entities: &Entities<'_>,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Write> {
    let mut scope = Scope::new(declared);
    // The type of a parameter may be that of an attribute of an entity that is not declared.
    for action in &declared.actions {
        entities.place(&action.entity, diagnostics)?;
    }
    for WriteParameterDecl {
        name,
        kind,
        optional,
    } in &declared.parameters
    {
        let written = declared.actions.iter().filter_map(|action| {
            let at = entities.place(&action.entity, &mut Vec::new())?;
            model.entities.get(at)
        });
        let kind = parameter_type(name, kind.as_ref(), (written, entities), types);
        scope.parameters.push(WriteParameter {
            name: name.text.clone(),
            kind: report(kind, diagnostics)?,
            optional: *optional,
            is_now: false,
        });
    }
    report(source::check_aliases(declared, model), diagnostics)?;
    // An operand of an action may be a parameter that another action adds.
    let mut named = Vec::new();
    for action in &declared.actions {
        let at = entities.place(&action.entity, diagnostics)?;
        let entity = model.entities.get(at)?;
        report(check_no_view(action, entity, model), diagnostics)?;
        report(scope.add_parameters(action, entity), diagnostics)?;
        named.push((at, entity));
    }
    for (action, (_, entity)) in declared.actions.iter().zip(&named) {
        scope.add_now(action, entity);
    }
    let actions = report(scope.actions(declared, named, model), diagnostics)?;
    report(check_actions(&actions, model, declared), diagnostics)?;
    let taken = |action: &ActionDecl, entity: &Entity| scope.own(action, entity);
    let parameters = (declared, scope.parameters.as_slice());
    unused::check(parameters, &actions, model, taken, diagnostics);
    scope.require_operands(&actions);
    let few = too_many::check(&actions, model, &scope.parameters, declared);
    report(few, diagnostics)?;
    Some(Write {
        name: declared.name.text.clone(),
        span: declared.name.span,
        parameters: scope.parameters,
        actions,
    })
}

/// Writes do not name views, whose rows follow from the items of their source.
fn check_no_view(
    action: &ActionDecl,
    entity: &Entity,
    model: &Model,
) -> Result<(), Box<Diagnostic>> {
    let Some(view) = &entity.view else {
        return Ok(());
    };
    let source = model.entities.get(view.source);
    let source = source.map_or("its source", |source| source.name.as_str());
    let (name, verb) = (&entity.name, action.verb.word());
    let message = format!("{name} is a view: its rows follow from {source}");
    let label = format!("no write may {verb} it");
    Err(Box::new(
        Diagnostic::error("KF019", action.entity.span, message, label)
            .label(entity.span, "declared here")
            .help(format!("write {source}, and its rows follow")),
    ))
}

/// The type of a declared parameter: its own, or that of the first attribute of its name, in the
/// entities that the write names before all others.
fn parameter_type<'e>(
    name: &Name,
    declared: Option<&TypeDecl>,
    (written, entities): (impl Iterator<Item = &'e Entity>, &Entities<'_>),
    types: &Types<'_>,
) -> Result<Type, Box<Diagnostic>> {
    if let Some(declared) = declared {
        return types.resolve(declared, name, 0);
    }
    let mut own = written.filter_map(|entity| entity.attribute(&name.text));
    if let Some(own) = own.next() {
        return Ok(own.kind.clone());
    }
    entities.attribute_type(&name.text).cloned().ok_or_else(|| {
        let message = format!("the type of the parameter `{}` is not known", name.text);
        let help = format!(
            "say it, as in `{}: int` or `{}: string`",
            name.text, name.text
        );
        Box::new(
            Diagnostic::error("KF002", name.span, message, "no attribute has this name").help(help),
        )
    })
}

/// A write has actions. A transaction has one action for each item, and parameters are shared: two
/// actions on one entity affect the same item, unless each takes its items from a list, or their
/// keys come from different parameters.
fn check_actions(
    actions: &[Action],
    model: &Model,
    declared: &WriteDecl,
) -> Result<(), Box<Diagnostic>> {
    if actions.is_empty() {
        let message = format!("the write {} does nothing", declared.name.text);
        return Err(Box::new(
            Diagnostic::error("KF002", declared.name.span, message, "no actions")
                .help("add indented lines: `create Order`, `update Product set stock = stock - quantity`, `delete User`"),
        ));
    }
    let mut seen = Vec::new();
    for (action, at) in actions.iter().zip(&declared.actions) {
        let Some(entity) = model.entities.get(action.entity) else {
            continue;
        };
        if action.each.is_some() {
            continue;
        }
        let name = entity.name.as_str();
        let item = (action.entity, source::key_sources(action, entity));
        if seen.contains(&item) {
            let message = format!("{} has two actions on {name}", declared.name.text);
            return Err(Box::new(
                Diagnostic::error("KF016", at.entity.span, message, "both would meet the same item")
                    .note("a transaction cannot have two actions on one item")
                    .help(format!("make it one action, or name the items apart: `{} {name} as other`; several items come from a list: `create OrderItem for each lines`", action.verb.word())),
            ));
        }
        seen.push(item);
    }
    Ok(())
}

/// The parameter that gives one record for each item, and the type of the record.
struct Each {
    parameter: String,
    record: Record,
}

impl Each {
    /// The name, type and optionality of a field.
    fn field(&self, name: &str) -> Option<&(String, Type, bool)> {
        self.record.fields.iter().find(|(field, ..)| field == name)
    }
}

/// The parameters of a write.
struct Scope {
    parameters: Vec<WriteParameter>,
    /// The names of those that stand in parentheses.
    declared: Vec<String>,
    /// Those that are declared with a type.
    typed: Vec<String>,
    /// Those that are declared with `?`.
    optional: Vec<String>,
}

impl Scope {
    /// The scope of a write without its parameters.
    fn new(declared: &WriteDecl) -> Scope {
        let names = |which: fn(&WriteParameterDecl) -> bool| {
            let those = declared.parameters.iter().filter(|one| which(one));
            those.map(|one| one.name.text.clone()).collect()
        };
        Scope {
            parameters: Vec::new(),
            declared: names(|_| true),
            typed: names(|one| one.kind.is_some()),
            optional: names(|one| one.optional),
        }
    }

    /// Adds the attributes that an action takes, except those that it assigns or that its records
    /// have.
    fn add_parameters(
        &mut self,
        declared: &ActionDecl,
        entity: &Entity,
    ) -> Result<(), Box<Diagnostic>> {
        let each = self.each(declared)?;
        let is_upsert = declared.verb == Verb::Upsert;
        let identity = entity.identity();
        for attribute in needed(declared, entity) {
            let may_lack = attribute.optional || attribute.default.is_some();
            let is_key_of_stored = is_upsert && identity.contains(&attribute.name.as_str());
            let creates = declared.verb.may_create() && may_lack && !is_key_of_stored;
            let optional = creates || attribute.is_touched();
            match each.as_ref().and_then(|each| each.field(&attribute.name)) {
                Some(field) => check_field(declared, attribute, creates, field)?,
                None if self.is_constant(declared, attribute, entity) => {}
                None => self.add_parameter(declared, attribute, optional)?,
            }
        }
        Ok(())
    }

    /// Resolves the actions, each with the position of its entity and the entity. An action sees those
    /// above it.
    fn actions(
        &self,
        declared: &WriteDecl,
        named: Vec<(usize, &Entity)>,
        model: &Model,
    ) -> Result<Vec<Action>, Box<Diagnostic>> {
        let all = declared.actions.as_slice();
        let (mut actions, mut earlier) = (Vec::new(), Vec::new());
        for (declared, (at, entity)) in all.iter().zip(named) {
            let above = Above {
                earlier: &earlier,
                all,
                model,
            };
            let mut action = self.action(declared, (at, entity), &above)?;
            action.taken = self.taken(declared, entity, &above)?;
            let is_left_out = source::may_be_left_out_of(&action, &earlier);
            actions.push(action);
            earlier.push(Earlier {
                declared,
                entity,
                is_left_out,
            });
        }
        Ok(actions)
    }

    /// The attributes that an action takes from elsewhere than the parameters of their names.
    fn taken(
        &self,
        declared: &ActionDecl,
        entity: &Entity,
        above: &Above<'_>,
    ) -> Result<Vec<Taken>, Box<Diagnostic>> {
        let each = self.each(declared)?;
        let known = self.known(each.as_ref());
        let operands = Operands {
            parameters: &known,
            item: None,
            above: None,
        };
        let mut taken = source::declared_sources(declared, entity, above, &operands)?;
        let (own, fields) = self.own(declared, entity);
        let own = own.into_iter();
        taken.extend(source::of_alias(declared, own, &self.parameters));
        taken.extend(constant::taken(declared, entity, |one| {
            !fields.contains(&one.name) && self.is_constant(declared, one, entity)
        }));
        Ok(taken)
    }

    /// Whether an action gives an attribute of a new item itself.
    fn is_constant(&self, action: &ActionDecl, attribute: &Attribute, entity: &Entity) -> bool {
        let is_declared = |one: &&WriteParameter| self.declared.contains(&one.name);
        let declared = self.parameters.iter().filter(is_declared);
        constant::is_constant(action, attribute, entity, declared)
    }

    /// The attributes that an action takes from parameters, and those from its records.
    fn own(&self, declared: &ActionDecl, entity: &Entity) -> (Vec<String>, Vec<String>) {
        let each = self.each(declared).ok().flatten();
        let is_field = |name: &str| {
            let field = each.as_ref().and_then(|each| each.field(name));
            field.is_some()
        };
        needed(declared, entity)
            .filter(|one| is_field(&one.name) || !self.is_constant(declared, one, entity))
            .map(|attribute| attribute.name.clone())
            .partition(|name| !is_field(name))
    }

    /// The fields of the records and the parameters that operands may name.
    fn known<'k>(&'k self, each: Option<&'k Each>) -> Vec<(&'k str, &'k Type)> {
        let fields = each
            .into_iter()
            .flat_map(|each| &each.record.fields)
            .map(|(name, kind, _)| (name.as_str(), kind));
        let parameters = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.as_str(), &parameter.kind));
        fields.chain(parameters).collect()
    }

    /// Makes operands of assignments and conditions required, even where an attribute that takes the
    /// same parameter is optional.
    fn require_operands(&mut self, actions: &[Action]) {
        let assigned = actions
            .iter()
            .flat_map(|action| action.assignments.iter().chain(&action.otherwise))
            .flat_map(Assignment::operands);
        let compared = actions
            .iter()
            .flat_map(|action| &action.conditions)
            .flat_map(Condition::parameters);
        let assigned = assigned.filter_map(|operand| match operand {
            Operand::Parameter(name) => Some(name.as_str()),
            Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => None,
        });
        for name in assigned.chain(compared) {
            self.parameters
                .iter_mut()
                .filter(|known| known.name == name && !known.is_now)
                .filter(|known| !self.optional.contains(&known.name))
                .for_each(|known| known.optional = false);
        }
    }

    /// Adds the parameter `now` that the conditions and assignments of an action use without a
    /// declaration: its default is the present moment.
    fn add_now(&mut self, declared: &ActionDecl, entity: &Entity) {
        let kind_of = |name: &Name| entity.attribute(&name.text).map(|found| &found.kind);
        let found = condition::type_of_now(&declared.conditions, kind_of);
        let Some((kind, word)) = found.or_else(|| assignment::type_of_now(declared, entity)) else {
            return;
        };
        let each = self.each(declared).ok().flatten();
        let is_field = each.is_some_and(|each| each.field(&word.text).is_some());
        let is_known = self.parameters.iter().any(|known| known.name == word.text);
        if !is_field && !is_known && entity.attribute(&word.text).is_none() {
            self.parameters.push(WriteParameter {
                name: word.text,
                kind,
                optional: true,
                is_now: true,
            });
        }
    }

    /// Resolves an action on the entity at place `at`.
    fn action(
        &self,
        declared: &ActionDecl,
        (at, entity): (usize, &Entity),
        above: &Above<'_>,
    ) -> Result<Action, Box<Diagnostic>> {
        let each = self.each(declared)?;
        let known = self.known(each.as_ref());
        let operands_with = |item, above| Operands {
            parameters: &known,
            item,
            above,
        };
        // The attributes of an item are operands only where the item exists before the write.
        let stored = (!declared.verb.writes_all_attributes()).then_some(entity);
        let assigned = operands_with(stored, Some(above));
        let assignments: Vec<Assignment> = declared
            .assignments
            .iter()
            .map(|one| assignment::resolve(one, entity, &assigned, declared.verb))
            .collect::<Result<_, _>>()?;
        let given = operands_with(None, Some(above));
        let otherwise: Vec<Assignment> = declared
            .otherwise
            .iter()
            .map(|one| assignment::resolve(one, entity, &given, declared.verb))
            .collect::<Result<_, _>>()?;
        check_changed_once(declared)?;
        if declared.verb == Verb::Upsert {
            check_new(declared, entity, &assignments)?;
        }
        let compared = operands_with(Some(entity), None);
        let conditions = conditions(declared, entity, &compared, above)?;
        let resolved = Resolved {
            declared,
            entity,
            each: each.as_ref().map(|each| &each.record),
            assignments: &assignments,
            conditions: &conditions,
        };
        resolved.check(&|name| self.declared.iter().any(|one| one == name))?;
        let always = conditions
            .iter()
            .filter_map(|one| one.without(&|name| self.optional.iter().any(|one| one == name)));
        let present = Present {
            verb: declared.verb,
            entity,
            conditions: &always.collect::<Vec<_>>(),
        };
        present.check(declared, &assignments)?;
        self.check_given(declared, entity, [&assignments, &otherwise])?;
        let touched = touches(declared, entity, each.as_ref());
        Ok(Action {
            verb: declared.verb,
            entity: at,
            alias: declared.alias.as_ref().map(|alias| alias.text.clone()),
            taken: Vec::new(),
            each: each.map(|each| each.parameter),
            assignments: [assignments, touched].concat(),
            otherwise,
            removed: declared.removed.iter().map(path_of).collect(),
            conditions,
        })
    }

    /// A value that a new item must have does not come from a parameter that may be left out.
    fn check_given(
        &self,
        declared: &ActionDecl,
        entity: &Entity,
        [assigned, otherwise]: [&[Assignment]; 2],
    ) -> Result<(), Box<Diagnostic>> {
        if !declared.verb.may_create() {
            return Ok(());
        }
        let may_lack = |one: &Assignment| one.parameters().any(|name| self.optional.contains(name));
        let is_said = |name: &str| {
            let mut all = otherwise.iter();
            all.any(|one| one.attribute == name && !may_lack(one))
        };
        let places = declared.assignments.iter().chain(&declared.otherwise);
        for (one, at) in assigned.iter().chain(otherwise).zip(places) {
            let found = entity.attribute(&one.attribute);
            let is_required = found.is_some_and(|one| !one.optional && one.default.is_none());
            let name = &one.attribute;
            let is_shared = self.parameters.iter().any(|known| known.name == *name)
                && !one.parameters().any(|parameter| parameter == name);
            if may_lack(one) && is_shared {
                return Err(taken_from_two(at, &declared.entity));
            }
            if may_lack(one) && is_required && !is_said(&one.attribute) {
                let span = at.attribute.span;
                return Err(must_be_given(span, &one.attribute, &declared.entity));
            }
        }
        Ok(())
    }

    /// The list that `for each` names; `None` for an action on one item.
    fn each(&self, declared: &ActionDecl) -> Result<Option<Each>, Box<Diagnostic>> {
        let Some(name) = &declared.each else {
            return Ok(None);
        };
        let parameter = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name.text);
        if let Some(Type::List(of)) = parameter.map(|parameter| &parameter.kind)
            && let Type::Record(record) = &**of
            && !self.optional.contains(&name.text)
        {
            return Ok(Some(Each {
                parameter: name.text.clone(),
                record: record.clone(),
            }));
        }
        if self.optional.contains(&name.text) {
            return Err(must_be_given(name.span, &name.text, &declared.entity));
        }
        let message = format!("`{}` is no parameter that is a list of records", name.text);
        let help = format!(
            "declare a record with the attributes that differ, and the parameter `{}: list of Line`",
            name.text
        );
        Err(Box::new(
            Diagnostic::error("KF004", name.span, message, "one item for each of what?").help(help),
        ))
    }

    /// Makes an attribute a parameter, unless a parameter of its name and type exists.
    fn add_parameter(
        &mut self,
        action: &ActionDecl,
        attribute: &Attribute,
        optional: bool,
    ) -> Result<(), Box<Diagnostic>> {
        let name = source::parameter_of(action, &attribute.name);
        let action = &action.entity;
        let known = self.parameters.iter_mut().find(|known| known.name == name);
        match known {
            None => self.parameters.push(WriteParameter {
                name,
                kind: attribute.kind.clone(),
                optional,
                is_now: attribute.is_touched(),
            }),
            Some(known)
                if known.kind == attribute.kind
                    && !optional
                    && self.optional.contains(&known.name) =>
            {
                return Err(must_be_given(action.span, &attribute.name, action));
            }
            Some(known) if known.kind == attribute.kind => {
                known.optional &= optional;
                known.is_now = known.optional && (known.is_now || attribute.is_touched());
            }
            Some(known) => {
                let message = format!(
                    "`{}` of {} is {}, and the parameter `{}` {}",
                    attribute.name,
                    action.text,
                    attribute.kind.with_article(),
                    known.name,
                    known.kind.with_article()
                );
                let label = "one parameter cannot be both";
                let error = Diagnostic::error("KF004", action.span, message, label)
                    .note("parameters are shared by name");
                return Err(Box::new(match self.typed.contains(&known.name) {
                    true => error.help(format!(
                        "write `{}` without a type: then it has that of the attribute",
                        known.name
                    )),
                    false => error.help(format!(
                        "set it from a parameter of another name: `set {} = ...`",
                        attribute.name
                    )),
                }));
            }
        }
        Ok(())
    }
}

/// The conditions of an action on an entity.
fn conditions(
    declared: &ActionDecl,
    entity: &Entity,
    operands: &Operands<'_>,
    above: &Above<'_>,
) -> Result<Vec<Condition>, Box<Diagnostic>> {
    let comparison = |one: &ComparisonDecl| {
        let kind = &attribute_of(entity, &one.attribute)?.kind;
        operands.comparison(one, &Subject::of(one, kind)?)
    };
    let all = declared.conditions.iter();
    let takes = |one: &ConditionDecl| {
        let compared = one.comparisons().into_iter();
        let mut operands = compared.flat_map(|one| &one.operands);
        operands.any(|one| !one.fields.is_empty() && above.knows(&one.name))
    };
    all.map(|one| {
        condition::resolve(one, &comparison).map_err(|error| match takes(one) {
            true => {
                Box::new(error.help(
                    "a condition looks at its own item: compare with a parameter of the write",
                ))
            }
            false => error,
        })
    })
    .collect()
}

/// The error that a value comes from a parameter that may be left out.
fn must_be_given(span: Span, name: &str, entity: &Name) -> Box<Diagnostic> {
    let message = format!(
        "{} needs `{name}`, and its parameter may be left out",
        entity.text
    );
    Box::new(
        Diagnostic::error("KF004", span, message, "what if it is not given?")
            .note("an optional parameter leaves an attribute of a stored item as it is")
            .help("declare the parameter without `?`"),
    )
}

/// The error that a parameter of an attribute's name would stand in for one that is left out.
fn taken_from_two(at: &AssignmentDecl, entity: &Name) -> Box<Diagnostic> {
    let name = &at.attribute.text;
    let message = format!("`{name}` of {} has two parameters", entity.text);
    let label = "from this one, or from the parameter of its name";
    Box::new(
        Diagnostic::error("KF004", at.attribute.span, message, label)
            .note("a parameter that may be left out would be replaced by the other")
            .help(format!(
                "set it from the parameter `{name}`, or declare the parameter without `?`"
            )),
    )
}

/// The assignments of the present moment to the attributes that every write sets.
fn touches(declared: &ActionDecl, entity: &Entity, each: Option<&Each>) -> Vec<Assignment> {
    let parameter = |name: &str| match each.and_then(|each| each.field(name)) {
        Some((field, ..)) => field.clone(),
        None => source::parameter_of(declared, name),
    };
    let is_changed = declared.verb.changes();
    let touched = entity.touched_attributes();
    let touched = touched.filter(|one| is_changed && !declared.assigns(&one.name));
    touched
        .map(|one| Assignment {
            attribute: one.name.clone(),
            fields: Vec::new(),
            left: Operand::Parameter(parameter(&one.name)),
            right: None,
        })
        .collect()
}

/// A new item has no attributes to calculate with: an upsert says behind `else` what it gets.
fn check_new(
    declared: &ActionDecl,
    entity: &Entity,
    assignments: &[Assignment],
) -> Result<(), Box<Diagnostic>> {
    for (one, at) in assignments.iter().zip(&declared.assignments) {
        let name = &one.attribute;
        let is_said = declared
            .otherwise
            .iter()
            .any(|other| other.attribute.text == *name);
        if is_said || one.starts_from_nothing(entity) {
            continue;
        }
        let message = format!(
            "`{name}` of a new {} cannot be calculated: it has no attributes yet",
            entity.name
        );
        return Err(Box::new(
            Diagnostic::error(
                "KF004",
                at.attribute.span,
                message,
                "of an existing item only",
            )
            .help(format!("say what a new one gets: `else {name} = ...`")),
        ));
    }
    Ok(())
}
