//! The loop of a driver: messages in, messages out, and findings once the editor pauses.

use crate::server::{Exit, Server};
use lsp_server::Message;

/// What a queue has next.
#[derive(Debug, Clone)]
pub enum Next {
    /// A message of the editor.
    Message(Message),
    /// There was no message for as long as the queue was to wait.
    Quiet,
    /// The editor has gone.
    Closed,
}

/// How long a queue waits for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Until there is one.
    Always,
    /// For the moment within which an editor sends the messages of one burst.
    Moment,
}

/// The messages of an editor.
pub trait Queue {
    /// The next message. With [`Wait::Moment`] the queue may return [`Next::Quiet`].
    fn next(&mut self, wait: Wait) -> Next;

    /// Sends a message to the editor. `false` means that it has gone.
    fn send(&mut self, message: Message) -> bool;
}

/// Most messages that are handled before findings are computed, though the editor never pauses: as
/// many as an editor sends in a few seconds of fast typing.
const BURST_MAX: usize = 500;

/// Carries messages until the editor has gone.
pub fn drive(server: &mut Server, queue: &mut impl Queue) -> Exit {
    let mut burst = 0;
    loop {
        let wait = if server.is_settled() {
            Wait::Always
        } else {
            Wait::Moment
        };
        let answers = match queue.next(wait) {
            Next::Message(message) => {
                burst += 1;
                let mut answers = server.handle(message);
                if burst >= BURST_MAX && !server.is_settled() {
                    burst = 0;
                    answers.extend(server.settle());
                }
                answers
            }
            Next::Quiet => {
                burst = 0;
                server.settle()
            }
            Next::Closed => return server.exit().unwrap_or(Exit::Lost),
        };
        for answer in answers {
            if !queue.send(answer) {
                return server.exit().unwrap_or(Exit::Lost);
            }
        }
        if let Some(exit) = server.exit() {
            return exit;
        }
    }
}
