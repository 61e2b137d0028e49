//! Migrations: how many rows a second `keyfold migrate` copies, and how late it carries changes.
//!
//! - `schema`: the databases and their rows; `database`, `postgres`, `mariadb`: where they lie; `lag`: changes that are
//!   written while a run follows them.
//!
//! Everything is measured with the command itself, in processes of their own: the database, the migration, and
//! the server or the folder that it writes to.

mod database;
mod lag;
mod mariadb;
mod postgres;
mod schema;

use crate::print;
use crate::process::{self, Memory, Signal};
use crate::report::{rounded, table};
use crate::server::Server;
use database::{Database, Kind, Program};
use lag::{Lag, Load};
use schema::Schema;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Measure the copy of relational databases, and how late changes are carried.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Thousands of rows in each database.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    thousands: u64,
    /// Kinds of databases.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Kind::Sqlite, Kind::Postgres, Kind::Mariadb])]
    from: Vec<Kind>,
    /// Where the items go.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Target::Folder, Target::Server])]
    into: Vec<Target>,
    /// Databases: music, rental.
    #[arg(long, value_delimiter = ',', default_values_t = ["music".to_owned(), "rental".to_owned()])]
    schemas: Vec<String>,
    /// Changes a second that are written while the run into the server follows.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..))]
    rate: u64,
    /// Seconds of changes; 0 for none.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Where the items go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    Folder,
    Server,
}

/// A migration that was measured.
struct Measured {
    schema: &'static str,
    from: Kind,
    into: Target,
    rows: u64,
    seconds: f64,
    /// The most memory that the command has held, in bytes.
    memory: u64,
    /// The processor time that it has used, in seconds.
    cpu: f64,
    lag: Option<Lag>,
}

/// The time between two looks at a command.
const LOOK: Duration = Duration::from_millis(20);

/// Measures all migrations and prints the result.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let mut all = Vec::new();
    for schema in schema::ALL {
        if !arguments.schemas.iter().any(|name| name == schema.name) {
            continue;
        }
        for from in &arguments.from {
            for into in &arguments.into {
                let what = format!("{} from {} into {into:?}", schema.name, from.title());
                print::progress(&what.to_lowercase());
                let measured = measure(arguments, schema, *from, *into);
                all.push(measured.map_err(|error| format!("{what}: {error}"))?);
            }
        }
    }
    print::line(&if arguments.json {
        serde_json::Value::from_iter(all.iter().map(json)).to_string()
    } else {
        shown(&all)
    });
    Ok(())
}

fn measure(
    arguments: &Arguments,
    schema: Schema,
    from: Kind,
    into: Target,
) -> io::Result<Measured> {
    let folder = tempfile::tempdir()?;
    let database = filled(arguments.thousands, schema, (from, folder.path()))?;
    let model = folder.path().join("model.keyfold");
    std::fs::write(&model, schema.model)?;
    let data = folder.path().join("keyfold");
    let server = match into {
        Target::Folder => None,
        Target::Server => Some(Server::start(&data, None)?),
    };
    let at = match &server {
        None => format!("keyfold:{}", data.display()),
        Some(server) => format!("http://{}", server.address),
    };
    let command = Command {
        model: &model,
        from: database.name(),
        at,
    };
    let copied = command.copy()?;
    let lag = match &server {
        Some(server) if arguments.seconds > 0 => {
            let load = Load {
                schema,
                thousands: arguments.thousands,
                rate: arguments.rate,
                seconds: arguments.seconds,
                new: 20_000_000,
            };
            Some(command.follow(&database.program()?, server, load)?)
        }
        Some(_) | None => None,
    };
    Ok(Measured {
        schema: schema.name,
        from,
        into,
        rows: copied.rows,
        seconds: copied.seconds,
        memory: copied.memory,
        cpu: copied.cpu,
        lag,
    })
}

/// A database with its rows.
fn filled(thousands: u64, schema: Schema, (kind, folder): (Kind, &Path)) -> io::Result<Database> {
    let database = Database::make(kind, folder)?;
    let program = database.program()?;
    program.execute(&format!(
        "BEGIN; {}; COMMIT",
        schema
            .statements(thousands)
            .trim_end()
            .trim_end_matches(';')
    ))?;
    program.analyze()?;
    Ok(database)
}

