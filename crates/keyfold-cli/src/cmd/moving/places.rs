//! The two places of a move, and the tables of the source.

use super::cost::Priced;
use super::exports;
use crate::backend;
use crate::failure::Failure;
use crate::project::connection_of;
use clap::Args;
use keyfold_client::{Backend, ClientError, Connection, blocked};
use keyfold_evolve::ROWS;
use keyfold_motion::tables::look;
use keyfold_motion::threads::{Called, Threads};
use keyfold_motion::world::{At, Place, World};
use keyfold_motion::{LEDGER, MOVING_AGENT, Progress, Side, Status, moves as all_moves};
use keyfold_stream::names;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The tables that Keyfold keeps itself. They belong to one place.
const LEFT_OUT: [&str; 5] = [
    LEDGER,
    ROWS,
    "keyfold_leases",
    "keyfold_failures",
    "keyfold_views",
];

/// What a text is answered with that is no place of a move.
const FORMS: &str = "write http://127.0.0.1:8000, https://HOST, dynamodb://eu-west-1?profile=NAME, keyfold:./data or \
                     export:./folder";

/// What helps where the folder is not there that a move comes from, goes to, or that another command names.
const NO_SOURCE: &str = "FROM names the place whose tables are moved";
const NO_TARGET: &str = "`keyfold move FROM TO` makes the one that it moves tables to";
const NO_PLACE: &str = "name the place where the tables are";

/// Where tables come from, and where they go.
#[derive(Args)]
pub(super) struct Places {
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME,
    /// keyfold:./data, export:./folder, or the name of a connection of keyfold.toml.
    #[arg(value_name = "FROM")]
    pub(super) from: String,
    /// Where they go.
    #[arg(value_name = "TO")]
    pub(super) to: String,
    /// A table; may be given several times [default: all tables of the source].
    #[arg(long, value_name = "TABLE")]
    pub(super) table: Vec<String>,
}

/// The moves that a target knows of.
pub(super) struct Listed {
    /// Those whose rows are read.
    pub(super) moves: Vec<(String, Status)>,
    /// The others, with why not.
    pub(super) odd: Vec<(String, ClientError)>,
}

/// The two places of a command, opened.
pub(super) struct Opened {
    pub(super) source: Side,
    pub(super) target: Side,
    /// What the source and the target are called in the command.
    names: [String; 2],
    /// Whether others may write to the source.
    pub(super) is_shared: bool,
    /// How long a record may take to appear in the source's stream.
    pub(super) settle_time: Duration,
    /// Which of both cost money for each unit.
    pub(super) priced: Priced,
    /// From which on all runs count their time.
    pub(super) began: Instant,
}

impl Places {
    /// Opens both places to compare them.
    pub(super) fn open_to_compare(&self) -> Result<Opened, Failure> {
        let Some(folder) = exports::folder_of(&self.to) else {
            return self.open();
        };
        if exports::folder_of(&self.from).is_some_and(|from| exports::same_place(&from, &folder)) {
            return Err(one_place());
        }
        Ok(Opened {
            target: Side::Export(exports::opened(&folder, &self.table)?),
            ..self.open_source()?
        })
    }

    /// Opens both places, of which the target exists.
    pub(super) fn open(&self) -> Result<Opened, Failure> {
        check_there(&connection(&self.to)?, NO_TARGET)?;
        self.open_source()?.with_target(self)
    }

