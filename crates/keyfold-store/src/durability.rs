//! The durability of acknowledged writes.

/// When a write is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// After it is synced to the device.
    #[default]
    Synced,
    /// After it is handed to the operating system: a crash of the machine may lose the last writes.
    Buffered,
}
