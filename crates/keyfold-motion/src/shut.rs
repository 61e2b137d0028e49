//! The policies of a switch: both sides come to refuse writes, and one of them takes writes again.

use crate::both::{Both, Step, Switching};
use crate::refusal::{
    Closing, IsDue, check_closing, check_open, close, has_replicas, is_closed, is_in_force,
    lacks_policies, mark, open,
};
use crate::rows::RunRow;
use crate::turn::Turning;
use crate::world::Place;
use keyfold_client::ClientError;
use keyfold_stream::world::Boxed;

/// How often both sides are closed and emptied, when somebody changes their policies meanwhile.
const ROUNDS: u32 = 3;

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

/// Why both sides do not refuse writes.
pub(crate) enum Unforced {
    NotInForce(String),
    Error(ClientError),
}

impl From<ClientError> for Unforced {
    fn from(error: ClientError) -> Unforced {
        Unforced::Error(error)
    }
}

impl Both {
    /// Lets the side that leads take writes. A refusal of it stands when a request came late, of a switch that
    /// another process has ended. The other side is closed again, when somebody has opened it; returns whether
    /// that was so.
    pub(crate) async fn settle(
        &self,
        row: &RunRow,
        connections: &[String; 2],
    ) -> Result<bool, ClientError> {
        if !row.turn.is_refused() {
            return Ok(false);
        }
        let is_due = StillMine {
            both: self,
            noted: row,
            has_fence: false,
        };
        let (world, lead) = (&*self.world, row.turn.lead);
        open(world, &self.options, lead, &is_due).await?;
        if is_closed(world, &self.options, lead.other(), None).await? {
            return Ok(false);
        }
        let closing = Closing {
            moved_to: connection(connections, lead),
            fence: row.fence,
        };
        close(world, &self.options, (lead.other(), closing), &is_due).await?;
        Ok(true)
    }

    /// Refuses places that have no policies, or replicas elsewhere, before anything changes.
    pub(crate) async fn check_places(&self, switching: &Switching) -> Result<(), ClientError> {
        if switching.forces.is_none() {
            return Ok(());
        }
        for place in [Place::Source, Place::Target] {
            if has_replicas(&*self.world, &self.options, place).await? {
                return Err(ClientError::refused(format!(
                    "the table {} of the {} has replicas in other regions, whose writers no policy of this one \
                     refuses, and a policy would end the replication: stop the writers of all regions yourself, \
                     and pass --writers-stopped",
                    self.options.table,
                    place.word()
                )));
            }
            if let Some(why) = lacks_policies(&*self.world, &self.options, place).await? {
                return Err(ClientError::refused(format!(
                    "the {} has no resource-based policies, by which it would refuse writes ({why}): stop its \
                     writers yourself, and pass --writers-stopped",
                    place.word()
                )));
            }
        }
        let from = (switching.to.other(), &self.schema);
        check_open(&*self.world, &self.options, from).await?;
        for place in [Place::Source, Place::Target] {
            let closing = Closing {
                moved_to: connection(&switching.connections, place.other()),
                fence: u64::MAX,
            };
            let otherwise = ", or stop its writers yourself and pass --writers-stopped";
            check_closing(&*self.world, &self.options, (place, closing), otherwise).await?;
        }
        Ok(())
    }

    /// Lets both sides refuse writes, and carries what is left. That is done again when somebody has changed a
    /// policy meanwhile.
    pub(crate) async fn emptied(
        &self,
        switching: &Switching,
        noted: RunRow,
        told: &(dyn Fn(Step) + Sync),
    ) -> Result<(), Unforced> {
        let (mut noted, lead) = (noted, switching.to.other());
        let owner = noted.owner();
        for _ in 0..ROUNDS {
            told(Step::Refusing);
            self.refuse(switching, &noted).await?;
            told(Step::Draining);
            self.drain(lead, owner).await?;
            if self.is_refused_still(switching, &noted).await? {
                return Ok(());
            }
            noted = self.own_still(owner, (Turning::Closing, lead)).await?;
        }
        Err(Unforced::NotInForce(format!(
            "somebody takes the statement that denies writes out of a policy of the table {} again and again. \
             Nothing has changed",
            self.options.table
        )))
    }

    /// Whether both sides have the statement still that this process has put into their policies.
    async fn is_refused_still(
        &self,
        switching: &Switching,
        noted: &RunRow,
    ) -> Result<bool, ClientError> {
        for place in [Place::Source, Place::Target] {
            let fence = Some(noted.fence);
            if switching.forces.is_some()
                && !is_closed(&*self.world, &self.options, place, fence).await?
            {
                return Ok(false);
            }
        }
        Ok(true)
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
        let closing = |place: Place| Closing {
            moved_to: connection(&switching.connections, place.other()),
            fence: noted.fence,
        };
        // Amazon refuses a second change of a policy for a while, which passes at both sides at once then.
        for place in [to, from] {
            let of = (place, closing(place));
            mark(&*self.world, &self.options, of, &is_due).await?;
        }
        let [source, target] = forces;
        for place in [to, from] {
            let of = (place, closing(place));
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

    /// Lets the side that leads take writes. A refusal of an earlier switch may stand also where the writers are
    /// stopped by somebody now.
    pub(crate) async fn open_sides(&self, to: Place, mine: &RunRow) -> Result<(), ClientError> {
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

/// The connection of a side.
fn connection(connections: &[String; 2], place: Place) -> &str {
    let [source, target] = connections;
    match place {
        Place::Source => source,
        Place::Target => target,
    }
}