    /// Opens the source, which answers. It stands for the target, too, until that is opened
    /// ([`Opened::with_target`]): nothing is made before somebody has agreed.
    pub(super) fn open_source(&self) -> Result<Opened, Failure> {
        let to = match exports::folder_of(&self.to) {
            Some(_) => None,
            None => Some(connection(&self.to)?),
        };
        let is_amazon = to.as_ref().is_some_and(Connection::is_amazon);
        if let Some(folder) = exports::folder_of(&self.from) {
            return self.open_exports(&folder, is_amazon);
        }
        let from = connection(&self.from)?;
        if Some(&from) == to.as_ref() {
            return Err(one_place());
        }
        check_there(&from, NO_SOURCE)?;
        let source = Side::from(Arc::new(opened(&from, false)?));
        self.reach(&source)?;
        Ok(Opened {
            is_shared: !matches!(from, Connection::Folder(_)),
            settle_time: settle_time(&from),
            priced: Priced {
                places: [from.is_amazon(), is_amazon],
            },
            target: source.clone(),
            source,
            names: [self.from.clone(), self.to.clone()],
            began: Instant::now(),
        })
    }

    /// Opens exports as the source: a stopped copy, which is proved first.
    fn open_exports(&self, folder: &Path, is_amazon: bool) -> Result<Opened, Failure> {
        let source = Side::Export(exports::opened(folder, &self.table)?);
        self.reach(&source)?;
        Ok(Opened {
            priced: Priced {
                places: [false, is_amazon],
            },
            names: [self.from.clone(), self.to.clone()],
            ..Opened::alone(source, &self.from)
        })
    }

    /// Whether the source is an export, of which nothing changes.
    pub(super) fn is_from_export(&self) -> bool {
        exports::folder_of(&self.from).is_some()
    }

    /// Opens the target alone, for what does not ask the source.
    pub(super) fn open_target(&self) -> Result<Opened, Failure> {
        let to = connection(&self.to)?;
        check_there(&to, NO_TARGET)?;
        let target = Arc::new(opened(&to, true)?);
        Ok(Opened::alone(target, &self.to))
    }

    /// Opens the target alone, or both places if a move was switched: then the source has rows of it, too.
    pub(super) fn open_for_moves(&self) -> Result<Opened, Failure> {
        let target = self.open_target()?;
        let Listed { moves, odd: _ } = self.listed(&*target.world())?;
        if !moves.iter().any(|(_, one)| one.run.turn.has_begun()) {
            return Ok(target);
        }
        // A data folder is opened once at a time.
        drop(target);
        self.open()
    }

    /// Asks the source for its tables, or for those that are named.
    fn reach(&self, source: &Side) -> Result<(), Failure> {
        let world = Opened::alone(source.clone(), &self.from).world();
        for table in self.tables(&*world)? {
            blocked(look(&*world, &table))?;
        }
        Ok(())
    }

    /// The tables that are named, or all; each once.
    pub(super) fn tables(&self, world: &dyn World) -> Result<Vec<String>, Failure> {
        let mut all = match self.table.is_empty() {
            false => self.table.clone(),
            true => {
                let source = At {
                    world,
                    place: Place::Source,
                };
                blocked(names(&source))?
            }
        };
        if self.table.is_empty() {
            all.retain(|name| !LEFT_OUT.contains(&name.as_str()));
        }
        let mut seen = BTreeSet::new();
        all.retain(|name| seen.insert(name.clone()));
        match all.is_empty() {
            true => Err(Failure::not_found("the source has no tables")),
            false => Ok(all),
        }
    }

    /// The tables that are compared: those that are named, or those whose moves the target knows, or that it has
    /// exports of, or all.
    pub(super) fn compared(&self, opened: &Opened) -> Result<Vec<String>, Failure> {
        let world = &*opened.world();
        if self.table.is_empty() {
            if let Side::Export(exports) = &opened.target {
                return Ok(exports.names());
            }
            let mut forth = Vec::new();
            for (table, one) in blocked(all_moves(world, LEDGER))? {
                if !one?.run.is_back {
                    forth.push(table);
                }
            }
            if !forth.is_empty() {
                return Ok(forth);
            }
        }
        self.tables(world)
    }

    /// The moves of the target, of the tables that are named, or all. A row of them that cannot be read is refused.
    pub(super) fn moves(&self, world: &dyn World) -> Result<Vec<(String, Status)>, Failure> {
        let Listed { moves, odd } = self.listed(world)?;
        match odd.into_iter().next() {
            Some((_, error)) => Err(error.into()),
            None => Ok(moves),
        }
    }

