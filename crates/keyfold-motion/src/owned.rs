//! The owner of a switch: one process at any time.
//!
//! The process that begins a switch, or goes on with one that another has begun, writes into the move's row in the
//! target (see [`crate::turn`]) that it owns the switch: the fence with which it took the row. The previous process can
//! take neither of the two rows from then on, since each of its steps checks the owner first. The row of the other
//! direction names the owner while the switch is under way, so no run of that direction takes it; a previous owner has a
//! smaller fence, and cannot take it either.

use crate::both::{Both, Switching};
use crate::pausing::hold;
use crate::rows::RunRow;
use crate::tables::at;
use crate::turn::{Turn, Turning};
use crate::world::Place;
use keyfold_client::ClientError;

/// How often the row of the other direction is taken, while the previous owner takes it, too.
const BACK_TRIES: u32 = 4;

/// Where a switch is: how far, and which side leads.
pub(crate) type Stage = (Turning, Place);

impl Both {
    /// Notes that a switch of the move begins, if none is under way, and that this process owns it.
    pub(crate) async fn own_new(&self, switching: &Switching) -> Result<RunRow, ClientError> {
        let may = |row: &RunRow| match row.turn.turning {
            None if row.turn.lead != switching.to => Ok(()),
            Some(_) | None => Err(self.lost()),
        };
        let mine = hold(&*self.world, &self.options, may).await?;
        let turn = Turn {
            turning: Some(Turning::Closing),
            way: Some(switching.way()),
            ..mine.turn.clone()
        };
        self.own(&mine, turn).await
    }

    /// Takes a switch over that another process has begun: that one changes nothing of it any more.
    pub(crate) async fn own_begun(&self, stage: Stage) -> Result<RunRow, ClientError> {
        let may = |row: &RunRow| self.is_at(row, stage);
        let mine = hold(&*self.world, &self.options, may).await?;
        self.own(&mine, mine.turn.clone()).await
    }

    /// Takes the row again of a switch that this process owns still.
    pub(crate) async fn own_still(&self, owner: u64, stage: Stage) -> Result<RunRow, ClientError> {
        let may = |row: &RunRow| match row.turn.owner == Some(owner) {
            true => self.is_at(row, stage),
            false => Err(self.lost()),
        };
        hold(&*self.world, &self.options, may).await
    }

    /// Takes the row of the other direction, with all its checkpoints, for the owner of the switch. A request of the
    /// previous owner may come between, until the row names this owner: then the row is taken again.
    pub(crate) async fn own_back(&self, mine: &RunRow) -> Result<RunRow, ClientError> {
        let mut tries = BACK_TRIES;
        loop {
            tries -= 1;
            match self.own_back_once(mine).await {
                Err(ClientError::Refused(_)) if tries > 0 && self.is_owner(mine).await? => {}
                answer => return answer,
            }
        }
    }

    /// Whether the row that counts names the owner of a row still.
    async fn is_owner(&self, mine: &RunRow) -> Result<bool, ClientError> {
        let row = self.row().await?;
        Ok(row.id == mine.id && row.turn.owner == mine.turn.owner)
    }

    async fn own_back_once(&self, mine: &RunRow) -> Result<RunRow, ClientError> {
        let owner = mine.turn.owner;
        let may = |back: &RunRow| {
            let is_of_move = back.is_back && back.id == mine.id;
            match is_of_move && back.turn.owner <= owner {
                true => Ok(()),
                false => Err(self.lost()),
            }
        };
        let back = hold(&*self.other, &self.options, may).await?;
        let turn = Turn {
            turning: Some(Turning::Opening),
            owner,
            ..back.turn.clone()
        };
        match back.turn == turn {
            true => Ok(back),
            false => {
                let source = at(&*self.other, Place::Target);
                self.turned(&source, &back, &turn).await
            }
        }
    }

    async fn own(&self, mine: &RunRow, turn: Turn) -> Result<RunRow, ClientError> {
        let turn = Turn {
            owner: Some(mine.fence),
            ..turn
        };
        let mine = self.note(mine, &turn).await?;
        self.own_back(&mine).await?;
        Ok(mine)
    }

    fn is_at(&self, row: &RunRow, (turning, lead): Stage) -> Result<(), ClientError> {
        match row.turn.turning == Some(turning) && row.turn.lead == lead {
            true => Ok(()),
            false => Err(self.lost()),
        }
    }
}

impl RunRow {
    /// The owner of its switch; 0 if nobody has owned one (fences begin at 1).
    pub(crate) fn owner(&self) -> u64 {
        self.turn.owner.unwrap_or(0)
    }
}
