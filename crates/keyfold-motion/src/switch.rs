//! Switches a move: the side that programs write to becomes the other one.
//!
//! ```text
//! near ── note `closing` ── both sides refuse ── carry what is left ── look ── take both rows ──▶
//!      ── note `opening`, and who leads ── turn the other row ── the new side takes writes ── note the end
//! ```
//!
//! A side takes writes only while the row of the target says that it leads, and no side does between the two
//! notes. So a switch that is killed anywhere goes on when it is called again: before the second note from
//! its beginning, behind it with what is missing. A process that goes on with it owns it from then on
//! ([`crate::owned`]), and the one of before stops. Both rows are taken before the second note, each with all
//! its checkpoints: a run of before writes nothing any more, although its requests may still come.

use crate::begin::may_go_on;
use crate::both::{Both, forget_back, take_back_out};
pub use crate::both::{Step, Switching};
use crate::indexes;
use crate::options::Options;
use crate::refusal::{IsDue, lacks_policies, open};
use crate::rows::{Phase, RunRow};
use crate::shut::Unforced;
use crate::tables::{at, look, set_expiry};
use crate::turn::{Turn, Turning, Way};
use crate::world::{Place, World};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_stream::world::Boxed;
use std::sync::Arc;
use std::time::Duration;

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
    let lead = row.turn.lead;
    let noted = match row.turn.turning {
        Some(Turning::Opening) => {
            let mine = both.own_begun((Turning::Opening, lead)).await?;
            return both
                .opened(switching, mine.owner(), (None, None), told)
                .await;
        }
        Some(Turning::Closing) => {
            let mine = both.own_begun((Turning::Closing, lead)).await?;
            if lead == switching.to {
                return both.give_up(switching, mine.owner(), told).await;
            }
            mine
        }
        None => {
            if both.settle(&row, &switching.connections).await? {
                return Err(taken(&row, options));
            }
            both.check_places(switching).await?;
            both.check_indexes(switching.to).await?;
            both.note_both().await?;
            both.ensure_back(&row).await?;
            told(Step::Nearing);
            both.near(lead).await?;
            both.own_new(switching).await?
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
    let (began, owner) = (both.world.now(), noted.owner());
    match both.emptied(switching, noted, told).await {
        Ok(()) => {}
        Err(Unforced::NotInForce(why)) => {
            both.give_up(&switching.back(), owner, told).await?;
            return Err(ClientError::refused(why));
        }
        Err(Unforced::Error(error)) => return Err(error),
    }
    let items = both.counted(switching, owner).await?;
    both.flip(switching, owner).await?;
    both.opened(switching, owner, (Some(began), items), told)
        .await
}

/// The error of a move whose side that does not lead took writes.
fn taken(row: &RunRow, options: &Options) -> ClientError {
    ClientError::refused(format!(
        "the {} took writes of the table {}, since somebody had taken the statement `KeyfoldMove..` out of its \
         policy. It refuses them again, and nothing was switched: `keyfold move verify` names what differs, and the \
         same command goes on",
        row.turn.lead.other().word(),
        options.table
    ))
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
    match (row.turn.turning, row.turn.lead == to) {
        (Some(Turning::Opening), false) => refused(format!(
            "a switch to the {} is under way; `keyfold move resume` goes on with it",
            to.other().word()
        )),
        (None, true) => refused(format!("programs write to the {} already", to.word())),
        (Some(Turning::Opening | Turning::Closing) | None, _) => Ok(()),
    }
}

impl Both {
    /// Looks whether the side that comes to lead has the indexes of the one that leads.
    async fn check_indexes(&self, to: Place) -> Result<(), ClientError> {
        let table = &self.options.table;
        let [lead, next] = [to.other(), to].map(|place| {
            let io = at(&*self.world, place);
            async move { described(&io, table).await }
        });
        let (Some(lead), Some(next)) = (lead.await?, next.await?) else {
            // That a table is gone is told by what follows.
            return Ok(());
        };
        indexes::check(&lead, (&next, to), table)
    }

    /// Notes that the side which led goes on to lead, and lets it take writes again.
    async fn give_up(
        &self,
        switching: &Switching,
        owner: u64,
        told: &(dyn Fn(Step) + Sync),
    ) -> Result<Switched, ClientError> {
        let stage = (Turning::Closing, switching.to);
        let mine = self.own_still(owner, stage).await?;
        // From here on nobody goes on with the switch.
        let turn = Turn {
            turning: Some(Turning::Opening),
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await?;
        self.opened(switching, owner, (None, None), told).await
    }

    /// Compares the numbers of items, where both sides know them as they are now, and items do not expire.
    async fn counted(&self, switching: &Switching, owner: u64) -> Result<Option<u64>, ClientError> {
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
                self.give_up(&switching.back(), owner, &|_| {}).await?;
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
    async fn flip(&self, switching: &Switching, owner: u64) -> Result<(), ClientError> {
        let stage = (Turning::Closing, switching.to.other());
        let mine = self.own_still(owner, stage).await?;
        self.own_back(&mine).await?;
        let turn = Turn {
            lead: switching.to,
            turning: Some(Turning::Opening),
            turns: mine.turn.turns + 1,
            way: Some(switching.way()),
            ..mine.turn.clone()
        };
        self.note(&mine, &turn).await.map(drop)
    }

    /// Lets the new side take writes, and notes the end.
    async fn opened(
        &self,
        switching: &Switching,
        owner: u64,
        (began, items): (Option<Duration>, Option<u64>),
        told: &(dyn Fn(Step) + Sync),
    ) -> Result<Switched, ClientError> {
        told(Step::Opening);
        let to = switching.to;
        let mine = self.own_still(owner, (Turning::Opening, to)).await?;
        let back = self.own_back(&mine).await?;
        // In its own terms, the source of the other row is the target.
        let turned = Turn {
            lead: to.other(),
            turning: None,
            turns: mine.turn.turns,
            way: mine.turn.way,
            ..back.turn.clone()
        };
        let source = at(&*self.other, Place::Target);
        self.turned(&source, &back, &turned).await?;
        self.open_sides(to, &mine).await?;
        // Nothing expires there before the side takes writes, and nobody waits for it.
        if to == Place::Target {
            let found = look(&*self.world, &self.options.table).await?;
            set_expiry(&at(&*self.world, Place::Target), &found).await?;
        }
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
}

/// Lets the side that leads take writes, if a late request of an earlier switch has left a refusal there, and
/// makes what is missing of the other direction. Returns whether the other side took writes, since somebody had
/// changed its policy; it refuses them then.
///
/// # Errors
/// The backend's; `Refused` when the move is being switched.
pub async fn settle(
    world: Arc<dyn World>,
    options: &Options,
    connections: &[String; 2],
) -> Result<bool, ClientError> {
    let both = Both::of(world, options).await?;
    let row = both.row().await?;
    row.is_forth(&options.table)?;
    row.turn.may_take(&options.table, None)?;
    if row.turn.has_begun() {
        both.ensure_back(&row).await?;
    }
    both.settle(&row, connections).await
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

/// A change that is always due: the move is ending.
struct Always;

impl IsDue for Always {
    fn look(&self) -> Boxed<'_, Result<(), ClientError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
