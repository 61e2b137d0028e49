//! Differences of a table's settings: capacity, stream, recovery, protection, class and tags.

use super::change::{Changes, Migration};
use keyfold_model::schema::{Capacity, Settings, StreamView, TableClass};

/// Reports a change of the table's capacity.
pub(super) fn capacity_change(old: Capacity, new: Capacity, changes: &mut Changes<'_>) {
    if old == new {
        return;
    }
    let todo = match (old.scales(), new.scales()) {
        (_, true) => "update the table in place, and the bounds of its autoscaling",
        (true, false) => "remove its autoscaling, and update the table in place",
        (false, false) => "update the table in place",
    };
    changes.add(
        format!("its capacity {old} becomes {new}"),
        Migration::Definition,
        todo,
    );
}

/// Reports a change of the capacity of past periods.
pub(super) fn cooled_change(
    old: Option<Capacity>,
    new: Option<Capacity>,
    changes: &mut Changes<'_>,
) {
    if old == new {
        return;
    }
    let text = |capacity: Option<Capacity>| {
        capacity.map_or("that of the present one".to_owned(), |capacity| {
            capacity.to_string()
        })
    };
    changes.add(
        format!(
            "the capacity of past periods, {}, becomes {}",
            text(old),
            text(new)
        ),
        Migration::Definition,
        "update the tables of past periods in place",
    );
}

/// Reports the changes of the other settings. UpdateTable and its neighbours make each of them
/// while the table works.
pub(super) fn settings(old: &Settings, new: &Settings, changes: &mut Changes<'_>) {
    let Settings {
        stream: new_stream,
        recovery,
        deletion_protection,
        class: new_class,
        tags: new_tags,
    } = new;
    stream(old.stream, *new_stream, changes);
    switch(
        (old.recovery, *recovery),
        "point in time recovery",
        [
            "update the table's backups in place: states from then on can be restored",
            "update the table's backups in place: the states kept so far can no longer be restored",
        ],
        changes,
    );
    switch(
        (old.deletion_protection, *deletion_protection),
        "deletion protection",
        ["update the table in place", "update the table in place"],
        changes,
    );
    class(old.class, *new_class, changes);
    tags(&old.tags, new_tags, changes);
}

/// Reports a setting that is switched on or off, with what is to be done for each.
fn switch((old, new): (bool, bool), what: &str, [on, off]: [&str; 2], changes: &mut Changes<'_>) {
    match (old, new) {
        (false, true) => changes.add(format!("{what} added"), Migration::Definition, on),
        (true, false) => changes.add(format!("{what} removed"), Migration::Definition, off),
        (true, true) | (false, false) => {}
    }
}

fn stream(old: Option<StreamView>, new: Option<StreamView>, changes: &mut Changes<'_>) {
    let (how, todo) = match (old, new) {
        (one, two) if one == two => return,
        (None, Some(view)) => (
            format!("a stream with {} added", view.words()),
            "update the table in place: the stream begins with the next change",
        ),
        (Some(view), Some(other)) => (
            format!(
                "its stream with {} becomes one with {}",
                view.words(),
                other.words()
            ),
            "a stream cannot change: switch it off, then on again; its readers move to the new one",
        ),
        (Some(view), None) => (
            format!("its stream with {} removed", view.words()),
            "update the table in place when nothing reads the stream any more",
        ),
        (None, None) => return,
    };
    changes.add(how, Migration::Definition, todo);
}

fn class(old: Option<TableClass>, new: Option<TableClass>, changes: &mut Changes<'_>) {
    // A table is of the standard class if nothing is said.
    let of = |class: Option<TableClass>| class.unwrap_or(TableClass::Standard);
    if of(old) != of(new) {
        changes.add(
            format!("its class {} becomes {}", of(old).words(), of(new).words()),
            Migration::Definition,
            "update the table in place: only prices change",
        );
    }
}

fn tags(old: &[(String, String)], new: &[(String, String)], changes: &mut Changes<'_>) {
    let value = |tags: &[(String, String)], key: &str| {
        let found = tags.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.clone())
    };
    for (key, before) in old {
        match value(new, key) {
            None => changes.add(
                format!("tag {key} removed"),
                Migration::Definition,
                "remove it from the table's tags",
            ),
            Some(after) if after != *before => changes.add(
                format!("tag {key} = \"{before}\" becomes \"{after}\""),
                Migration::Definition,
                "tag the table in place",
            ),
            Some(_) => {}
        }
    }
    for (key, added) in new.iter().filter(|(key, _)| value(old, key).is_none()) {
        changes.add(
            format!("tag {key} = \"{added}\" added"),
            Migration::Definition,
            "tag the table in place",
        );
    }
}
