//! The sources of the attributes that an action takes: parameters of its alias, and what its `where`
//! names.

use super::comparison::{Operands, fits};
use super::names::attribute_of;
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Action, Assignment, Attribute, Entity, Lent, Model, Operand, Source, Taken, Type, Verb,
    WriteParameter,
};
use crate::syntax::ast::{ActionDecl, KeySourceDecl, Name, WriteDecl};
use crate::written::{one, written, written_list};

/// An action that stands above another, whose attributes the other may take.
pub(super) struct Earlier<'e> {
    pub(super) declared: &'e ActionDecl,
    pub(super) entity: &'e Entity,
    /// Whether the write may happen without it, since its key may have no value.
    pub(super) is_left_out: bool,
}

impl Earlier<'_> {
    /// The name by which other actions refer to it: its alias, or its entity's.
    fn name(&self) -> &str {
        let alias = self.declared.alias.as_ref();
        &alias.unwrap_or(&self.declared.entity).text
    }

    /// The action as the model writes it: `check Member`.
    fn text(&self) -> String {
        let verb = self.declared.verb.word();
        match &self.declared.alias {
            Some(alias) => format!("{verb} {} as {}", self.entity.name, alias.text),
            None => format!("{verb} {}", self.entity.name),
        }
    }
}

/// Whether an action may be left out of the write: the source of its key may have no value.
pub(super) fn may_be_left_out_of(action: &Action, earlier: &[Earlier<'_>]) -> bool {
    let may_lack = |source: &Source| match source {
        Source::Attribute { action, attribute } => earlier.get(*action).is_none_or(|lender| {
            let found = lender.entity.attribute(attribute);
            lender.is_left_out || found.is_none_or(|found| found.optional)
        }),
        Source::Parameter(_) | Source::Literal(_) => false,
    };
    let mut declared = action.taken.iter().filter(|one| one.is_declared);
    declared.any(|one| may_lack(&one.source))
}

/// The parameter that gives an attribute: the one of its name, or that of the action's alias.
pub(super) fn parameter_of(declared: &ActionDecl, attribute: &str) -> String {
    match &declared.alias {
        Some(alias) => format!("{}.{attribute}", alias.text),
        None => attribute.to_owned(),
    }
}

/// Whether `where` names the source of an attribute.
pub(super) fn is_given(declared: &ActionDecl, attribute: &str) -> bool {
    let mut keys = declared.keys.iter();
    keys.any(|key| key.attribute.text == attribute)
}

/// Refuses aliases that are other names already.
pub(super) fn check_aliases(declared: &WriteDecl, model: &Model) -> Result<(), Box<Diagnostic>> {
    let mut seen: Vec<&Name> = Vec::new();
    for alias in declared.actions.iter().filter_map(|one| one.alias.as_ref()) {
        let mut parameters = declared.parameters.iter();
        let is_parameter = parameters.any(|one| one.name.text == alias.text);
        let what = if is_parameter {
            "a parameter of the write"
        } else if model.entity(&alias.text).is_some() {
            "an entity"
        } else if seen.iter().any(|other| other.text == alias.text) {
            "the name of another action"
        } else {
            seen.push(alias);
            continue;
        };
        let message = format!("`{}` is {what}", alias.text);
        let other = Diagnostic::error("KF003", alias.span, message, "two things of one name");
        return Err(Box::new(other.help("choose another name behind `as`")));
    }
    Ok(())
}

/// Resolves the sources that `where` names.
pub(super) fn declared_sources(
    declared: &ActionDecl,
    entity: &Entity,
    above: &Above<'_>,
    operands: &Operands<'_>,
) -> Result<Vec<Taken>, Box<Diagnostic>> {
    let mut all: Vec<Taken> = Vec::new();
    for key in &declared.keys {
        let name = &key.attribute;
        let found = attribute_of(entity, name)?;
        if !entity.identifies(&found.name) {
            return Err(Box::new(finds_no_item(name, entity)));
        }
        if all.iter().any(|one| one.attribute == name.text) {
            let message = format!("`{}` is given twice", name.text);
            return Err(Box::new(Diagnostic::error(
                "KF004",
                name.span,
                message,
                "again here",
            )));
        }
        let source = match &key.of {
            Some(of) => of_action(key, of, found, above)?,
            None => match operands.operand(&key.operand, &found.kind)? {
                Operand::Literal(value) => Source::Literal(value),
                Operand::Parameter(name) => Source::Parameter(name),
                // The scope of keys has no item whose attributes could be operands.
                Operand::Attribute(path) => Source::Parameter(path.attribute),
                Operand::Lent(lent) => lent.into(),
            },
        };
        all.push(Taken {
            attribute: name.text.clone(),
            source,
            is_declared: true,
        });
    }
    Ok(all)
}

/// The error about an attribute behind `where` that does not say which item it is.
fn finds_no_item(name: &Name, entity: &Entity) -> Diagnostic {
    let what = if entity.moves() { "`id`" } else { "the key" };
    let message = format!("`{}` is not part of {what} of {}", name.text, entity.name);
    let diagnostic = Diagnostic::error("KF004", name.span, message, "does not find the item");
    let help = "`where` says which item it is; compare other attributes behind `when`";
    if entity.moves() {
        return diagnostic
            .note(format!(
                "{} is found by {}",
                one(&entity.name),
                written_list(entity.identity())
            ))
            .help(help);
    }
    diagnostic.label(entity.key.span, "the key").help(help)
}

/// The attribute of an earlier action's entity that `where` names.
fn of_action(
    key: &KeySourceDecl,
    of: &Name,
    wanted: &Attribute,
    above: &Above<'_>,
) -> Result<Source, Box<Diagnostic>> {
    let named = key.operand.in_braces();
    let name = named.as_ref().unwrap_or(&key.operand);
    let (action, _, found) = above.attribute(name, of)?;
    if found.kind != wanted.kind {
        return Err(wrong_type(found, &wanted.kind, of));
    }
    Ok(Source::Attribute {
        action,
        attribute: found.name.clone(),
    })
}

/// The error about an attribute of another action whose type is not the one that is needed.
fn wrong_type(found: &Attribute, needed: &Type, of: &Name) -> Box<Diagnostic> {
    let message = format!(
        "`{}` is {}, and {} is needed",
        found.name,
        found.kind.with_article(),
        needed.with_article()
    );
    Box::new(Diagnostic::error("KF004", of.span, message, "wrong type"))
}

/// The actions of a write as one of them sees them: it takes attributes from those above it.
pub(super) struct Above<'e> {
    pub(super) earlier: &'e [Earlier<'e>],
    /// All actions of the write.
    pub(super) all: &'e [ActionDecl],
    pub(super) model: &'e Model,
}

