//! Several writes in one transaction: all of them happen at one moment, or none does.
//!
//! The outcome is that of the writes one after the other. All of them read at the same time, the items
//! as they are before the transaction. Then the steps of each write are put together in order, with
//! the aggregates that follow them; where two writes meet in an item and the order would make a
//! difference, the transaction is refused before it is sent.

use super::aggregate::add_aggregates;
use super::context::Context;
use super::entity;
use super::execute::sent_steps;
use super::inputs::{ChangedItems, GivenItems};
use super::meeting::{hands_over, join, place, taken_twice};
use super::named;
use super::refusal::{Refusal, check_entity};
use super::single;
use super::step::{Draft, Step};
use super::written::{OfPart, Transacted};
use crate::arguments::Values;
use crate::complete::{Made, complete, touch};
use crate::error::ClientError;
use crate::lowering::{Io, Lowering, Origin, together};
use crate::retry::TRIES;
use keyfold_model::{Entity, Model, Write};

/// One write of a transaction.
#[derive(Debug, Clone, Copy)]
pub enum Part<'p> {
    /// Creates an entity that must not exist. See [`super::create`].
    Create {
        /// The entity.
        entity: &'p Entity,
        /// Its attributes.
        values: &'p Values,
    },
    /// Writes a whole entity, whether it exists or not. See [`super::put`].
    Put {
        /// The entity.
        entity: &'p Entity,
        /// Its attributes.
        values: &'p Values,
    },
    /// Changes an entity that exists. See [`super::update`].
    Update {
        /// The entity.
        entity: &'p Entity,
        /// Its key and the changes.
        changes: &'p Values,
        /// The attributes that it loses.
        removed: &'p [String],
    },
    /// Deletes an entity that exists. See [`super::delete`].
    Delete {
        /// The entity.
        entity: &'p Entity,
        /// Its key.
        key: &'p Values,
    },
    /// Runs a named write. See [`super::run`].
    Run {
        /// The write.
        write: &'p Write,
        /// Its arguments.
        arguments: &'p Values,
    },
}

impl Part<'_> {
    /// The write, for people: `create Order`, or its name.
    fn name(&self) -> String {
        let of_entity = |verb: &str, entity: &Entity| format!("{verb} {}", entity.name);
        match self {
            Part::Create { entity, .. } => of_entity("create", entity),
            Part::Put { entity, .. } => of_entity("put", entity),
            Part::Update { entity, .. } => of_entity("update", entity),
            Part::Delete { entity, .. } => of_entity("delete", entity),
            Part::Run { write, .. } => write.name.clone(),
        }
    }
}

/// Carries several writes out in one transaction, as if one happened after the other.
///
/// # Errors
/// The result has those of the single writes, with the number and the name of the write; `Refused`
/// where two of them meet in an item and their order would make a difference.
pub fn transact<'l>(
    origin: Origin,
    model: &'l Model,
    parts: &'l [Part<'l>],
) -> Lowering<'l, Transacted> {
    Lowering::new(origin, move |io| async move {
        transact_parts(&io, model, parts, UniqueValues::InOrder).await
    })
}

/// As [`transact`], where unique values may change hands in any order, also in a circle: each of two entities
/// takes the value that the other one gives away.
///
/// # Errors
/// Those of [`transact`].
pub fn transact_at_once<'l>(
    origin: Origin,
    model: &'l Model,
    parts: &'l [Part<'l>],
) -> Lowering<'l, Transacted> {
    Lowering::new(origin, move |io| async move {
        transact_parts(&io, model, parts, UniqueValues::AtOnce).await
    })
}

/// When a unique value is free that a write of a transaction gives away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum UniqueValues {
    /// For the writes behind it.
    #[default]
    InOrder,
    /// For all of them.
    AtOnce,
}

