//! Asks before what cannot be undone.

use crate::failure::Failure;
use crate::terminal;

/// Refuses a command that asks before it begins where nobody can be asked and `--yes` is not given: before it opens
/// anything, or says what it would do.
pub(in crate::cmd) fn can_ask(yes: bool, otherwise: &str) -> Result<(), Failure> {
    match yes || terminal::can_confirm() {
        true => Ok(()),
        false => Err(needs_yes(otherwise)),
    }
}

fn needs_yes(otherwise: &str) -> Failure {
    Failure::refused(format!("{otherwise}; --yes begins at once"))
}

/// Asks on a terminal. Elsewhere, `--yes` is asked for.
pub(in crate::cmd) fn asked(otherwise: &str) -> Result<(), Failure> {
    match terminal::is_confirmed() {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused(otherwise)),
        None => Err(needs_yes(otherwise)),
    }
}