/// The command that migrates.
struct Command<'c> {
    model: &'c Path,
    from: String,
    at: String,
}

/// A copy that has ended.
struct Copied {
    rows: u64,
    seconds: f64,
    memory: u64,
    cpu: f64,
}

impl Command<'_> {
    fn spawn(&self, more: &[&str]) -> io::Result<Child> {
        let mut command = process::keyfold()?;
        command.args(["migrate", "run"]).arg(self.model);
        command.args(["--from", &self.from, "--at", &self.at]);
        command.args(more);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
    }

    /// Copies every row.
    fn copy(&self) -> io::Result<Copied> {
        let began = Instant::now();
        let mut child = self.spawn(&["--once", "--json"])?;
        let (mut memory, mut micros) = (0, 0);
        while child.try_wait()?.is_none() {
            let now = process::memory(&child, Memory::Peak).unwrap_or(0);
            memory = now.max(memory);
            micros = process::cpu(&child).unwrap_or(0).max(micros);
            std::thread::sleep(LOOK);
        }
        let seconds = began.elapsed().as_secs_f64();
        let said = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        // Progress comes before the result.
        let last = said.lines().last().unwrap_or_default();
        let last: serde_json::Value = serde_json::from_str(last)?;
        let result = &last["result"];
        let rows = result["counted"]["rows"].as_u64();
        let rows = rows.filter(|_| result["state"] == "caught_up");
        Ok(Copied {
            rows: rows.ok_or_else(|| io::Error::other(format!("the copy failed: {last}")))?,
            seconds,
            memory,
            cpu: micros as f64 / 1e6,
        })
    }

    /// Writes changes while a run follows them.
    fn follow(&self, program: &Program, server: &Server, load: Load) -> io::Result<Lag> {
        let mut child = self.spawn(&[])?;
        // It has begun to follow when it has carried the first change.
        let first = Load {
            rate: 10,
            seconds: 1,
            new: 10_000_000,
            ..load
        };
        let measured = first.measure(program, server);
        let measured = measured.and_then(|_| load.measure(program, server));
        process::send(Signal::Terminate, &child)?;
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).lines() {
                print::progress(&line?);
            }
        }
        child.wait()?;
        measured
    }
}

fn json(one: &Measured) -> serde_json::Value {
    let at = |quantile: f64| {
        let millis = one.lag.as_ref().map(|lag| &lag.millis);
        millis.map(|millis| millis.value_at_quantile(quantile))
    };
    serde_json::json!({
        "schema": one.schema,
        "from": one.from.title(),
        "into": format!("{:?}", one.into).to_lowercase(),
        "rows": one.rows,
        "seconds": one.seconds,
        "rows_a_second": one.rows as f64 / one.seconds,
        "memory_bytes": one.memory,
        "cpu_seconds": one.cpu,
        "changes_a_second": one.lag.as_ref().map(|lag| lag.rate),
        "lag_ms": {"p50": at(0.5), "p99": at(0.99), "max": at(1.0)},
        "lost": one.lag.as_ref().map(|lag| lag.lost),
    })
}

fn shown(all: &[Measured]) -> String {
    let header = [
        "database",
        "from",
        "into",
        "rows",
        "seconds",
        "rows/s",
        "CPU s",
        "memory MB",
        "changes/s",
        "late p50 ms",
        "p99",
        "most",
        "lost",
    ];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for one in all {
        let mut row = vec![
            one.schema.to_owned(),
            one.from.title().to_owned(),
            format!("{:?}", one.into).to_lowercase(),
            rounded(one.rows as f64),
            format!("{:.1}", one.seconds),
            rounded(one.rows as f64 / one.seconds),
            format!("{:.1}", one.cpu),
            rounded(one.memory as f64 / 1e6),
        ];
        if let Some(lag) = &one.lag {
            row.push(rounded(lag.rate));
            for quantile in [0.5, 0.99, 1.0] {
                row.push(lag.millis.value_at_quantile(quantile).to_string());
            }
            row.push(lag.lost.to_string());
        }
        rows.push(row);
    }
    table(&rows)
}
