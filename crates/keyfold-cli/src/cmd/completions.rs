//! `keyfold completions SHELL`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Args)]
pub(crate) struct Arguments {
    /// bash, elvish, fish, powershell or zsh.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) {
    clap_complete::generate(arguments.shell, &mut crate::Cli::command(), "keyfold", &mut std::io::stdout());
}
