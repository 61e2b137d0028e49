//! `keyfold completions SHELL`: prints a script with which the shell asks `keyfold` for
//! completions, names of the model included.

use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap_complete::env::Shells;

/// The variable that the script sets to ask for completions instead of running a command.
pub(crate) const VARIABLE: &str = "KEYFOLD_COMPLETE";

#[derive(Args)]
pub(crate) struct Arguments {
    /// The shell.
    #[arg(value_parser = PossibleValuesParser::new(["bash", "elvish", "fish", "powershell", "zsh"]))]
    shell: String,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let shell = shells.completer(&arguments.shell).ok_or_else(|| {
        Failure::usage(format!("no completions are known for {}", arguments.shell))
    })?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "keyfold", "keyfold", "keyfold", &mut script)
        .map_err(|error| Failure::backend(format!("the script cannot be made: {error}")))?;
    output.text(None, &String::from_utf8_lossy(&script))
}
