//! Switches a move: the side that programs write to becomes the other one.
//!
//! ```text
//! near ── note `closing` ── both sides refuse ── carry what is left ── look ── take both rows ──▶
//!      ── note `opening`, and who leads ── turn the other row ── the new side takes writes ── note the end
//! ```
//!
//! A side takes writes only while the row of the target says that it leads, and no side does between the two
//! notes. So a switch that is killed anywhere goes on when it is called again: before the second note from
//! its beginning, behind it with what is missing. Both rows are taken before the second note, each with all
//! its checkpoints: a run of before writes nothing any more, although its requests may still come.

use crate::begin::may_go_on;
use crate::crew::Patience;
use crate::ledger::{Changed, Ledger};
use crate::options::Options;
use crate::pausing::hold;
use crate::refusal::{Force, IsDue, close, is_in_force, lacks_policies, open};
use crate::rows::{Checkpoint, Counts, Mark, Phase, RunRow, segment_part};
use crate::run::{Ended, carry_on};
use crate::swapped::swapped;
use crate::tables::{Followable, at, delete, look, set_expiry, switch_stream_on};
use crate::turn::{Turn, Turning, Way};
use crate::world::{At, Place, World};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_stream::world::Boxed;
use keyfold_types::KeySchema;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks at a stream while both sides refuse writes.
const DRAIN_POLL: Duration = Duration::from_millis(10);
/// The time between two looks at a run while both sides refuse writes.
const DRAIN_STEP: Duration = Duration::from_millis(5);

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

/// What a switch was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switched {
    /// Which side programs write to.
    pub turn: Turn,
    /// For how long no side took writes; `None` when an earlier call began it.
    pub paused: Option<Duration>,
    /// The items of each side when they were counted.
    pub items: Option<u64>,
}

/// Both directions of a move.
struct Both {
    world: Arc<dyn World>,
    other: Arc<dyn World>,
    options: Options,
    schema: KeySchema,
}

/// Switches the move of a table. `told` hears how far it is.
///
/// # Errors
/// `NotFound` when there is no move; `Refused` when it cannot be switched now, with what helps; the
/// backend's otherwise. Then the same call goes on.
pub async fn switch(
    world: Arc<dyn World>,
    options: &Options,
    switching: &Switching,
    told: &(dyn Fn(Step) + Sync),
) -> Result<Switched, ClientError> {
    let both = Both::of(world, options).await?;
    let row = both.row().await?;
    check(&row, options, switching.to)?;
    let noted = match row.turn.turning {
        Some(Turning::Opening) => return both.opened(switching, (None, None), told).await,
        Some(Turning::Closing) => both.hold_closing(row.turn.lead).await?,
        None => {
            both.settle(&row).await?;
            both.check_places(switching).await?;
            both.note_both().await?;
            both.ensure_back(&row).await?;
            told(Step::Nearing);
            both.near(row.turn.lead).await?;
            both.note_closing(switching).await?
        }
    };
    // A switch goes on in the way in which it began.
    let way = match noted.turn.way {
        Some(Way::Stopped) => None,
        Some(Way::Policies) | None => switching.forces,
    };
    let switching = &Switching {
        forces: way,
        ..switching.clone()
    };
    told(Step::Refusing);
    let began = both.world.now();
    match both.refuse(switching, &noted).await {
        Ok(()) => {}
        Err(Unforced::NotInForce(why)) => {
            both.give_up(switching).await?;
            return Err(ClientError::refused(why));
        }
        Err(Unforced::Error(error)) => return Err(error),
    }
    told(Step::Draining);
    both.drain(row.turn.lead).await?;
    let items = both.counted(switching).await?;
    both.flip(switching).await?;
    both.opened(switching, (Some(began), items), told).await
}

/// Refuses to switch a move that cannot be.
fn check(row: &RunRow, options: &Options, to: Place) -> Result<(), ClientError> {
    let table = &options.table;
    let refused = |why: String| {
        Err(ClientError::refused(format!(
            "the move of {table} cannot be switched: {why}"
        )))
    };
    row.is_forth(table)?;
    may_go_on(row, table)?;
    if row.phase == Phase::Copying {
        return refused("its table is not copied yet; `keyfold move` goes on with that".to_owned());
    }
    if row.stream.is_none() {
        return refused(
            "changes are not followed, so that what is written since the copy is not in the target; complete it"
                .to_owned(),
        );
    }
    let goes_to = row.turn.goes_to();
    match (goes_to, row.turn.lead == to) {
        (Some(going), _) if going != to => refused(format!(
            "a switch to the {} is under way; `keyfold move resume` goes on with it",
            going.word()
        )),
        (None, true) => refused(format!("programs write to the {} already", to.word())),
        (Some(_), _) | (None, false) => Ok(()),
    }
}