impl<'e> Above<'e> {
    /// Whether a name is that of an action of the write, or of an entity.
    pub(super) fn knows(&self, name: &Name) -> bool {
        self.all.iter().any(|one| has_name(one, name)) || self.model.entity(&name.text).is_some()
    }

    /// Resolves an operand of an assignment: an attribute of the entity of an action above.
    pub(super) fn operand(
        &self,
        (name, fields): (&Name, &[Name]),
        needed: &Type,
        operands: &Operands<'_>,
    ) -> Result<Lent, Box<Diagnostic>> {
        let [of, inner @ ..] = fields else {
            return Err(Box::new(operands.unknown(name)));
        };
        let in_braces = |error: Box<Diagnostic>| {
            let parameter = format!("{}.{}", name.text, of.text);
            let mut known = operands.parameters.iter();
            match known.any(|(one, _)| *one == parameter) {
                true => Box::new(error.help(format!(
                    "the parameter of this name stands in braces: `{{{parameter}}}`"
                ))),
                false => error,
            }
        };
        let (action, lender, found) = self.attribute(name, of).map_err(in_braces)?;
        if let Some(field) = inner.first() {
            let message = format!("`{}` of {} is taken as a whole", of.text, name.text);
            return Err(Box::new(
                Diagnostic::error("KF004", field.span, message, "no field of it").help(format!(
                    "take `{}.{}`, or give the field as a parameter",
                    name.text, of.text
                )),
            ));
        }
        if !fits(&found.kind, needed) {
            return Err(wrong_type(found, needed, of));
        }
        if found.optional {
            return Err(Box::new(may_lack((name, of), found)));
        }
        if lender.is_left_out {
            return Err(Box::new(may_be_left_out((name, of), lender)));
        }
        Ok(Lent {
            action,
            name: name.text.clone(),
            attribute: found.name.clone(),
        })
    }

    /// The position of the action above that has a name, the action, and its entity's attribute.
    fn attribute(
        &self,
        name: &Name,
        of: &Name,
    ) -> Result<(usize, &'e Earlier<'e>, &'e Attribute), Box<Diagnostic>> {
        let above = self.earlier.iter().enumerate();
        let all: Vec<(usize, &'e Earlier<'e>)> = above
            .filter(|(_, one)| has_name(one.declared, name))
            .collect();
        let (action, one) = match all.as_slice() {
            [one] => *one,
            [] => return Err(Box::new(self.not_above(name, of))),
            [_, _, ..] => return Err(Box::new(ambiguous(name, of, &all))),
        };
        let error = |message: String, label: &str| {
            Box::new(Diagnostic::error("KF004", of.span, message, label))
        };
        if one.declared.each.is_some() {
            let message = format!("{} stands for several items", name.text);
            return Err(error(message, "of which of them?"));
        }
        if one.declared.verb == Verb::Upsert {
            let message = format!("{} may be made by this write", name.text);
            return Err(error(message, "of the stored item, or of the new one?"));
        }
        let found = attribute_of(one.entity, of)?;
        if found.is_kept {
            let message = format!(
                "`{}` of {} is kept by the model",
                found.name, one.entity.name
            );
            return Err(error(message, "changes with other items"));
        }
        Ok((action, one, found))
    }

