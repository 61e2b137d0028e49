//! `keyfold completions SHELL`: a script that lets the shell ask `keyfold` itself, so that it also
//! completes names of the model.

use super::docs::output;
use crate::failure::Failure;
use clap::Args;
use clap::builder::PossibleValuesParser;
use clap_complete::env::Shells;

/// The variable with which the shell's script asks for completions instead of running a command.
pub(crate) const VARIABLE: &str = "KEYFOLD_COMPLETE";

#[derive(Args)]
pub(crate) struct Arguments {
    /// The shell.
    #[arg(value_parser = PossibleValuesParser::new(["bash", "elvish", "fish", "powershell", "zsh"]))]
    shell: String,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let shell = shells.completer(&arguments.shell).ok_or_else(|| {
        Failure::usage(format!("no completions are known for {}", arguments.shell))
    })?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "keyfold", "keyfold", "keyfold", &mut script)
        .map_err(|error| Failure::backend(format!("the script cannot be made: {error}")))?;
    output(None, &String::from_utf8_lossy(&script), as_json)
}
