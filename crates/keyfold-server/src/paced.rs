//! A stream that fails when the client reads an answer too slowly. The stream inside detects a
//! client that does not read at all.
//!
//! Without a minimal pace, a client that reads a little now and then would hold an answer, and its
//! budget, for as long as it likes. The pace of request bodies is limited in `receive`.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Bytes a second that a client must read in the long run.
const SENT_A_SECOND_MIN: u32 = 256 * 1024;

/// A stream whose answers must be read at a minimal pace.
pub(crate) struct Paced<S> {
    stream: S,
    /// Time that an answer may take beyond that of its bytes.
    patience: Duration,
    /// The answer that the client has not read yet.
    late: Option<Late>,
}

/// An answer in flight.
struct Late {
    since: Instant,
    sent: usize,
    alarm: Pin<Box<Sleep>>,
}

impl<S> Paced<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Paced<S> {
        Paced {
            stream,
            patience,
            late: None,
        }
    }

    /// Ready with an error when the stream has not been ready for too long.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let late = self.late.get_or_insert_with(|| {
            let since = Instant::now();
            Late {
                since,
                sent: 0,
                alarm: Box::pin(sleep_until(since + self.patience)),
            }
        });
        let sent = u32::try_from(late.sent).unwrap_or(u32::MAX);
        let end = late.since + self.patience + Duration::from_secs(1) * sent / SENT_A_SECOND_MIN;
        if late.alarm.deadline() != end {
            late.alarm.as_mut().reset(end);
        }
        ready!(late.alarm.as_mut().poll(context));
        Poll::Ready(io::Error::new(
            io::ErrorKind::TimedOut,
            "the answer is read too slowly",
        ))
    }

    /// Counts written bytes, or waits.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match outcome {
            Poll::Pending => self.wait(context).map(Err),
            Poll::Ready(outcome) => {
                if let (Some(late), Ok(bytes)) = (&mut self.late, &outcome) {
                    late.sent += bytes;
                }
                Poll::Ready(outcome)
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Pending => self.wait(context).map(Err),
            Poll::Ready(outcome) => {
                // Everything written has left: the answer is sent.
                self.late = None;
                Poll::Ready(outcome)
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_shutdown(context) {
            Poll::Pending => self.wait(context).map(Err),
            Poll::Ready(outcome) => Poll::Ready(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    /// Writes an answer to a client that reads so many bytes every ten seconds.
    async fn send(answer: usize, read: usize) -> (io::Result<()>, Duration) {
        let (ours, mut theirs) = duplex(1024);
        let mut paced = Paced::new(ours, Duration::from_secs(30));
        let reader = tokio::spawn(async move {
            let mut part = vec![0; read];
            while theirs.read_exact(&mut part).await.is_ok() {
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
        });
        let begun = Instant::now();
        let outcome = async {
            paced.write_all(&vec![0; answer]).await?;
            paced.flush().await
        };
        let outcome = outcome.await;
        reader.abort();
        (outcome, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_a_little_now_and_then_is_disconnected() {
        let (outcome, took) = send(1024 * 1024, 10 * 1024).await;
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(took <= Duration::from_secs(31), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_keeps_the_pace_gets_a_long_answer() {
        let (outcome, took) = send(100 * 1024 * 1024, 3 * 1024 * 1024).await;
        outcome.unwrap();
        assert!(took > Duration::from_secs(300), "{took:?}");
    }
}
