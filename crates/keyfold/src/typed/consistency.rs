//! How a client reads, and what a pattern reads: markers of types.

/// How a client reads.
pub trait Consistency: Clone + std::fmt::Debug {
    /// Whether reads are strongly consistent although their patterns do not ask for it.
    const IS_STRONG: bool;
}

/// A client that reads as its patterns say, which is eventually consistent where they say nothing.
#[derive(Debug, Clone, Copy)]
pub enum Eventual {}

/// A client whose reads are strongly consistent, at twice the units. It has no pattern of a global
/// index.
#[derive(Debug, Clone, Copy)]
pub enum Strong {}

impl Consistency for Eventual {
    const IS_STRONG: bool = false;
}

impl Consistency for Strong {
    const IS_STRONG: bool = true;
}

/// The pattern reads a table or a local index, which can be read with strong consistency.
#[derive(Debug, Clone, Copy)]
pub enum OfTable {}

/// The pattern reads a global index, which has no strong consistency.
#[derive(Debug, Clone, Copy)]
pub enum OfIndex {}
