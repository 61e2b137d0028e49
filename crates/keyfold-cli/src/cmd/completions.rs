//! `keyfold completions SHELL`.

use crate::terminal;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Args)]
pub(crate) struct Arguments {
    /// bash, elvish, fish, powershell or zsh.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Cli::command(), "keyfold", &mut script);
    terminal::bytes(&script);
}
