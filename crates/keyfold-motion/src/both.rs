//! Both directions of a move that is switched, and the row of each.

use crate::begin::may_go_on;
use crate::crew::Patience;
use crate::ledger::{Changed, Ledger};
use crate::options::Options;
use crate::pausing::hold;
use crate::refusal::Force;
use crate::rows::{Checkpoint, Counts, Mark, Phase, RunRow, segment_part};
use crate::run::{Ended, carry_on};
use crate::swapped::swapped;
use crate::tables::{Followable, Streamless, at, delete, look, switch_stream_on};
use crate::turn::{Turn, Way, lost};
use crate::world::{At, Place, World};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_types::KeySchema;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks at a stream while both sides refuse writes.
const DRAIN_POLL: Duration = Duration::from_millis(10);
/// The time between two looks at a run while both sides refuse writes.
const DRAIN_STEP: Duration = Duration::from_millis(5);

/// The target of a move has to have a stream before it leads.
const NO_WAY_BACK: Streamless<'static> = Streamless {
    place: "the target",
    advice: "without it nothing could be carried back, and the move is not switched. Stop the writers of the source, and \
             call `keyfold move complete`",
};

/// How a move is switched.
#[derive(Debug, Clone)]
pub struct Switching {
    /// The side that programs write to afterwards.
    pub to: Place,
    /// The connections of both sides, as the refusal of the other one says them.
    pub connections: [String; 2],
    /// How the refusals of both sides come into force; `None` where the writers are stopped by somebody, and
    /// no policy is changed.
    pub forces: Option<[Force; 2]>,
    /// Whether both sides count their items as they are now.
    pub counts_are_exact: bool,
}

impl Switching {
    /// How the side that does not lead is kept from being written.
    pub(crate) fn way(&self) -> Way {
        match self.forces {
            Some(_) => Way::Policies,
            None => Way::Stopped,
        }
    }

    /// The switch that takes this one back.
    pub(crate) fn back(&self) -> Switching {
        Switching {
            to: self.to.other(),
            ..self.clone()
        }
    }
}

/// How far a switch is, for those who watch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// What changed is carried while programs write.
    Nearing,
    /// Writes come to be refused.
    Refusing,
    /// What is left is carried, and nobody can write.
    Draining,
    /// The other side comes to take writes.
    Opening,
    /// It does.
    Switched,
}

/// Both directions of a move.
pub(crate) struct Both {
    pub(crate) world: Arc<dyn World>,
    pub(crate) other: Arc<dyn World>,
    pub(crate) options: Options,
    pub(crate) schema: KeySchema,
}

impl Both {
    pub(crate) async fn of(world: Arc<dyn World>, options: &Options) -> Result<Both, ClientError> {
        let found = look(&*world, &options.table).await?;
        Ok(Both {
            other: swapped(Arc::clone(&world)),
            world,
            options: Options {
                is_turning: true,
                ..options.clone()
            },
            schema: found.schema,
        })
    }

    pub(crate) fn lost(&self) -> ClientError {
        lost(&self.options.table)
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::of(&self.options)
    }

    /// The row that counts.
    pub(crate) async fn row(&self) -> Result<RunRow, ClientError> {
        let target = at(&*self.world, Place::Target);
        let none = || {
            let table = &self.options.table;
            ClientError::not_found(format!("the target knows of no move of the table {table}"))
        };
        if described(&target, &self.options.rows).await?.is_none() {
            return Err(none());
        }
        self.ledger().run(&target).await?.ok_or_else(none)
    }

