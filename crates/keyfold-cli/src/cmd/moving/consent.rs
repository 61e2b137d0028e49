//! Asks before what cannot be undone.

use crate::failure::Failure;
use crate::terminal;

/// Asks on a terminal. Elsewhere, `--yes` is asked for.
pub(in crate::cmd) fn asked(otherwise: &str) -> Result<(), Failure> {
    match terminal::is_confirmed() {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused(otherwise)),
        None => Err(Failure::refused(format!(
            "{otherwise}; --yes begins at once"
        ))),
    }
}