async fn transact_parts(
    io: &Io,
    model: &Model,
    parts: &[Part<'_>],
    uniques: UniqueValues,
) -> Result<Transacted, ClientError> {
    if parts.is_empty() {
        let message = "a transaction has at least one write";
        return Err(ClientError::Invalid(message.to_owned()));
    }
    let all = parts.iter().enumerate();
    let ready = all.map(|(number, part)| Ready::of(io, number, *part));
    let ready: Vec<Ready<'_>> = ready.collect::<Result<_, _>>()?;
    let context = Context { io, model };
    for tried in 0..TRIES {
        let composed = together(ready.iter().map(|one| one.compose(model))).await;
        let merged = merged(&context, composed, uniques).await?;
        let Merged {
            draft,
            owners,
            mut writes,
            ..
        } = merged;
        let labels: Vec<String> = draft.steps.iter().map(|step| step.label.clone()).collect();
        let sent = sent_steps(&context, draft.steps, &draft.unread, tried).await?;
        let Some(written) = sent else { continue };
        if !written.changes.is_empty() {
            for (label, owner) in labels.into_iter().zip(owners) {
                if let Some(of) = writes.get_mut(owner) {
                    of.changes.push(label);
                }
            }
        }
        return Ok(Transacted {
            operation: written.operation,
            capacity: written.capacity,
            writes,
        });
    }
    Err(ClientError::Overtaken(format!(
        "the transaction: its items were changed by others {TRIES} times in a row; try again"
    )))
}

/// A write whose values have their defaults.
struct Ready<'p> {
    part: Part<'p>,
    number: usize,
    /// The write, for people, by its number from 0: `write 1 (create Order)`.
    name: String,
    io: Io,
    /// The attributes, changes, key or arguments.
    values: Values,
    made: Vec<Made>,
}

/// The steps of one write of a transaction.
struct Composed {
    number: usize,
    name: String,
    draft: Draft,
    given: GivenItems,
    made: Vec<Made>,
    result: Result<(), ClientError>,
}