    /// The same moves, with the errors of those whose rows cannot be read.
    pub(super) fn listed(&self, world: &dyn World) -> Result<Listed, Failure> {
        let (mut moves, mut odd) = (Vec::new(), Vec::new());
        let mut all = blocked(all_moves(world, LEDGER))?;
        all.retain(|(table, _)| self.table.is_empty() || self.table.contains(table));
        for (table, one) in all {
            match one {
                Ok(one) => moves.push((table, one)),
                Err(error) => odd.push((table, error)),
            }
        }
        let (back, moves): (Vec<_>, Vec<_>) =
            moves.into_iter().partition(|(_, one)| one.run.is_back);
        // Beside moves to this target, it may be the source of others that were switched.
        match back.first() {
            Some((table, one)) if moves.is_empty() || !self.table.is_empty() => {
                let said = one.run.is_forth(table);
                said.map_err(|error| {
                    let (from, to) = (&self.to, &self.from);
                    Failure::refused(format!("{error}: {from} {to}"))
                })?;
            }
            Some(_) | None => {}
        }
        Ok(Listed { moves, odd })
    }
}

pub(super) fn one_place() -> Failure {
    Failure::usage("FROM and TO are one place")
}

/// What a place is known by, however it is written: folders by their real paths, and names of keyfold.toml by what
/// they stand for.
pub(super) fn known_as(text: &str) -> Result<String, Failure> {
    let real = |folder: &Path| -> String {
        let absolute = || std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let real = folder.canonicalize().unwrap_or_else(|_| absolute());
        real.display().to_string()
    };
    if let Some(folder) = exports::folder_of(text) {
        return Ok(format!("export:{}", real(&folder)));
    }
    Ok(match connection(text)? {
        Connection::Folder(folder) => format!("keyfold:{}", real(&folder)),
        // The tables of an endpoint may be those of an account and of a region, by which requests are signed.
        Connection::Endpoint { url, asked } => {
            let url = url.trim_end_matches('/').to_ascii_lowercase();
            let all = [("region", asked.region), ("profile", asked.profile)];
            let all = all
                .into_iter()
                .filter_map(|(name, value)| Some(format!("{name}={}", value?)));
            let all: Vec<String> = all.collect();
            match all.is_empty() {
                true => url,
                false => format!("{url}?{}", all.join("&")),
            }
        }
        Connection::Amazon(asked) => {
            let profile = asked.profile.map(|name| format!("?profile={name}"));
            let region = asked.region.unwrap_or_default();
            format!("dynamodb://{region}{}", profile.unwrap_or_default())
        }
        Connection::Memory => text.to_owned(),
    })
}

/// Refuses a data folder that is not there, with what helps.
fn check_there(connection: &Connection, advice: &str) -> Result<(), Failure> {
    match connection {
        Connection::Folder(folder) => backend::check_folder(folder, advice),
        Connection::Amazon(_) | Connection::Endpoint { .. } | Connection::Memory => Ok(()),
    }
}

/// Whether a place needs time until policies are in force, and records in its streams.
pub(in crate::cmd) fn is_slow(text: &str) -> Result<bool, Failure> {
    Ok(connection_without_exports(text)?.is_amazon())
}

/// How long a record may take to appear in the stream of a place.
fn settle_time(connection: &Connection) -> Duration {
    Duration::from_secs(if connection.is_amazon() { 10 } else { 1 })
}

/// The connection of a place of a move, or of a name in keyfold.toml.
fn connection(text: &str) -> Result<Connection, Failure> {
    exports::check_none(text)?;
    lasting(match text.contains(':') {
        true => Connection::among(text, FORMS)?,
        false => connection_of(text)?,
    })
}

/// The connection of a place of another command, which has no exports.
fn connection_without_exports(text: &str) -> Result<Connection, Failure> {
    exports::check_none(text)?;
    lasting(connection_of(text)?)
}

