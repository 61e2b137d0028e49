//! A write on its way to the disk.

use crate::error::StoreError;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The fate of one group of writes, shared by their tickets.
#[derive(Debug, Default)]
pub(crate) struct Fate {
    state: Mutex<FateState>,
    decided: Condvar,
}

#[derive(Debug, Default)]
struct FateState {
    result: Option<Result<(), StoreError>>,
    /// One for each ticket that is awaited.
    wakers: Vec<Waker>,
}

impl Fate {
    fn lock(&self) -> MutexGuard<'_, FateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn decide(&self, result: Result<(), StoreError>) {
        let wakers = {
            let mut state = self.lock();
            state.result = Some(result);
            std::mem::take(&mut state.wakers)
        };
        self.decided.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A staged write. Done when the write is durable and visible; waited for with [`Ticket::wait`] or
/// awaited (it needs no particular async runtime). Dropping it does not take the write back.
#[derive(Debug)]
#[must_use = "a write is acknowledged only when its ticket is done"]
pub struct Ticket {
    fate: Option<Arc<Fate>>,
    /// The place of this ticket's waker among those of the group, once it was polled.
    waker: Option<usize>,
}

impl Clone for Ticket {
    fn clone(&self) -> Ticket {
        Ticket {
            fate: self.fate.clone(),
            waker: None,
        }
    }
}

impl Ticket {
    pub(crate) fn of(fate: &Arc<Fate>) -> Ticket {
        Ticket {
            fate: Some(Arc::clone(fate)),
            waker: None,
        }
    }

    /// The ticket of a write that is done already, or of no write.
    pub fn done() -> Ticket {
        Ticket {
            fate: None,
            waker: None,
        }
    }

    /// The ticket of a write that has failed.
    pub(crate) fn failed(error: StoreError) -> Ticket {
        let fate = Arc::new(Fate::default());
        fate.decide(Err(error));
        Ticket {
            fate: Some(fate),
            waker: None,
        }
    }

    /// Whether the write is durable, or has failed.
    pub fn is_done(&self) -> bool {
        self.fate
            .as_ref()
            .is_none_or(|fate| fate.lock().result.is_some())
    }

    /// Blocks until the write is durable.
    ///
    /// # Errors
    /// When the write or its sync failed; it may or may not be there after reopening.
    pub fn wait(self) -> Result<(), StoreError> {
        let Some(fate) = self.fate else { return Ok(()) };
        let mut state = fate.lock();
        loop {
            if let Some(result) = &state.result {
                return result.clone();
            }
            state = fate
                .decided
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Future for Ticket {
    type Output = Result<(), StoreError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Ticket { fate, waker } = self.get_mut();
        let Some(fate) = fate else {
            return Poll::Ready(Ok(()));
        };
        let mut state = fate.lock();
        if let Some(result) = &state.result {
            return Poll::Ready(result.clone());
        }
        match waker.and_then(|at| state.wakers.get_mut(at)) {
            Some(known) => known.clone_from(context.waker()),
            None => {
                *waker = Some(state.wakers.len());
                state.wakers.push(context.waker().clone());
            }
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_that_is_polled_again_and_again_keeps_one_waker() {
        let fate = Arc::new(Fate::default());
        let (mut one, mut other) = (Ticket::of(&fate), Ticket::of(&fate));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..1000 {
            assert!(Pin::new(&mut one).poll(&mut context).is_pending());
            assert!(Pin::new(&mut other).poll(&mut context).is_pending());
        }
        assert_eq!(fate.lock().wakers.len(), 2);
        fate.decide(Ok(()));
        assert!(Pin::new(&mut one).poll(&mut context).is_ready());
    }
}