impl<'p> Ready<'p> {
    fn of(io: &Io, number: usize, part: Part<'p>) -> Result<Ready<'p>, ClientError> {
        let io = io.of_part(number);
        let name = format!("write {number} ({})", part.name());
        let mut made = Vec::new();
        let values = match part {
            Part::Create { entity, values } | Part::Put { entity, values } => {
                complete(&io, entity, values, &mut made)
            }
            Part::Update {
                entity,
                changes,
                removed,
            } => {
                single::check_removable(entity, changes, removed)
                    .map_err(|error| error.of_write(&name, number))?;
                touch(&io, entity, changes, &mut made)
            }
            Part::Delete { key, .. } => key.clone(),
            Part::Run { write, arguments } => named::with_now(&io, write, arguments),
        };
        Ok(Ready {
            part,
            number,
            name,
            io,
            values,
            made,
        })
    }

    /// Reads what the write rests on, and makes its steps.
    async fn compose(&self, model: &Model) -> Composed {
        let mut composed = Composed {
            number: self.number,
            name: self.name.clone(),
            draft: Draft::default(),
            given: GivenItems::default(),
            made: self.made.clone(),
            result: Ok(()),
        };
        composed.result = self.add(model, &mut composed).await;
        composed
    }

    async fn add(&self, model: &Model, into: &mut Composed) -> Result<(), ClientError> {
        if let Part::Create { entity, .. }
        | Part::Put { entity, .. }
        | Part::Update { entity, .. }
        | Part::Delete { entity, .. } = self.part
        {
            check_entity(model, entity)?;
        }
        let context = &Context {
            io: &self.io,
            model,
        };
        let Composed {
            draft, given, made, ..
        } = into;
        let values = &self.values;
        match self.part {
            Part::Create { entity, .. } => {
                given.add_changed(model, ("create", entity), values)?;
                let exists = Refusal::exists(entity, values);
                entity::create(context, entity, values, exists, draft)
            }
            Part::Put {
                entity,
                values: given_values,
            } => {
                given.add_changed(model, ("put", entity), values)?;
                single::put(context, entity, (given_values, values), draft).await
            }
            Part::Update {
                entity, removed, ..
            } => {
                given.add_changed(model, ("update", entity), values)?;
                single::update(context, entity, (values, removed, true), draft).await
            }
            Part::Delete { entity, .. } => {
                given.add_changed(model, ("delete", entity), values)?;
                single::delete(context, entity, values, draft).await
            }
            Part::Run { write, arguments } => {
                let arguments = (arguments, values);
                named::compose(context, write, arguments, (draft, given, made)).await
            }
        }
    }
}

/// The steps of all writes.
#[derive(Default)]
struct Merged {
    draft: Draft,
    /// The number of the write that each step is of.
    owners: Vec<usize>,
    /// What each write made.
    writes: Vec<OfPart>,
    uniques: UniqueValues,
}

/// Puts the steps of the writes together, in order.
async fn merged(
    context: &Context<'_>,
    parts: Vec<Composed>,
    uniques: UniqueValues,
) -> Result<Merged, ClientError> {
    check_given(&parts)?;
    let names: Vec<String> = parts.iter().map(|one| one.name.clone()).collect();
    let mut merged = Merged {
        uniques,
        ..Merged::default()
    };
    for part in parts {
        let (name, number) = (part.name.clone(), part.number);
        let added = merged.add(context, part, &names).await;
        added.map_err(|error| error.of_write(&name, number))?;
    }
    Ok(merged)
}

impl Merged {
    /// Adds the steps of the next write, and the aggregates that follow it.
    async fn add(
        &mut self,
        context: &Context<'_>,
        part: Composed,
        names: &[String],
    ) -> Result<(), ClientError> {
        part.result?;
        let mut draft = part.draft;
        for step in draft.steps {
            let step = of_write(step, &part.name, part.number);
            let known = self.draft.position_of(&step.table, &step.key);
            let is_earlier = |at: &usize| self.owners.get(*at) != Some(&part.number);
            let earlier = known.filter(is_earlier);
            let Some(at) = earlier else {
                self.draft.steps.push(step);
                self.owners.push(part.number);
                continue;
            };
            if let Some(known) = self.draft.steps.get_mut(at) {
                let labels = [known.label.clone(), step.label.clone()];
                let item = place(&step);
                if self.uniques == UniqueValues::AtOnce && hands_over(known, &step) {
                    continue;
                }
                if let Some(taken) = taken_twice(known, &step) {
                    return Err(taken);
                }
                if !join(known, step, &mut draft.remaining) {
                    let owner = self.owners.get(at).and_then(|owner| names.get(*owner));
                    let first = owner.map_or("", String::as_str);
                    return Err(meeting(first, [&labels[0], &labels[1]], &item));
                }
            }
        }
        self.draft.changes = draft.changes;
        self.draft.remaining = draft.remaining;
        self.draft.unread.extend(draft.unread);
        add_aggregates(context, &mut self.draft).await?;
        let own = self.draft.steps.split_off(self.owners.len());
        let own = own.into_iter();
        let own = own.map(|step| of_write(step, &part.name, part.number));
        self.draft.steps.extend(own);
        self.owners.resize(self.draft.steps.len(), part.number);
        self.writes.push(OfPart {
            changes: Vec::new(),
            made: part.made,
        });
        Ok(())
    }
}

/// The step, with a refusal in the words of its write.
fn of_write(step: Step, write: &str, number: usize) -> Step {
    let refusal = step.refusal.of_write(write, number);
    Step { refusal, ..step }
}

/// Refuses a write that is given an item which an earlier one changes.
fn check_given(parts: &[Composed]) -> Result<(), ClientError> {
    let mut changed = ChangedItems::default();
    for (at, later) in parts.iter().enumerate() {
        let met = later.given.changed_before(&changed);
        if let Some((earlier, [first, second, item])) = met {
            let name = parts.get(earlier).map_or("", |part| &part.name);
            let error = meeting(name, [first, second], item);
            return Err(error.of_write(&later.name, later.number));
        }
        changed.add(at, &later.given);
    }
    Ok(())
}

/// The refusal of two writes of one item whose order would make a difference.
fn meeting(first: &str, [one, other]: [&str; 2], item: &str) -> ClientError {
    ClientError::refused(format!(
        "{first} uses the same item, {item}: first `{one}`, then `{other}`; a transaction takes one action for an item: put both into one write, or into transactions of their own"
    ))
}
