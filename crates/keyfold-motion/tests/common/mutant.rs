//! The rules that a wrong move breaks, one each.

/// What a wrong move would do. The places carry it out that way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// A page of the scan does not look for tombstones.
    NoTombstones,
    /// Nothing asks for the fence of a run. Within one move the steps of rows refuse a run that has lost it.
    /// The fence alone refuses a run of an aborted move in a later one, whose steps begin at zero again and
    /// whose tombstones are others: its page brings deleted items back ([`Fence::Checkpoint`]). It also refuses
    /// a run that makes rows or takes the move when another process completes it.
    NoFence,
    /// One kind of request does not ask for the fence of its run.
    Ignores(Fence),
    /// Rows move from any step.
    NoStep,
    /// A checkpoint moves before its effects happen.
    CheckpointFirst,
    /// The records of a page are applied in another order.
    WrongOrder,
    /// A shard is read before its parent.
    ChildrenFirst,
    /// A scanned item replaces the one of the target.
    CopyOverwrites,
    /// A stream without records for some pages has none left.
    EvenAtOnce,
    /// Nobody looks whether the stream is on.
    StreamIsOn,
    /// A row is deleted whose fence is another one.
    LateDeletes,
    /// The move is taken in another phase than it was seen in. A run takes one that is being completed.
    LateTaking,
    /// A table has the tags of all moves that made one of its name. A beginning that was late deletes the
    /// table of a move that was completed, or of a later one.
    AnyTag,
}

/// A request that asks for the fence of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    /// A checkpoint moves, with its effects. A page that a run of an aborted move has read is written in a
    /// later move that has applied the deletion of its item.
    Checkpoint,
    /// A checkpoint is taken or made. A run makes one anew when the move is complete, or after the abort.
    Held,
    /// How far the move is. A run of an aborted move says that a later one is copied.
    Notes,
    /// The move is taken from another run. Two have it then, one of them when it ends.
    Move,
}
