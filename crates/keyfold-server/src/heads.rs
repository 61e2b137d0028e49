//! A stream that refuses requests which declare the length of their body in two ways.
//!
//! With `Content-Length` beside `Transfer-Encoding`, one reader takes bytes as a body that another
//! reads as the next request (request smuggling): the server then executes requests that a proxy in
//! front of it has not seen. The HTTP library takes the chunks and ignores the length, so this
//! stream inspects heads before the library reads them. It makes the end of a refused head
//! unreadable: the library answers 400 and closes.
//!
//! This is no HTTP parser: the library refuses everything else that is wrong with a head or a
//! chunk.

use memchr::memchr;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes of a line that are kept, without blanks: the inspected names, with any length that a body
/// can have.
const LINE_BYTES_MAX: usize = 64;
/// A byte that no head can contain.
const UNREADABLE: u8 = 0;

/// A stream that inspects the heads of the requests that are read from it.
pub(crate) struct Heads<S> {
    stream: S,
    position: Position,
}

/// The position of the next byte in the sequence of requests.
enum Position {
    Head(Head),
    /// This many bytes of a body are left.
    Body(u64),
    ChunkSize(Line),
    /// This many bytes of a chunk and its line end are left.
    Chunk(u64),
    /// The headers after the last chunk.
    Trailer(Line),
    /// The head is refused; the library closes this connection.
    Refused,
}

#[derive(Default)]
struct Head {
    line: Line,
    has_begun: bool,
    has_length: bool,
    /// The length; none if it does not parse.
    length: Option<u64>,
    /// Whether there is a `Transfer-Encoding`. The library refuses any other than chunks.
    is_chunked: bool,
}

/// The beginning of a line, without blanks.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    has_blanks: bool,
    /// Whether the last byte so far is a carriage return.
    has_return: bool,
}

impl Line {
    /// Takes bytes up to the end of the line; returns their number, and the line if it has ended.
    fn take(&mut self, bytes: &[u8]) -> (usize, Option<Line>) {
        let end = memchr(b'\n', bytes);
        let taken = end.map_or(bytes.len(), |end| end + 1);
        let left = LINE_BYTES_MAX.saturating_sub(self.bytes.len());
        let text = bytes.get(..end.unwrap_or(taken)).unwrap_or_default();
        self.bytes.extend(
            text.iter()
                .filter(|byte| !byte.is_ascii_whitespace())
                .take(left),
        );
        self.has_blanks |= text.iter().any(|byte| matches!(byte, b' ' | b'\t'));
        if let Some(last) = text.last() {
            self.has_return = *last == b'\r';
        }
        (taken, end.map(|_| std::mem::take(self)))
    }
}

impl Head {
    /// Takes a line of the head; returns whether it is the last.
    fn take_line(&mut self, line: &[u8]) -> bool {
        if line.is_empty() {
            // Empty lines before a request are skipped.
            return self.has_begun;
        }
        self.has_begun = true;
        if let Some(colon) = memchr(b':', line)
            && let Some((name, value)) = line.split_at_checked(colon)
        {
            if name.eq_ignore_ascii_case(b"content-length") {
                self.has_length = true;
                let number = number(value.strip_prefix(b":").unwrap_or_default(), 10);
                self.length = number.filter(|_| line.len() < LINE_BYTES_MAX);
            } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
                self.is_chunked = true;
            }
        }
        false
    }

    /// The position after this head; `None` if it is ambiguous.
    fn next_position(&self) -> Option<Position> {
        match (self.is_chunked, self.has_length, self.length) {
            (true, false, _) => Some(Position::ChunkSize(Line::default())),
            (false, false, _) | (false, true, Some(0)) => Some(Position::Head(Head::default())),
            (false, true, Some(length)) => Some(Position::Body(length)),
            (true, true, _) | (false, true, None) => None,
        }
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| !digits.starts_with('+'))?;
    u64::from_str_radix(digits, radix).ok()
}

/// The position after the line with a chunk's size; `None` if the size does not parse. Extensions
/// of the size are skipped.
fn position_after_size(line: &[u8]) -> Option<Position> {
    let digits = line
        .split(|byte| *byte == b';')
        .next()
        .filter(|digits| digits.len() < LINE_BYTES_MAX)?;
    Some(match number(digits, 16)? {
        0 => Position::Trailer(Line::default()),
        // The chunk and the line end after it.
        size => Position::Chunk(size.saturating_add(2)),
    })
}

