//! The actions of a write that stand above another, and the attributes that it takes from them.

use super::names::attribute_of;
use crate::diagnostic::Diagnostic;
use crate::schema::{Attribute, Entity, Lent, Model, Type, Verb};
use crate::syntax::ast::{ActionDecl, Name};
use crate::written::written;

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

    /// Refuses a name that is that of an action above and of something else, which is `other`:
    /// `User` in `User.name`.
    pub(super) fn check_alone(
        &self,
        (name, of): (&Name, &Name),
        other: &str,
    ) -> Result<(), Box<Diagnostic>> {
        let mut above = self.earlier.iter();
        let Some(one) = above.find(|one| has_name(one.declared, name)) else {
            return Ok(());
        };
        let message = format!("`{}` is {other} and the action `{}`", name.text, one.text());
        let error = Diagnostic::error("KF003", name.span, message, "two things of one name");
        Err(Box::new(match &one.declared.alias {
            Some(_) => error.help("choose another name behind `as`"),
            None => error.help(format!(
                "give the action a name, and take the attribute by it: `{} as other` and `other.{}`",
                one.text(),
                written(&of.text)
            )),
        }))
    }

    /// Resolves an operand of an assignment: an attribute of the entity of an action above.
    pub(super) fn operand(
        &self,
        (name, of, inner): (&Name, &Name, &[Name]),
        needed: &Type,
        parameters: &[(&str, &Type)],
    ) -> Result<Lent, Box<Diagnostic>> {
        let in_braces = |error: Box<Diagnostic>| {
            let parameter = format!("{}.{}", name.text, of.text);
            let mut known = parameters.iter();
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
    pub(super) fn attribute(
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

/// The error about an attribute of another action whose type is not the one that is needed.
pub(super) fn wrong_type(found: &Attribute, needed: &Type, of: &Name) -> Box<Diagnostic> {
    let message = format!(
        "`{}` is {}, and {} is needed",
        found.name,
        found.kind.with_article(),
        needed.with_article()
    );
    Box::new(Diagnostic::error("KF004", of.span, message, "wrong type"))
}

/// Whether a value of one type may stand where another is needed.
pub(super) fn fits(found: &Type, needed: &Type) -> bool {
    found == needed || (*found == Type::Int && *needed == Type::Number)
}