enum Unforced {
    NotInForce(String),
    Error(ClientError),
}

impl From<ClientError> for Unforced {
    fn from(error: ClientError) -> Unforced {
        Unforced::Error(error)
    }
}

/// Whether a switch is still this process's to make: its row is as it was noted.
struct StillMine<'b> {
    both: &'b Both,
    noted: &'b RunRow,
    /// Whether the run that has it counts, too.
    has_fence: bool,
}

impl IsDue for StillMine<'_> {
    fn look(&self) -> Boxed<'_, Result<(), ClientError>> {
        Box::pin(async move {
            let (row, noted) = (self.both.row().await?, self.noted);
            let is_mine = row.id == noted.id
                && row.phase == noted.phase
                && row.turn == noted.turn
                && (row.fence == noted.fence || !self.has_fence);
            match is_mine {
                true => Ok(()),
                false => Err(self.both.lost()),
            }
        })
    }
}

impl Both {
    async fn of(world: Arc<dyn World>, options: &Options) -> Result<Both, ClientError> {
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

    fn lost(&self) -> ClientError {
        ClientError::refused(format!(
            "another process carries the move of {} on: this one has stopped, and changes nothing any more",
            self.options.table
        ))
    }

    fn ledger(&self) -> Ledger {
        Ledger::of(&self.options)
    }

    /// The row that counts.
    async fn row(&self) -> Result<RunRow, ClientError> {
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

    /// Lets the side that leads take writes. A refusal of it stands when a request came late, of a switch that
    /// another process has ended.
    async fn settle(&self, row: &RunRow) -> Result<(), ClientError> {
        if !row.turn.is_refused() {
            return Ok(());
        }
        let is_due = StillMine {
            both: self,
            noted: row,
            has_fence: false,
        };
        open(&*self.world, &self.options, row.turn.lead, &is_due).await
    }

    /// Refuses places that have no policies, before anything changes.
    async fn check_places(&self, switching: &Switching) -> Result<(), ClientError> {
        if switching.forces.is_none() {
            return Ok(());
        }
        for place in [Place::Source, Place::Target] {
            if let Some(why) = lacks_policies(&*self.world, &self.options, place).await? {
                return Err(ClientError::refused(format!(
                    "the {} has no resource-based policies, by which it would refuse writes ({why}): stop its \
                     writers yourself, and pass --writers-stopped",
                    place.word()
                )));
            }
        }
        Ok(())
    }

    /// Notes that the move is about to have a row at each side, if it has not.
    async fn note_both(&self) -> Result<(), ClientError> {
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
    async fn ensure_back(&self, row: &RunRow) -> Result<(), ClientError> {
        let found = look(&*self.other, &self.options.table).await?;
        let stream = match found.followable() {
            Followable::Yes(stream) => stream,
            Followable::NoStream => switch_stream_on(&*self.other, &self.options.table).await?,
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
    async fn near(&self, lead: Place) -> Result<(), ClientError> {
        let [first, second] = self.in_order(lead);
        for world in [second, first, second, first] {
            self.carry(world, Until::Near).await?;
        }
        Ok(())
    }

    /// Carries what is left when nobody writes: of the side that led, then what that came to.
    async fn drain(&self, lead: Place) -> Result<(), ClientError> {
        for world in self.in_order(lead) {
            self.carry(world, Until::Even).await?;
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
    async fn carry(&self, world: &Arc<dyn World>, until: Until) -> Result<(), ClientError> {
        let target = at(&**world, Place::Target);
        let row = self.ledger().run(&target).await?;
        let stream = row.and_then(|row| row.stream).ok_or_else(|| self.lost())?;
        let options = Options {
            until_even: until == Until::Even,
            until_near: until == Until::Near,
            poll_time: DRAIN_POLL,
            step_time: DRAIN_STEP,
            ..self.options.clone()
        };
        let of = (self.schema.clone(), Some(stream));
        match carry_on(Arc::clone(world), options, of, Arc::default()).await? {
            Ended::Even => Ok(()),
            Ended::Stopped | Ended::Paused => Err(self.lost()),
        }
    }

    /// Notes that the move is being switched, as long as it is none yet.
    async fn note_closing(&self, switching: &Switching) -> Result<RunRow, ClientError> {
        let may = |row: &RunRow| match row.turn.turning {
            None if row.turn.lead != switching.to => Ok(()),
            Some(_) | None => Err(self.lost()),
        };
        let mine = hold(&*self.world, &self.options, may).await?;
        let turn = Turn {
            turning: Some(Turning::Closing),
            way: Some(match switching.forces {
                Some(_) => Way::Policies,
                None => Way::Stopped,
            }),
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await
    }

    /// Takes a switch that another process has begun, before it was opened.
    async fn hold_closing(&self, lead: Place) -> Result<RunRow, ClientError> {
        let may = |row: &RunRow| match row.turn.turning {
            Some(Turning::Closing) if row.turn.lead == lead => Ok(()),
            Some(_) | None => Err(self.lost()),
        };
        hold(&*self.world, &self.options, may).await
    }

    /// Notes in the row that counts. Returns the row as it is then.
    async fn note(&self, mine: &RunRow, turn: &Turn) -> Result<RunRow, ClientError> {
        self.turned(&at(&*self.world, Place::Target), mine, turn)
            .await
    }

    /// Notes in a row which side leads, and waits out what passes.
    async fn turned(&self, io: &At<'_>, mine: &RunRow, turn: &Turn) -> Result<RunRow, ClientError> {
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

    /// Lets both sides refuse writes: first the one that is to lead, which no program should write to anyway.
    async fn refuse(&self, switching: &Switching, noted: &RunRow) -> Result<(), Unforced> {
        let (to, from) = (switching.to, switching.to.other());
        let Some(forces) = switching.forces else {
            return Ok(());
        };
        let is_due = StillMine {
            both: self,
            noted,
            has_fence: true,
        };
        let [source, target] = forces;
        for (place, now_at) in [(to, from), (from, to)] {
            let of = (place, self.connection(switching, now_at));
            close(&*self.world, &self.options, of, &is_due).await?;
            let force = match place {
                Place::Source => source,
                Place::Target => target,
            };
            let of = (place, &self.schema);
            if !is_in_force(&*self.world, &self.options, of, force).await? {
                let word = place.word();
                return Err(Unforced::NotInForce(format!(
                    "the {word} has kept the policy that denies writes to its table {}, and takes writes all \
                     the same: stop its writers yourself, and pass --writers-stopped. Nothing has changed",
                    self.options.table
                )));
            }
        }
        Ok(())
    }

    fn connection<'s>(&self, switching: &'s Switching, place: Place) -> &'s str {
        let [source, target] = &switching.connections;
        match place {
            Place::Source => source,
            Place::Target => target,
        }
    }

    /// Notes that the side which led goes on to lead, and lets it take writes again.
    async fn give_up(&self, switching: &Switching) -> Result<(), ClientError> {
        let from = switching.to.other();
        let mine = self.hold_closing(from).await?;
        // From here on nobody goes on with the switch.
        let turn = Turn {
            turning: Some(Turning::Opening),
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await?;
        let back = Switching {
            to: from,
            ..switching.clone()
        };
        self.opened(&back, (None, None), &|_| {}).await.map(drop)
    }

    /// Compares the numbers of items, where both sides know them as they are now, and items do not expire.
    async fn counted(&self, switching: &Switching) -> Result<Option<u64>, ClientError> {
        if !switching.counts_are_exact {
            return Ok(None);
        }
        let mut sides = Vec::new();
        for world in [&self.world, &self.other] {
            let found = look(&**world, &self.options.table).await?;
            if found.expiry.is_some() {
                return Ok(None);
            }
            sides.push(found.items());
        }
        match sides[..] {
            [source, target] if source == target => Ok(Some(source)),
            [source, target] => {
                self.give_up(switching).await?;
                Err(ClientError::refused(format!(
                    "the table {} has {source} items in the source and {target} in the target when all changes \
                     were carried: it is not switched, and programs write where they did. `keyfold move verify` \
                     names what differs",
                    self.options.table
                )))
            }
            _ => Ok(None),
        }
    }

    /// Takes both rows, with all their checkpoints, and notes that the other side leads.
    async fn flip(&self, switching: &Switching) -> Result<(), ClientError> {
        hold(&*self.other, &self.options, |_| Ok(())).await?;
        let mine = self.hold_closing(switching.to.other()).await?;
        let turn = Turn {
            lead: switching.to,
            turning: Some(Turning::Opening),
            turns: mine.turn.turns + 1,
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await.map(drop)
    }

    /// Lets the new side take writes, and notes the end.
    async fn opened(
        &self,
        switching: &Switching,
        (began, items): (Option<Duration>, Option<u64>),
        told: &(dyn Fn(Step) + Sync),
    ) -> Result<Switched, ClientError> {
        told(Step::Opening);
        let to = switching.to;
        let may = |row: &RunRow| match row.turn.turning {
            Some(Turning::Opening) if row.turn.lead == to => Ok(()),
            Some(_) | None => Err(self.lost()),
        };
        let back = hold(&*self.other, &self.options, |_| Ok(())).await?;
        let mine = hold(&*self.world, &self.options, may).await?;
        // In its own terms, the source of the other row is the target.
        let turned = Turn {
            lead: to.other(),
            turns: mine.turn.turns,
            way: mine.turn.way,
            ..back.turn.clone()
        };
        let source = at(&*self.other, Place::Target);
        self.turned(&source, &back, &turned).await?;
        let found = look(&*self.world, &self.options.table).await?;
        if to == Place::Target {
            set_expiry(&at(&*self.world, Place::Target), &found).await?;
        }
        self.open_sides(to, &mine).await?;
        let paused = began.map(|began| self.world.now().saturating_sub(began));
        let turn = Turn {
            turning: None,
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await?;
        told(Step::Switched);
        Ok(Switched {
            turn,
            paused,
            items,
        })
    }

    /// Lets the side that leads take writes. A refusal of an earlier switch may stand also where the writers are
    /// stopped by somebody now.
    async fn open_sides(&self, to: Place, mine: &RunRow) -> Result<(), ClientError> {
        let is_due = StillMine {
            both: self,
            noted: mine,
            has_fence: true,
        };
        let is_due = &is_due;
        let opens = |place| async move {
            match lacks_policies(&*self.world, &self.options, place).await? {
                Some(_) => Ok(()),
                None => open(&*self.world, &self.options, place, is_due).await,
            }
        };
        opens(to).await?;
        // Before the first switch, the target refuses nothing.
        match mine.turn.turns {
            0 => opens(to.other()).await,
            _ => Ok(()),
        }
    }
}

/// How far a direction is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    Near,
    Even,
}

/// Lets the side that leads take writes, if a late request of an earlier switch has left a refusal there, and
/// makes what is missing of the other direction.
///
/// # Errors
/// The backend's; `Refused` when the move is being switched.
pub async fn settle(world: Arc<dyn World>, options: &Options) -> Result<(), ClientError> {
    let both = Both::of(world, options).await?;
    let row = both.row().await?;
    row.is_forth(&options.table)?;
    row.turn.may_take(&options.table, false)?;
    if row.turn.has_begun() {
        both.ensure_back(&row).await?;
    }
    both.settle(&row).await
}

/// Whether the sides are to take writes when what switches have left is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sides {
    Open,
    AsTheyAre,
}

/// Ends what the switches of a move have left: the refusals of both sides, and the row of the other
/// direction.
///
/// # Errors
/// The backend's. Then the same call goes on.
pub(crate) async fn forget_turns(
    world: &dyn World,
    options: &Options,
    (id, sides): (u64, Sides),
) -> Result<(), ClientError> {
    // Before a side takes writes, no run writes to it any more.
    take_back_out(world, options, id).await?;
    for place in [Place::Source, Place::Target] {
        if sides == Sides::Open && lacks_policies(world, options, place).await?.is_none() {
            open(world, options, place, &Always).await?;
        }
    }
    forget_back(world, options, id).await
}

/// Takes the other direction of a move from its run for good: without its checkpoints that writes nothing, and
/// makes none, and no other run takes it.
async fn take_back_out(world: &dyn World, options: &Options, id: u64) -> Result<(), ClientError> {
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
async fn forget_back(world: &dyn World, options: &Options, id: u64) -> Result<(), ClientError> {
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

/// A change that is always due: the move is ending.
struct Always;

impl IsDue for Always {
    fn look(&self) -> Boxed<'_, Result<(), ClientError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