    /// The error about a name that no action above has: it is that of this action, of one below, or
    /// of none.
    fn not_above(&self, name: &Name, of: &Name) -> Diagnostic {
        let message = format!("no action above is on `{}`", name.text);
        let error = |label: &str| {
            Diagnostic::error("KF002", name.span, message.clone(), label)
                .note("an action takes attributes from those that stand above it")
        };
        let (own, below) = match self.all.get(self.earlier.len()..) {
            Some([own, below @ ..]) => (Some(own), below),
            Some([]) | None => (None, &[] as &[ActionDecl]),
        };
        let is_below = below.iter().any(|one| has_name(one, name));
        if let Some(own) = own.filter(|own| has_name(own, name) && !is_below) {
            let error = error("it is this action");
            if own.verb.writes_all_attributes() {
                return error.help("give the value as a parameter of the write");
            }
            return error.help(format!(
                "the item's own attribute has no name before it: `{}`",
                written(&of.text)
            ));
        }
        let error = error("not in the write, or below");
        match below.iter().find(|one| has_name(one, name)) {
            Some(one) => error.help(format!(
                "put `{} {}` above this action",
                one.verb.word(),
                one.entity.text
            )),
            None => error.help(format!("put an action above, like `check {}`", name.text)),
        }
    }
}

/// Whether a name is the alias of an action, or its entity's.
fn has_name(action: &ActionDecl, name: &Name) -> bool {
    let alias = action.alias.as_ref();
    alias.is_some_and(|alias| alias.text == name.text) || action.entity.text == name.text
}

/// The error about a value that an item may lack.
fn may_lack((name, of): (&Name, &Name), found: &Attribute) -> Diagnostic {
    let message = format!("`{}` of {} may be missing", found.name, name.text);
    Diagnostic::error("KF004", of.span, message, "what if it has no value?")
        .label(found.span, "declared here")
        .note("an attribute with `?` has no value in some items, and what is set to it would have none, either")
        .help("declare it without `?`, or give the value as a parameter of the write")
}

/// The error about a value of an action that may be left out.
fn may_be_left_out((name, of): (&Name, &Name), lender: &Earlier<'_>) -> Diagnostic {
    let message = format!("`{}` may be left out of the write", lender.text());
    let diagnostic = Diagnostic::error("KF004", of.span, message, "what if there is no such item?");
    let diagnostic = match lender.declared.keys.last() {
        Some(key) => diagnostic.label(key.operand.span, "the key may have no value"),
        None => diagnostic,
    };
    diagnostic
        .note("an action whose key has no value is left out, and then there is nothing to take")
        .help(format!(
            "find {} by a value that is always there, or give `{}` as a parameter of the write",
            name.text, of.text
        ))
}

/// The error about an entity with several actions.
fn ambiguous(name: &Name, of: &Name, all: &[(usize, &Earlier<'_>)]) -> Diagnostic {
    let ways = all
        .iter()
        .map(|(_, one)| format!("`{}.{}`", one.name(), of.text));
    let message = format!("{} has several actions above", name.text);
    Diagnostic::error("KF004", name.span, message, "which of them?").help(format!(
        "name them by `as`, and say which: {}",
        ways.collect::<Vec<_>>().join(" or ")
    ))
}

/// The attributes of an action with an alias: each is a parameter behind the alias.
pub(super) fn of_alias(
    declared: &ActionDecl,
    needed: impl Iterator<Item = String>,
    parameters: &[WriteParameter],
) -> Vec<Taken> {
    if declared.alias.is_none() {
        return Vec::new();
    }
    let own = needed.filter_map(|attribute| {
        let name = parameter_of(declared, &attribute);
        let is_parameter = parameters.iter().any(|known| known.name == name);
        is_parameter.then_some(Taken {
            attribute,
            source: Source::Parameter(name),
            is_declared: false,
        })
    });
    own.collect()
}

/// The sources of the attributes of an action's key: two actions with the same ones affect the same
/// item.
pub(super) fn key_sources(action: &Action, entity: &Entity) -> Vec<(String, Source)> {
    let is_set = |one: &&Assignment, field: &str| {
        one.attribute == field && one.fields.is_empty() && one.right.is_none()
    };
    let source = |field: &str| {
        let mut set = action.assignments.iter();
        if let Some(one) = set.find(|one| is_set(one, field)) {
            return match &one.left {
                Operand::Parameter(name) => Source::Parameter(name.clone()),
                Operand::Attribute(path) => Source::Parameter(path.attribute.clone()),
                Operand::Literal(value) => Source::Literal(value.clone()),
                Operand::Lent(lent) => lent.clone().into(),
            };
        }
        let taken = action.taken.iter().find(|one| one.attribute == field);
        taken.map_or_else(
            || Source::Parameter(field.to_owned()),
            |one| one.source.clone(),
        )
    };
    let fields = entity.identity().into_iter();
    fields
        .map(|field| (field.to_owned(), source(field)))
        .collect()
}
