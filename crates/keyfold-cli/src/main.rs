//! The `keyfold` command: compile models, serve tables, run patterns, write entities.
//!
//! Each subcommand has a file in `cmd`. A command gets an [`Output`], which prints text for people
//! (`terminal`) or JSON for programs (`json`). `complete` answers shells.

mod backend;
mod client_file;
mod cmd;
mod complete;
mod failure;
mod json;
mod lines;
mod model_file;
mod output;
mod project;
mod terminal;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use output::Output;
use std::process::ExitCode;

/// Requests allocate and free small blocks on many threads. This allocator does so faster than the
/// system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const AFTER_HELP: &str = "\
Exit codes:
  0  success
  1  refused: a condition does not hold, a value is taken, a proof fails, an item or a table is
     not as the model says
  2  wrong usage
  3  the model has errors
  4  a required item or table does not exist
  5  the data folder is not there, or it, the server or the output cannot be used
  6  the answer of a write was lost: its outcome is unknown
  7  it waits for people: `keyfold evolve run` stands at a phase that they carry out

Start with `keyfold demo`; see docs/language.md for the model language.";

/// Single-table design, compiled: a model language, an engine and a server with Amazon DynamoDB's
/// API.
#[derive(Parser)]
#[command(name = "keyfold", version, after_help = AFTER_HELP, arg_required_else_help = true)]
struct Cli {
    /// Print one JSON document for programs instead of text for people; its schema is
    /// docs/json.schema.json.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the e-commerce design: create its tables, load a sample, ask every pattern, then serve.
    Demo(cmd::demo::Arguments),
    /// Compile a model, and show the request of each pattern, or the errors.
    Check(cmd::check::Arguments),
    /// Explain a rule of the compiler, or list all rules.
    Explain(cmd::explain::Arguments),
    /// Format models.
    Fmt(cmd::fmt::Arguments),
    /// Prove a model by execution: compare each pattern with the same question in SQL.
    Prove(cmd::prove::Arguments),
    /// Write the design as a document.
    Docs(cmd::docs::Arguments),
    /// Start a project: a first model, keyfold.toml, the generated client.
    Init(cmd::init::Arguments),
    /// Write a typed client of a model, for checking in.
    Generate(cmd::generate::Arguments),
    /// Print the plan document, which clients in other languages carry out.
    Plan(cmd::plan::Arguments),
    /// Report the changes between two models, and what they need of data.
    Diff(cmd::diff::Arguments),
    /// Plan the change of a running design: which versions may run together, and the phases.
    Evolve(cmd::evolve::Arguments),
    /// Carry the rows of a relational database, and their changes, into the tables of a model.
    Migrate(cmd::migrate::Arguments),
    /// Write the tables for CloudFormation or Terraform, or the model for NoSQL Workbench.
    Export(cmd::export::Arguments),
    /// Propose a model from a file of NoSQL Workbench.
    Import(cmd::import::Arguments),
    /// Propose a model from an existing table and a sample of its items, or from a relational database.
    Infer(cmd::infer::Arguments),
    /// Serve tables with Amazon DynamoDB's API over HTTP.
    Serve(Box<cmd::serve::Arguments>),
    /// Make the tables of a model, or compare those that are there.
    Tables(cmd::tables::Arguments),
    /// Copy a data folder, also while a server uses it.
    Backup(cmd::backup::Arguments),
    /// Examine a data folder: every checksum, every index; and rebuild indexes.
    Doctor(cmd::doctor::Arguments),
    /// Run a pattern or a named write of a model.
    Run(cmd::run::Arguments),
    /// Write a whole entity with its keys, copies and guards.
    Put(cmd::put::Arguments),
    /// Change attributes of an entity with its keys, copies and guards.
    Update(cmd::update::Arguments),
    /// Delete an entity with its copies and guards.
    Delete(cmd::delete::Arguments),
    /// Compare every stored item with the model: keys, types, copies, guards, aggregates, parts.
    Verify(cmd::verify::Arguments),
    /// Keep the rows of a model's views, rebuild them, and show how far they are.
    Views(cmd::views::Arguments),
    /// Show how far the mappings of `serve --on-stream` are, list what they have discarded, and send it again.
    Events(cmd::events::Arguments),
    /// Carry tables to another place while their writers go on: copy, follow, compare.
    Move(cmd::moving::Arguments),
    /// Answer an editor: the language server of models, on standard input and output.
    Lsp(cmd::lsp::Arguments),
    /// Open a page to design tables: an editor, and beside it the table map and the patterns.
    Workbench(cmd::workbench::Arguments),
    /// Print completions for a shell.
    Completions(cmd::completions::Arguments),
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Cli::command)
        .var(cmd::completions::VARIABLE)
        .complete();
    let command = Cli::command().term_width(terminal::help_width());
    let matches = command.try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return refuse_usage(&error),
    };
    let output = Output::of_flag(cli.json);
    let outcome = match cli.command {
        Command::Demo(arguments) => cmd::demo::run(&arguments, output),
        Command::Check(arguments) => cmd::check::run(&arguments, output),
        Command::Explain(arguments) => cmd::explain::run(&arguments, output),
        Command::Fmt(arguments) => cmd::fmt::run(&arguments, output),
        Command::Prove(arguments) => cmd::prove::run(&arguments, output),
        Command::Docs(arguments) => cmd::docs::run(&arguments, output),
        Command::Generate(arguments) => cmd::generate::run(&arguments, output),
        Command::Init(arguments) => cmd::init::run(&arguments, output),
        Command::Plan(arguments) => cmd::plan::run(&arguments, output),
        Command::Diff(arguments) => cmd::diff::run(&arguments, output),
        Command::Evolve(arguments) => cmd::evolve::run(&arguments, output),
        Command::Migrate(arguments) => cmd::migrate::run(&arguments, output),
        Command::Export(arguments) => cmd::export::run(&arguments, output),
        Command::Import(arguments) => cmd::import::run(&arguments, output),
        Command::Infer(arguments) => cmd::infer::run(&arguments, output),
        Command::Serve(arguments) => cmd::serve::run(&arguments, output),
        Command::Tables(arguments) => cmd::tables::run(&arguments, output),
        Command::Backup(arguments) => cmd::backup::run(&arguments, output),
        Command::Doctor(arguments) => cmd::doctor::run(&arguments, output),
        Command::Run(arguments) => cmd::run::run(&arguments, output),
        Command::Put(arguments) => cmd::put::run(&arguments, output),
        Command::Update(arguments) => cmd::update::run(&arguments, output),
        Command::Delete(arguments) => cmd::delete::run(&arguments, output),
        Command::Verify(arguments) => cmd::verify::run(&arguments, output),
        Command::Views(arguments) => cmd::views::run(&arguments, output),
        Command::Events(arguments) => cmd::events::run(&arguments, output),
        Command::Move(arguments) => cmd::moving::run(&arguments, output),
        Command::Lsp(arguments) => cmd::lsp::run(&arguments, output),
        Command::Workbench(arguments) => cmd::workbench::run(&arguments, output),
        Command::Completions(arguments) => cmd::completions::run(&arguments, output),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output.failure(failure),
    }
}

/// Reports wrong arguments: for people with the text of clap, for programs as any other failure.
fn refuse_usage(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        let message = text.trim_start_matches("error: ").trim().to_owned();
        let mut failure = failure::Failure::usage(message);
        if let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) {
            failure = failure.of_argument(argument);
        }
        return Output::Json.failure(failure);
    }
    terminal::usage(error)
}
