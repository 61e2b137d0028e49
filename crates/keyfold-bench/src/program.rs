//! The programs that can be measured.

/// A program that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Program {
    Keyfold,
    Ceiling,
    Redis,
    Dynoxide,
    Dynalite,
    Moto,
    /// A server that the user started.
    Endpoint,
}
