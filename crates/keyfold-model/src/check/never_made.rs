//! KF038, never made: a `create or update` whose condition holds for no absent item.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Action, Comparison, Condition, Entity, Model, Write, conjunction};
use crate::words::{Comparator, Verb};
use crate::written::{one, written};

pub(crate) const RULE: Rule = Rule {
    code: "KF038",
    name: "never-made",
    summary: "The condition of a `create or update` can hold where there is no item.",
    why: "All attributes of an absent item are absent, and a comparison with an absent attribute \
        is false. `create or update E when n > 3` is therefore refused where there is no item, and \
        what it would create is never created. `missing n or n > 3` lets it, and `update E` says \
        that the item must be there.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Lock
  lockId: string, owner: string, until: int
  key  "LOCK#{lockId}"  "LOCK"
pattern lock(lockId)  -> Lock?
write take(owner, at: int)
  create or update Lock set owner = owner when until < at
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Lock
  lockId: string, owner: string, until: int
  key  "LOCK#{lockId}"  "LOCK"
pattern lock(lockId)  -> Lock?
write take(owner, at: int)
  create or update Lock set owner = owner when missing until or until < at
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for write in &model.writes {
        let optional = write.optional_parameters();
        for action in &write.actions {
            if let Some(entity) = model.entities.get(action.entity)
                && action.verb == Verb::Upsert
                && !action.conditions.is_empty()
                && !may_make(&action.conditions, &optional)
            {
                diagnostics.extend(warning(write, action, entity));
            }
        }
    }
}

fn warning(write: &Write, action: &Action, entity: &Entity) -> Option<Diagnostic> {
    let first = action.conditions.first()?.span();
    let span = first.to(action.conditions.last()?.span());
    let message = format!("{} never creates {}", write.name, one(&entity.name));
    let name = written(attribute(action, entity)?);
    let needs_parentheses =
        action.conditions.len() > 1 || matches!(action.conditions.as_slice(), [Condition::All(_)]);
    let (open, close) = if needs_parentheses {
        ("(", ")")
    } else {
        ("", "")
    };
    let when = conjunction(&action.conditions);
    let diagnostic = Diagnostic::warning("KF038", span, message, "false where there is no item")
        .note("all attributes of an absent item are absent, and a comparison with one is false")
        .help(format!(
            "if it should create one: `missing {name} or {open}{when}{close}`"
        ));
    let edits = match is_flat(&action.conditions) {
        true => vec![
            Edit::insert(span.start, format!("missing {name} or {open}")),
            Edit::insert(span.end, close),
        ],
        false => Vec::new(),
    };
    Some(diagnostic.offer(edits).help(format!(
        "if the {} must be there: `update {}`, without `else`",
        entity.name, entity.name
    )))
}

/// An attribute that every stored item has: of the condition, or of the key.
fn attribute<'a>(action: &'a Action, entity: &'a Entity) -> Option<&'a str> {
    let is_required = |name: &&str| {
        let found = entity.attribute(name);
        found.is_some_and(|found| !found.optional)
    };
    let mut compared = action.conditions.iter().flat_map(Condition::attributes);
    let of_condition = compared.find(is_required);
    of_condition.or_else(|| entity.identity().first().copied())
}

/// Whether the comparisons are joined by one word only, so that parentheses around them keep the
/// meaning wherever others stand.
fn is_flat(conditions: &[Condition]) -> bool {
    let is_plain = |one: &Condition| matches!(one, Condition::Is(_));
    match conditions {
        [Condition::Any(members) | Condition::All(members)] => members.iter().all(is_plain),
        all => all.iter().all(is_plain),
    }
}

/// What a condition can be for an absent item, over all choices of the optional parameters.
#[derive(Clone, Copy)]
struct Outcomes {
    holds: bool,
    fails: bool,
    /// It is left out, with the parameters that it uses.
    is_left_out: bool,
}

/// Whether conditions can hold for an absent item. What is said of each member is said alone, so
/// that the answer is yes where members rest on the same parameter.
fn may_make(conditions: &[Condition], optional: &[String]) -> bool {
    let all = all(conditions, optional);
    all.holds || all.is_left_out
}

fn outcomes(condition: &Condition, optional: &[String]) -> Outcomes {
    match condition {
        Condition::Is(one) => {
            let holds = holds_for_absent(one);
            let is_optional = |name: &str| optional.iter().any(|one| one == name);
            Outcomes {
                holds,
                fails: !holds,
                is_left_out: one.parameters().any(is_optional),
            }
        }
        Condition::Not(member) => swapped(outcomes(member, optional)),
        Condition::All(members) => all(members, optional),
        Condition::Any(members) => {
            let opposites = members
                .iter()
                .map(|one| swapped(outcomes(one, optional)))
                .collect::<Vec<_>>();
            swapped(joined(&opposites))
        }
    }
}

fn swapped(one: Outcomes) -> Outcomes {
    Outcomes {
        holds: one.fails,
        fails: one.holds,
        ..one
    }
}

fn all(members: &[Condition], optional: &[String]) -> Outcomes {
    let each = members.iter().map(|one| outcomes(one, optional));
    joined(&each.collect::<Vec<_>>())
}

/// The outcomes of an `and`.
fn joined(members: &[Outcomes]) -> Outcomes {
    Outcomes {
        holds: members.iter().any(|one| one.holds)
            && members.iter().all(|one| one.holds || one.is_left_out),
        fails: members.iter().any(|one| one.fails),
        is_left_out: members.iter().all(|one| one.is_left_out),
    }
}

/// Whether a comparison holds for an item without attributes.
fn holds_for_absent(comparison: &Comparison) -> bool {
    match comparison.comparator {
        // An absent attribute differs from every value.
        Comparator::Missing | Comparator::Unequal => true,
        Comparator::Exists
        | Comparator::Equal
        | Comparator::Less
        | Comparator::AtMost
        | Comparator::Greater
        | Comparator::AtLeast
        | Comparator::Contains
        | Comparator::Starts
        | Comparator::In
        | Comparator::Within => false,
    }
}