impl Position {
    /// Advances by a part of `bytes`, which are not empty; returns the length of the part, and
    /// whether the head or chunk that ends there is refused.
    fn advance(&mut self, bytes: &[u8]) -> (usize, bool) {
        let (taken, next) = match self {
            Position::Head(head) => {
                let (taken, line) = head.line.take(bytes);
                let has_ended = line.is_some_and(|line| head.take_line(&line.bytes));
                (taken, has_ended.then(|| head.next_position()))
            }
            Position::ChunkSize(line) => {
                let (taken, line) = line.take(bytes);
                (
                    taken,
                    line.map(|line| position_after_size(&line.bytes).filter(|_| line.has_return)),
                )
            }
            Position::Trailer(line) => {
                let (taken, line) = line.take(bytes);
                let next = line.and_then(|line| match (line.has_return, line.bytes.is_empty()) {
                    // Among trailers the library requires a carriage return at the end of a line:
                    // it would read the rest differently.
                    (false, _) => Some(None),
                    (true, true) => {
                        Some((!line.has_blanks).then(|| Position::Head(Head::default())))
                    }
                    (true, false) => None,
                });
                (taken, next)
            }
            Position::Body(left) | Position::Chunk(left) => {
                let taken = usize::try_from(*left)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
                *left -= taken as u64;
                let next = if let Position::Chunk(0) = self {
                    Some(Some(Position::ChunkSize(Line::default())))
                } else if let Position::Body(0) = self {
                    Some(Some(Position::Head(Head::default())))
                } else {
                    None
                };
                (taken, next)
            }
            Position::Refused => (bytes.len(), None),
        };
        let is_refused = matches!(next, Some(None));
        if let Some(next) = next {
            *self = next.unwrap_or(Position::Refused);
        }
        (taken, is_refused)
    }
}

impl<S> Heads<S> {
    pub(crate) fn new(stream: S) -> Heads<S> {
        Heads {
            stream,
            position: Position::Head(Head::default()),
        }
    }

    /// Inspects bytes that were read, and makes the end of a refused head unreadable.
    fn inspect(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let (taken, is_refused) = self.position.advance(bytes);
            let (seen, rest) = bytes.split_at_mut(taken);
            if let Some(end) = seen.last_mut().filter(|_| is_refused) {
                *end = UNREADABLE;
            }
            bytes = rest;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.inspect(buffer.filled_mut().get_mut(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heads<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions of the bytes that are changed in requests read in parts of this size.
    fn changed(requests: &str, part: usize) -> Vec<usize> {
        let mut heads = Heads::new(());
        let mut bytes = requests.as_bytes().to_vec();
        bytes.chunks_mut(part).for_each(|part| heads.inspect(part));
        bytes
            .iter()
            .zip(requests.as_bytes())
            .enumerate()
            .filter(|(_, (new, old))| new != old)
            .map(|(at, _)| at)
            .collect()
    }

    const LENGTH: &str = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world";
    const NONE: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    const CHUNKS: &str = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nC\r\ncontent-leng\r\n0\r\nTrailer: 1\r\n\r\n";
    /// A body that looks like the head of a request with both lengths.
    const LOOKS: &str = "POST / HTTP/1.1\nContent-Length: 57\n\nPOST / HTTP/1.1\nContent-Length: 5\nTransfer-Encoding: x\n\n\n";

    /// Another reader may end such lines elsewhere.
    #[test]
    fn chunks_whose_lines_end_without_a_return_are_refused() {
        let begun = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        for (rest, refused) in [
            ("2\r\n{}\r\n0\r\n\nContent-Length: 100000\r\n\r\n", 10),
            ("2\r\n{}\r\n0\r\nX: y\n\nContent-Length: 100000\r\n\r\n", 14),
            ("2\r\n{}\r\n0\r\n \r\n\r\n", 12),
            ("2\n{}\r\n0\r\n\r\n", 1),
        ] {
            let all = [begun, rest].concat();
            for part in 1..all.len() {
                assert_eq!(
                    changed(&all, part),
                    [begun.len() + refused],
                    "{rest:?} in parts of {part}"
                );
            }
        }
    }

    #[test]
    fn requests_that_declare_one_length_pass() {
        let all = [
            LENGTH, NONE, CHUNKS, LOOKS, "\r\n\r\n", CHUNKS, LENGTH, LOOKS, NONE,
        ]
        .concat();
        for part in 1..all.len() {
            assert_eq!(
                changed(&all, part),
                Vec::<usize>::new(),
                "in parts of {part}"
            );
        }
    }

    #[test]
    fn a_request_that_declares_two_lengths_is_made_unreadable() {
        let one = "Transfer-Encoding: chunked\r\n";
        for (first, second) in [
            ("Content-Length: 5\r\n", one),
            (one, "Content-Length: 5\r\n"),
            (one, "cOnTeNt-LeNgTh:5\n"),
            (
                "Content-Length: 0\r\n",
                "X: y\r\ntransfer-encoding:\tchunked\r\n",
            ),
            (one, "Content-Length: nonsense\r\n"),
            (
                "Content-Length:                                                                   5\r\n",
                one,
            ),
            // A length that is longer than the kept part of its line.
            (
                "Content-Length: 00000000000000000000000000000000000000000000000000000000000000005\r\n",
                "\tx: y\r\n",
            ),
        ] {
            let both = format!("POST / HTTP/1.1\r\n{first}{second}\r\n");
            for before in ["", NONE, LENGTH, CHUNKS, LOOKS] {
                let all = [before, &both, "5\r\nhello\r\n0\r\n\r\n", LENGTH].concat();
                for part in 1..all.len() {
                    assert_eq!(
                        changed(&all, part),
                        [before.len() + both.len() - 1],
                        "{both} in parts of {part}"
                    );
                }
            }
        }
    }
}
