//! The programs that can be measured.

/// Which program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Program {
    Keyfold,
    Ceiling,
    Redis,
    Dynoxide,
    Dynalite,
    Moto,
    /// A server of the user's.
    Endpoint,
}
