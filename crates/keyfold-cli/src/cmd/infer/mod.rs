//! `keyfold infer`: proposes a model, from existing tables and samples of their items, or from a relational
//! database.
//!
//! - `relational`: the proposal of a relational database, and what is told of it.

mod relational;

use super::new_model::ModelOutput;
use crate::backend::{BackendArguments, Use};
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use keyfold_client::{Backend, tables};
use keyfold_codegen::infer::propose;
use relational::Wanted;
use std::path::PathBuf;

/// Names of tables in a message.
const SHOWN_MAX: usize = 20;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The tables of the model.
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    tables: Vec<String>,
    /// Items to read from each table.
    #[arg(long, value_name = "N", default_value_t = 500, conflicts_with = "from")]
    sample: usize,
    /// A relational database instead of tables: sqlite:FILE, postgres://USER@HOST/DATABASE (its password in
    /// PGPASSWORD), or mysql://USER@HOST/DATABASE, a MariaDB (its password in MYSQL_PWD). Every row is read, and
    /// nothing is written.
    #[arg(long, value_name = "DATABASE", conflicts_with_all = ["endpoint", "data", "connection"])]
    from: Option<String>,
    /// The queries that the database is asked, each up to its `;`.
    #[arg(long, value_name = "FILE", requires = "from")]
    queries: Option<PathBuf>,
    /// The model's name [default: that of the first table, or of the database].
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    model: ModelOutput,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    arguments.model.check()?;
    if let Some(from) = &arguments.from {
        let wanted = Wanted {
            from,
            queries: arguments.queries.as_deref(),
            name: arguments.name.as_deref(),
        };
        return relational::run(&wanted, &arguments.model, output);
    }
    let backend = arguments.backend.open_as_it_is(Use::Read)?;
    let mut found = Vec::new();
    for name in &arguments.tables {
        let Some(description) = tables::describe(&backend, name)? else {
            return Err(no_table(name, &backend, &arguments.backend));
        };
        let items = tables::sample(&backend, name, arguments.sample)?;
        found.push((super::definition::of(&description), items));
    }
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| arguments.tables.first().cloned().unwrap_or_default());
    let model = propose(&name, &found).map_err(|error| Failure::usage(error.to_string()))?;
    arguments.model.write(output, &model)
}

/// The failure of a table that is not there: where it was looked for, and the tables there.
fn no_table(name: &str, backend: &Backend, arguments: &BackendArguments) -> Failure {
    let place = arguments.shown();
    let there = match tables::names(backend) {
        Ok(names) if names.is_empty() => "it has no tables".to_owned(),
        Ok(names) => {
            let (shown, more) = names.split_at(names.len().min(SHOWN_MAX));
            let more = match more.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            format!("its tables are {}{more}", shown.join(", "))
        }
        // A caller may be allowed to read a table, and not to list all.
        Err(_) => return Failure::not_found(format!("there is no table {name} in {place}")),
    };
    Failure::not_found(format!("there is no table {name} in {place}; {there}"))
}