    /// Notes that the move is about to have a row at each side, if it has not.
    pub(crate) async fn note_both(&self) -> Result<(), ClientError> {
        let row = self.row().await?;
        if row.turn.has_both {
            return Ok(());
        }
        let may = |row: &RunRow| match row.turn.turning {
            None => Ok(()),
            Some(_) => Err(self.lost()),
        };
        let mine = hold(&*self.world, &self.options, may).await?;
        let turn = Turn {
            has_both: true,
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await.map(drop)
    }

    /// Begins the row of the other direction, in the source, if it is absent. What the mover has written to
    /// the target so far is passed over first.
    pub(crate) async fn ensure_back(&self, row: &RunRow) -> Result<(), ClientError> {
        let found = look(&*self.other, &self.options.table).await?;
        let stream = match found.followable() {
            Followable::Yes(stream) => stream,
            Followable::NoStream => {
                switch_stream_on(&*self.other, &self.options.table, NO_WAY_BACK).await?
            }
            Followable::NoImages => {
                return Err(ClientError::refused(format!(
                    "the stream of the table {} of the target has no new images: switch it off and on with \
                     NEW_AND_OLD_IMAGES",
                    self.options.table
                )));
            }
        };
        let source = at(&*self.other, Place::Target);
        let ledger = self.ledger();
        ledger.ensure(&source).await?;
        let back = RunRow {
            id: row.id,
            fence: self.world.random() >> 1,
            segments: 1,
            stream: Some(stream),
            source: found.identity(),
            target: Some(row.source.clone()),
            seen_ms: self.world.epoch_ms(),
            phase: Phase::Following,
            paused_ms: None,
            turn: Turn {
                lead: Place::Target,
                has_both: true,
                ..Turn::default()
            },
            is_back: true,
        };
        ledger.begin(&source, &back).await?;
        // The move may have ended meanwhile, and would leave this row.
        if !self.is_under_way(row.id).await? {
            forget_back(&*self.world, &self.options, row.id).await?;
            return Err(self.lost());
        }
        let Some(stands) = ledger.run(&source).await? else {
            return Err(self.lost());
        };
        if stands.id != row.id || !stands.is_back {
            return Err(ClientError::refused(format!(
                "the source has a move of the table {} from somewhere else, which is to be completed first",
                self.options.table
            )));
        }
        // There is nothing to copy in this direction.
        let done = Checkpoint {
            part: segment_part(&self.options.table, 0),
            fence: stands.fence,
            step: 0,
            at: Mark::Done.to_value(),
            counts: Counts::default(),
        };
        if ledger.checkpoint(&source, &done.part).await?.is_none() {
            ledger.create(&source, &done).await?;
        }
        Ok(())
    }

    /// Whether a move is there, and is not ending.
    async fn is_under_way(&self, id: u64) -> Result<bool, ClientError> {
        let target = at(&*self.world, Place::Target);
        if described(&target, &self.options.rows).await?.is_none() {
            return Ok(false);
        }
        let row = self.ledger().run(&target).await?;
        let table = &self.options.table;
        Ok(row.is_some_and(|row| row.id == id && may_go_on(&row, table).is_ok()))
    }

    /// Carries both directions on until little is left of them. What one of them writes, the other passes
    /// over.
    pub(crate) async fn near(&self, lead: Place) -> Result<(), ClientError> {
        let [first, second] = self.in_order(lead);
        for world in [second, first, second, first] {
            self.carry(world, Until::Near, None).await?;
        }
        Ok(())
    }

    /// Carries what is left when nobody writes: of the side that led, then what that came to.
    pub(crate) async fn drain(&self, lead: Place, owner: u64) -> Result<(), ClientError> {
        for world in self.in_order(lead) {
            self.carry(world, Until::Even, Some(owner)).await?;
        }
        Ok(())
    }

    /// The direction whose changes are applied, and the other one.
    fn in_order(&self, lead: Place) -> [&Arc<dyn World>; 2] {
        match lead {
            Place::Source => [&self.world, &self.other],
            Place::Target => [&self.other, &self.world],
        }
    }

    /// Carries a direction on.
    async fn carry(
        &self,
        world: &Arc<dyn World>,
        until: Until,
        owner: Option<u64>,
    ) -> Result<(), ClientError> {
        let target = at(&**world, Place::Target);
        let row = self.ledger().run(&target).await?;
        let stream = row.and_then(|row| row.stream).ok_or_else(|| self.lost())?;
        let options = Options {
            until_even: until == Until::Even,
            until_near: until == Until::Near,
            poll_time: DRAIN_POLL,
            step_time: DRAIN_STEP,
            owner,
            ..self.options.clone()
        };
        let of = (self.schema.clone(), Some(stream));
        match carry_on(Arc::clone(world), options, of, Arc::default()).await? {
            Ended::Even => Ok(()),
            Ended::Stopped | Ended::Paused => Err(self.lost()),
        }
    }

    /// Notes in the row that counts. Returns the row as it is then.
    pub(crate) async fn note(&self, mine: &RunRow, turn: &Turn) -> Result<RunRow, ClientError> {
        self.turned(&at(&*self.world, Place::Target), mine, turn)
            .await
    }

    /// Notes in a row which side leads, and waits out what passes.
    pub(crate) async fn turned(
        &self,
        io: &At<'_>,
        mine: &RunRow,
        turn: &Turn,
    ) -> Result<RunRow, ClientError> {
        let mut patience = Patience::new();
        loop {
            let error = match self.ledger().turn(io, mine, turn).await {
                Ok(Some(row)) => return Ok(row),
                Ok(None) => return Err(self.lost()),
                Err(error) => error,
            };
            match patience.after(&error, self.world.random()) {
                Some(pause) => self.world.pause(pause).await,
                None => return Err(error),
            }
        }
    }
}

/// How far a direction is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Near,
    Even,
}

/// Takes the other direction of a move from its run for good: without its checkpoints that writes nothing, and
/// makes none, and no other run takes it.
pub(crate) async fn take_back_out(
    world: &dyn World,
    options: &Options,
    id: u64,
) -> Result<(), ClientError> {
    let source = at(world, Place::Source);
    let ledger = Ledger::of(options);
    if described(&source, &options.rows).await?.is_none() {
        return Ok(());
    }
    loop {
        let back = ledger.run(&source).await?;
        let Some(back) = back.filter(|back| back.id == id && back.is_back) else {
            return Ok(());
        };
        let Some(mine) = ledger.take(&source, &back).await? else {
            continue;
        };
        let now = (mine.seen_ms, Phase::Completing);
        if ledger.note(&source, &mine, now).await? == Changed::Yes {
            return ledger.forget_checkpoints(&source).await;
        }
    }
}

/// Deletes the row of the other direction of a move, and the table of rows of the source when it has no others.
pub(crate) async fn forget_back(
    world: &dyn World,
    options: &Options,
    id: u64,
) -> Result<(), ClientError> {
    let source = at(world, Place::Source);
    let ledger = Ledger::of(options);
    if described(&source, &options.rows).await?.is_none() {
        return Ok(());
    }
    let back = ledger.run(&source).await?;
    if let Some(back) = back.filter(|back| back.id == id && back.is_back) {
        ledger.forget(&source, &back).await?;
    }
    if ledger.is_empty(&source).await? {
        delete(&source, &options.rows).await?;
    }
    Ok(())
}
