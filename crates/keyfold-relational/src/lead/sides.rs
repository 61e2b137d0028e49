//! The tables as programs see them: they take writes, or refuse them by a statement in their policies, as the side
//! of a move does that does not lead. The clients of this process write all the same.

use crate::state::{Phase, State};
use crate::world;
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_model::{Entity, Model};
use keyfold_motion::alone::{Due, Refusing, admit, may_refuse, refuse};
use keyfold_motion::tables::{Followable, Streamless, look, switch_stream_on};
use keyfold_motion::threads::{Called, Threads};
use keyfold_motion::{Force, Progress};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The tables of a migration, whose writers change.
pub struct Tables {
    world: Arc<Threads>,
    /// Where programs find them.
    pub(crate) connection: String,
    force: Force,
    /// How long a record may take to appear in a stream.
    pub(crate) settle: Duration,
}

/// The tables of a model that hold items of rows, by their names.
pub(crate) fn names(model: &Model) -> Vec<&str> {
    let is_mapped = |entity: &&Entity| entity.origin.is_some();
    let all = model.entities.iter().filter(is_mapped);
    let all = all.filter_map(|entity| model.tables.get(entity.table));
    let names: BTreeSet<&str> = all.map(|table| table.name.as_str()).collect();
    names.into_iter().collect()
}

impl Tables {
    /// The tables that programs find at a connection. `force` and `settle` are times of the place.
    pub fn new(backend: &Arc<Backend>, connection: &str, force: Force, settle: Duration) -> Tables {
        let both = [Arc::clone(backend), Arc::clone(backend)];
        // Both places of the world are that of the tables.
        let named = Called {
            places: [0, 1].map(|_| format!("the target {connection}")),
            rights: "docs/migrate.md lists the rights of a switch",
        };
        Tables {
            world: Threads::new(both, named, Arc::new(Progress::default()), world::now()),
            connection: connection.to_owned(),
            force,
            settle,
        }
    }

    fn refusing<'r>(&self, table: &'r str, (lead, fence): (&'r str, u64)) -> Refusing<'r> {
        Refusing {
            table,
            lead,
            fence,
            force: self.force,
        }
    }

    /// Looks whether all tables can refuse writes, and be followed. Streams that are off are switched on, and their
    /// tables named.
    pub(crate) fn prepare(&self, model: &Model, lead: &str) -> Result<Vec<String>, ClientError> {
        let mut switched = Vec::new();
        for name in names(model) {
            let period = model.tables.iter().find(|one| one.name == name);
            if period.is_some_and(|table| table.period.is_some()) {
                return Err(ClientError::refused(format!(
                    "the table {name} has another one for each period, which cannot be followed yet: it is not switched"
                )));
            }
            blocked(may_refuse(
                &*self.world,
                self.refusing(name, (lead, u64::MAX)),
            ))?;
            match blocked(look(&*self.world, name))?.followable() {
                Followable::Yes(_) => {}
                Followable::NoStream => {
                    let otherwise = Streamless {
                        place: &self.connection,
                        advice: "what is written there could not be carried to the database, so nothing is switched",
                    };
                    blocked(switch_stream_on(&*self.world, name, otherwise))?;
                    switched.push(name.to_owned());
                }
                Followable::NoImages => {
                    return Err(ClientError::refused(format!(
                        "the stream of the table {name} has no new images: let it have new and old images"
                    )));
                }
            }
        }
        Ok(switched)
    }

    /// Lets all tables refuse writes of programs.
    pub(crate) fn refuse(
        &self,
        model: &Model,
        of: (&str, u64),
        due: &Due<'_>,
    ) -> Result<(), ClientError> {
        for name in names(model) {
            blocked(refuse(&*self.world, self.refusing(name, of), due))?;
        }
        Ok(())
    }

    /// Lets all tables take writes of programs.
    pub(crate) fn admit(&self, model: &Model, due: &Due<'_>) -> Result<(), ClientError> {
        for name in names(model) {
            blocked(admit(&*self.world, name, due))?;
        }
        Ok(())
    }

    /// Takes away what switches have left at the tables of a migration that is over.
    pub(crate) fn let_go(&self, model: &Model, state: &State) -> Result<(), ClientError> {
        if state.closed || state.turns > 0 || state.phase == Phase::Closing {
            self.admit(model, &|| Ok(()))?;
        }
        for name in &state.streams {
            super::streams::switch_off(&*self.world, name)?;
        }
        Ok(())
    }
}
