//! What is under way at the place that a workbench shows: views and how far they are behind, moves, evolutions
//! and migrations, as `keyfold views status`, `move status`, `evolve status` and `migrate status` say it.
//!
//! - `kept`: the views of the model. `moves`: tables that come here. `rows`: evolutions and migrations.
//! - `named`: how commands name the place.
//!
//! Only the place is asked: what the other side of a move, or the database of a migration, has beside that is
//! said by these commands. Nothing is written.

mod kept;
mod moves;
mod named;
mod rows;

use keyfold_workbench::{Activity, UnderWay};
pub(super) use named::Named;
use std::sync::Arc;

/// Reads what is under way at a place that commands name so.
pub(super) fn reader(named: Named) -> UnderWay {
    Arc::new(move |backend, opened| Activity {
        views: opened
            .model
            .as_ref()
            .map(|(path, model)| kept::views(backend, &named, (path, model))),
        moves: moves::here(backend, &named),
        evolutions: rows::evolutions(backend, &named, opened.files),
        migrations: rows::migrations(backend, &named, opened),
    })
}
