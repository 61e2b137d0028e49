//! The words that a program is started with.

use crate::names;
use std::io::Write;
use std::process::ExitCode;

/// What the programs have in common, at the end of their usage.
const COMMON: &str = "  HOST, PORT   where it listens: a free port of 127.0.0.1 if they are not set
  ALLOW_HOST   a name that it answers to, beside addresses, localhost and names without a dot
";

/// The words behind the name of the program.
pub fn given() -> Vec<String> {
    std::env::args().skip(1).collect()
}

/// Ends a program that is asked for its usage, is given words that it does not take, or has a wrong
/// `ALLOW_HOST`. None for one that is to go on.
pub fn usage(usage: &str, words: &[&str], are_taken: bool) -> Option<ExitCode> {
    if words.contains(&"--help") {
        // Whoever does not read it needs nothing.
        write!(std::io::stdout(), "{usage}{COMMON}").unwrap_or_default();
        return Some(ExitCode::SUCCESS);
    }
    let (line, code) = if are_taken {
        (format!("It stays closed: {}", names::wrong()?), 1)
    } else {
        let words = words.join(" ");
        (format!("It does not take: {words}. See --help."), 2)
    };
    // The exit code says it, too, where nobody reads the line.
    writeln!(std::io::stderr(), "{line}").unwrap_or_default();
    Some(ExitCode::from(code))
}
