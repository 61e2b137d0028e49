//! Where a consumer begins.

/// Where a consumer begins that has never run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Start {
    /// With the oldest record that the stream still has.
    #[default]
    Oldest,
    /// With the first record that is written when its first worker has started. The place is stored
    /// then: no record behind it is lost, however long nobody reads.
    Latest,
}
