//! What all requests share: the gate, the files, and secrets.

use crate::gate::Gate;
use crate::language::MakeFiles;
use crate::learn::Stands;
use crate::proof::Proofs;

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) gate: Gate,
    /// The models, and the data behind the page.
    pub(crate) stands: Stands,
    pub(crate) language_files: MakeFiles,
    pub(crate) proofs: Proofs,
}

/// A text that nobody can guess: 32 bytes of the system's chance, in hexadecimal.
pub(crate) fn secret() -> std::io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
