//! Tickets: the results of staged writes.

use crate::error::StoreError;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The result of one group of writes, shared by their tickets.
#[derive(Debug, Default)]
pub(crate) struct GroupResult {
    state: Mutex<GroupState>,
    is_set: Condvar,
}

#[derive(Debug, Default)]
struct GroupState {
    result: Option<Result<(), StoreError>>,
    /// One for each awaited ticket.
    wakers: Vec<Waker>,
}

impl GroupResult {
    fn lock(&self) -> MutexGuard<'_, GroupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the result and wakes the waiters.
    pub(crate) fn set(&self, result: Result<(), StoreError>) {
        let wakers = {
            let mut state = self.lock();
            state.result = Some(result);
            std::mem::take(&mut state.wakers)
        };
        self.is_set.notify_all();
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A staged write, to be waited for with [`Ticket::wait`] or awaited, on any async runtime. It is
/// done when the write is durable and visible. Dropping it does not cancel the write.
#[derive(Debug)]
#[must_use = "a write is acknowledged only when its ticket is done"]
pub struct Ticket {
    /// None when it is done already.
    group: Option<Arc<GroupResult>>,
    /// The index of this ticket's waker in the group, once it was polled.
    waker: Option<usize>,
}

impl Clone for Ticket {
    fn clone(&self) -> Ticket {
        Ticket {
            group: self.group.clone(),
            waker: None,
        }
    }
}

impl Ticket {
    pub(crate) fn of(group: &Arc<GroupResult>) -> Ticket {
        Ticket {
            group: Some(Arc::clone(group)),
            waker: None,
        }
    }

    /// The ticket of a write that is done already, or of no write.
    pub fn done() -> Ticket {
        Ticket {
            group: None,
            waker: None,
        }
    }

    /// The ticket of a write that has failed.
    pub(crate) fn failed(error: StoreError) -> Ticket {
        let group = Arc::new(GroupResult::default());
        group.set(Err(error));
        Ticket {
            group: Some(group),
            waker: None,
        }
    }

    /// Whether the write is durable, or has failed.
    pub fn is_done(&self) -> bool {
        self.group
            .as_ref()
            .is_none_or(|group| group.lock().result.is_some())
    }

    /// Blocks until the write is durable.
    ///
    /// # Errors
    /// When the write or its sync failed. The changes may or may not be there after reopening.
    pub fn wait(self) -> Result<(), StoreError> {
        let Some(group) = self.group else {
            return Ok(());
        };
        let mut state = group.lock();
        loop {
            if let Some(result) = &state.result {
                return result.clone();
            }
            state = group
                .is_set
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Future for Ticket {
    type Output = Result<(), StoreError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Ticket { group, waker } = self.get_mut();
        let Some(group) = group else {
            return Poll::Ready(Ok(()));
        };
        let mut state = group.lock();
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
        let group = Arc::new(GroupResult::default());
        let (mut one, mut other) = (Ticket::of(&group), Ticket::of(&group));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..1000 {
            assert!(Pin::new(&mut one).poll(&mut context).is_pending());
            assert!(Pin::new(&mut other).poll(&mut context).is_pending());
        }
        assert_eq!(group.lock().wakers.len(), 2);
        group.set(Ok(()));
        assert!(Pin::new(&mut one).poll(&mut context).is_ready());
    }
}
