//! Effects and the position of the consumer, in one transaction.
//!
//! The transaction has the effects and one action more, which moves the lease from the position before
//! to the one behind. That action fails when the worker does not have the lease any more, and when the
//! position has moved. So a transaction that is sent twice, late, or by a worker that slept happens
//! once or not at all. When an answer was lost, the stored lease shows what happened.

use crate::crew::{Crew, Held};
use crate::handler::{ACTIONS_MAX, Effects, What, is_passing};
use crate::joined::Joined;
use crate::lease::Lease;
use crate::position::Position;
use crate::world::ask;
use keyfold_api::{ErrorKind, ReasonCode, TransactWriteItem, TransactWriteItemsInput};
use keyfold_lower::ClientError;

/// What became of effects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Committed {
    /// They have happened, and the position has moved.
    Yes,
    /// They have not happened. The position is another than the worker thought: an earlier request,
    /// whose answer was lost, has moved it.
    Moved(Position),
    /// They have not happened, and another worker has the lease.
    Lost,
    /// They have not happened, and may later.
    Again(String),
    /// They cannot happen.
    Refused(String),
    /// They are more than one transaction takes.
    TooMany(usize),
}

/// Lets effects happen, and moves the lease to a position.
pub(crate) async fn commit(
    crew: &Crew,
    held: &Held,
    lease: &Lease,
    to: &Position,
    effects: Effects,
) -> Committed {
    let world = &crew.world;
    let advance = crew.leases.advance(lease, to);
    let at = world.now();
    let result = match effects.0 {
        What::Nothing => sent(crew, vec![advance]).await,
        What::Actions(actions) if actions.len() > ACTIONS_MAX => {
            return Committed::TooMany(actions.len());
        }
        What::Actions(mut actions) => {
            actions.push(advance);
            sent(crew, actions).await
        }
        What::Call(call) => {
            let joined = Joined::new(&**world, advance.clone());
            let result = call.send(&**world, &joined).await;
            if joined.is_too_large() {
                return Committed::TooMany(ACTIONS_MAX + 1);
            }
            match result {
                Ok(()) if !joined.has_written() => sent(crew, vec![advance]).await,
                result => result,
            }
        }
    };
    match result {
        Ok(()) => {
            held.renewed(at);
            Committed::Yes
        }
        Err(error) => after(crew, lease, to, error).await,
    }
}

async fn sent(crew: &Crew, actions: Vec<TransactWriteItem>) -> Result<(), ClientError> {
    let input = TransactWriteItemsInput {
        transact_items: Some(actions),
        ..TransactWriteItemsInput::default()
    };
    ask(&*crew.world, input).await.map(|_| ())
}

/// What became of effects whose transaction has an error.
async fn after(crew: &Crew, lease: &Lease, to: &Position, error: ClientError) -> Committed {
    let is_lost = matches!(error, ClientError::OutcomeUnknown { .. });
    if is_passing(&error) && !is_lost {
        return Committed::Again(error.to_string());
    }
    let stored = match crew.leases.one(&*crew.world, &lease.key).await {
        Ok(stored) => stored,
        Err(unread) => return Committed::Again(format!("{error}; then {unread}")),
    };
    let Some(stored) = stored.filter(|one| one.owner == lease.owner && one.fence == lease.fence)
    else {
        return Committed::Lost;
    };
    if stored.position == lease.position {
        return match is_lost {
            true => Committed::Again(error.to_string()),
            false => Committed::Refused(explained(&error)),
        };
    }
    match is_lost && stored.position == *to {
        true => Committed::Yes,
        false => Committed::Moved(stored.position),
    }
}

/// The reason of a refusal: of a cancelled transaction, the actions that failed.
fn explained(error: &ClientError) -> String {
    let ClientError::Service {
        kind: Some(ErrorKind::TransactionCanceled),
        reasons,
        ..
    } = error
    else {
        return error.to_string();
    };
    let failed = reasons.iter().enumerate();
    let failed = failed.filter(|(_, (code, _))| *code != ReasonCode::None);
    let texts = failed.map(|(at, (code, message))| {
        let message = message.as_deref().unwrap_or("no message");
        format!(
            "action {} of the effects: {}: {message}",
            at + 1,
            code.name()
        )
    });
    texts.collect::<Vec<_>>().join("; ")
}
