//! The `keyfold` command: compile models, serve tables, run patterns, write entities.
//!
//! One file in `cmd` for each subcommand; `terminal` prints for people, `json` for programs, and
//! `complete` answers shells.

mod backend;
mod cmd;
mod complete;
mod failure;
mod json;
mod model_file;
mod terminal;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use std::process::ExitCode;

/// Requests allocate and free small pieces on many threads, which this allocator does faster than
/// the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const AFTER_HELP: &str = "\
Exit codes:
  0  done
  1  refused: a condition does not hold, a value is taken, a proof fails
  2  wrong usage
  3  the model has errors
  4  an item or table that must exist does not
  5  the data folder or the server cannot be used
  6  the answer of a write was lost: whether it was done is not known

Start with `keyfold demo`; see docs/language.md for the model language.";

/// Single-table design, compiled: a model language, an engine and a server with Amazon DynamoDB's
/// API.
#[derive(Parser)]
#[command(name = "keyfold", version, after_help = AFTER_HELP, arg_required_else_help = true)]
struct Cli {
    /// Print JSON for programs instead of text for people: one document, of the schema in
    /// docs/json.schema.json.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the e-commerce design: tables, sample, every pattern, then a server.
    Demo(cmd::demo::Arguments),
    /// Compile a model and show how each pattern is served, or what is wrong.
    Check(cmd::check::Arguments),
    /// Explain a rule of the compiler, or list them.
    Explain(cmd::explain::Arguments),
    /// Format models.
    Fmt(cmd::fmt::Arguments),
    /// Prove a model by execution: each pattern against the same question in SQL.
    Prove(cmd::prove::Arguments),
    /// Write the design as a document.
    Docs(cmd::docs::Arguments),
    /// Tell what changed between two models, and what it means for data.
    Diff(cmd::diff::Arguments),
    /// Write the tables for CloudFormation or Terraform, or the model for NoSQL Workbench.
    Export(cmd::export::Arguments),
    /// Propose a model from a file of NoSQL Workbench.
    Import(cmd::import::Arguments),
    /// Propose a model from a table that exists and a sample of its items.
    Infer(cmd::infer::Arguments),
    /// Serve tables with Amazon DynamoDB's API over HTTP.
    Serve(cmd::serve::Arguments),
    /// Copy a data folder, also while a server uses it.
    Backup(cmd::backup::Arguments),
    /// Examine a data folder: every checksum, every index; and make indexes anew.
    Doctor(cmd::doctor::Arguments),
    /// Run a pattern or a named write of a model.
    Run(cmd::run::Arguments),
    /// Write a whole entity; its keys, copies and guards follow.
    Put(cmd::put::Arguments),
    /// Change attributes of an entity; its keys, copies and guards follow.
    Update(cmd::update::Arguments),
    /// Delete an entity with its copies and guards.
    Delete(cmd::delete::Arguments),
    /// Print completions for a shell.
    Completions(cmd::completions::Arguments),
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Cli::command)
        .var(cmd::completions::VARIABLE)
        .complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse_usage(&error),
    };
    let outcome = match cli.command {
        Command::Demo(arguments) => cmd::demo::run(&arguments, cli.json),
        Command::Check(arguments) => cmd::check::run(&arguments, cli.json),
        Command::Explain(arguments) => cmd::explain::run(&arguments, cli.json),
        Command::Fmt(arguments) => cmd::fmt::run(&arguments, cli.json),
        Command::Prove(arguments) => cmd::prove::run(&arguments, cli.json),
        Command::Docs(arguments) => cmd::docs::run(&arguments, cli.json),
        Command::Diff(arguments) => cmd::diff::run(&arguments, cli.json),
        Command::Export(arguments) => cmd::export::run(&arguments, cli.json),
        Command::Import(arguments) => cmd::import::run(&arguments, cli.json),
        Command::Infer(arguments) => cmd::infer::run(&arguments, cli.json),
        Command::Serve(arguments) => cmd::serve::run(&arguments, cli.json),
        Command::Backup(arguments) => cmd::backup::run(&arguments, cli.json),
        Command::Doctor(arguments) => cmd::doctor::run(&arguments, cli.json),
        Command::Run(arguments) => cmd::run::run(&arguments, cli.json),
        Command::Put(arguments) => cmd::put::run(&arguments, cli.json),
        Command::Update(arguments) => cmd::update::run(&arguments, cli.json),
        Command::Delete(arguments) => cmd::delete::run(&arguments, cli.json),
        Command::Completions(arguments) => cmd::completions::run(&arguments, cli.json),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.json),
    }
}

/// Wrong arguments: as clap says it, or for programs as every other failure.
fn refuse_usage(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if error.use_stderr() && wants_json {
        let text = error.to_string();
        let message = text.trim_start_matches("error: ").trim().to_owned();
        let mut failure = failure::Failure::usage(message);
        if let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) {
            failure = failure.of_argument(argument);
        }
        return failure.report(true);
    }
    error.exit()
}