/// Refuses a place that ends with the command.
fn lasting(connection: Connection) -> Result<Connection, Failure> {
    match connection {
        Connection::Memory => Err(Failure::usage(
            "`memory:` ends with this command: nothing can be moved there or from there",
        )),
        Connection::Folder(_) | Connection::Endpoint { .. } | Connection::Amazon(_) => {
            Ok(connection)
        }
    }
}

/// Opens a place. The engine of a data folder that is the source deletes nothing meanwhile: the items
/// that expire there are those of the target's expiry.
fn opened(connection: &Connection, is_target: bool) -> Result<Backend, Failure> {
    match connection {
        Connection::Folder(folder) => {
            let engine = backend::engine_with(Some(folder), backend::BY_TEXT, |options| {
                options.background &= is_target;
                options.agent = MOVING_AGENT.to_owned();
            })?;
            Ok(Backend::Embedded(engine))
        }
        Connection::Memory | Connection::Endpoint { .. } | Connection::Amazon(_) => {
            backend::server_as(connection, MOVING_AGENT)
        }
    }
}

/// Opens a place to look at it: nothing is written there, and nothing expires meanwhile.
pub(in crate::cmd) fn looked_at(text: &str) -> Result<Backend, Failure> {
    let place = connection_without_exports(text)?;
    check_there(&place, NO_PLACE)?;
    opened(&place, false)
}

/// Opens a place to write to it. A data folder is made.
pub(in crate::cmd) fn made_at(text: &str) -> Result<Backend, Failure> {
    opened(&connection_without_exports(text)?, true)
}

/// Opens a place to write to it, which is there.
pub(in crate::cmd) fn written_at(text: &str) -> Result<Backend, Failure> {
    let place = connection_without_exports(text)?;
    check_there(&place, NO_PLACE)?;
    opened(&place, true)
}

impl Opened {
    /// One place alone, for what does not ask the other.
    fn alone(place: impl Into<Side>, name: &str) -> Opened {
        let place = place.into();
        Opened {
            is_shared: false,
            settle_time: Duration::ZERO,
            priced: Priced::default(),
            source: place.clone(),
            names: [name.to_owned(), name.to_owned()],
            target: place,
            began: Instant::now(),
        }
    }

    /// Opens the target. A data folder is made.
    pub(super) fn with_target(self, places: &Places) -> Result<Opened, Failure> {
        let to = connection(&places.to)?;
        Ok(Opened {
            target: Arc::new(opened(&to, true)?).into(),
            ..self
        })
    }

    pub(super) fn threads(&self, progress: &Arc<Progress>) -> Arc<Threads> {
        Threads::new(
            [self.source.clone(), self.target.clone()],
            Called {
                places: [
                    format!("the source {}", self.name_of(Place::Source)),
                    format!("the target {}", self.name_of(Place::Target)),
                ],
                rights: "docs/move.md lists the rights of a move",
            },
            Arc::clone(progress),
            self.began,
        )
    }

    /// What a side is called in the command.
    pub(super) fn name_of(&self, place: Place) -> &str {
        let [source, target] = &self.names;
        match place {
            Place::Source => source,
            Place::Target => target,
        }
    }

    /// The surroundings of requests that belong to no run.
    pub(super) fn world(&self) -> Arc<Threads> {
        self.threads(&Arc::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_known_with_its_region_and_profile() {
        let known = |text: &str| known_as(text).unwrap();
        assert_eq!(known("HTTP://Host:8000/"), "http://host:8000");
        let both = "http://host:8000?region=eu-west-1&profile=Shop";
        assert_eq!(
            known("http://HOST:8000/?profile=Shop&region=eu-west-1"),
            both
        );
        assert_eq!(known(both), both);
        assert_ne!(
            known("http://host:8000?profile=shop"),
            known("http://host:8000")
        );
        let amazon = "dynamodb://eu-west-1?profile=Shop";
        assert_eq!(known(amazon), amazon);
    }
}
