//! Receiving a request's body: bounded in size, time and memory, and decompressed.

use crate::answer_size;
use crate::budget::Reservation;
use crate::refusal::Refusal;
use crate::service::Service;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use keyfold_api::ApiError;
use std::io::Read;
use std::time::{Duration, Instant};

/// Bytes a second that a body must arrive with in the long run.
const RECEIVED_A_SECOND_MIN: u32 = 32 * 1024;

/// Bytes of a compressed body that are unpacked between two reservations of memory.
const UNPACKED_AT_ONCE: u64 = 64 * 1024;

/// A body as it was sent, which its signature covers, and without compression. It keeps its memory
/// reserved until the request is answered.
pub(crate) struct ReceivedBody {
    pub(crate) sent: Bytes,
    pub(crate) plain: Bytes,
    _reservation: Reservation,
}

/// Receives a body.
pub(crate) async fn receive(
    service: &Service,
    headers: &HeaderMap,
    body: Incoming,
) -> Result<ReceivedBody, Refusal> {
    let is_gzip = is_gzip(headers)?;
    let declared = declared_bytes(headers);
    // A declared length above the limit is refused before anything is read.
    if declared.is_some_and(|bytes| bytes > service.config.body_bytes_max) {
        return Err(Refusal::TooLarge);
    }
    let mut reservation = Reservation::default();
    let sent = read(service, body, declared, &mut reservation).await?;
    let (plain, packed_bytes) = if is_gzip {
        let plain = unpack(service, &sent, &mut reservation).await?;
        (plain, sent.len())
    } else {
        (sent.clone(), 0)
    };
    let decoded = plain.len() + answer_size::values_bytes(&plain);
    service
        .received
        .fit(&mut reservation, packed_bytes + decoded)
        .await?;
    Ok(ReceivedBody {
        sent,
        plain,
        _reservation: reservation,
    })
}

/// Whether a body is compressed.
fn is_gzip(headers: &HeaderMap) -> Result<bool, Refusal> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let (first, second) = (codings.next(), codings.next());
    let word = |coding: &HeaderValue| {
        coding
            .to_str()
            .map_or_else(|_| "?".to_owned(), str::to_ascii_lowercase)
    };
    match (first.map(word).as_deref().map(str::trim), second) {
        (None | Some("" | "identity"), None) => Ok(false),
        (Some("gzip" | "x-gzip"), None) => Ok(true),
        _ => Err(Refusal::Coding),
    }
}

/// The length that the headers declare.
fn declared_bytes(headers: &HeaderMap) -> Option<usize> {
    let length = headers.get(header::CONTENT_LENGTH)?.to_str().ok()?;
    length.parse().ok()
}

/// Reads the frames of a body, each with its memory reserved.
async fn read(
    service: &Service,
    mut body: Incoming,
    declared: Option<usize>,
    reservation: &mut Reservation,
) -> Result<Bytes, Refusal> {
    let mut pace = Pace::new(service.config.receive_timeout);
    let mut buffer = BodyBuffer::default();
    while !body.is_end_stream() {
        // Bytes that have arrived are taken without a timer.
        let frame = tokio::select! {
            biased;
            frame = body.frame() => frame,
            () = pace.is_exceeded(buffer.len()) => return Err(Refusal::TooSlow),
        };
        let frame = match frame {
            Some(Err(_cut)) => return Err(Refusal::Cut),
            None => break,
            Some(Ok(frame)) => frame,
        };
        let Ok(part) = frame.into_data() else {
            continue;
        };
        let length = buffer.len() + part.len();
        if length > service.config.body_bytes_max {
            return Err(Refusal::TooLarge);
        }
        service.received.fit(reservation, length).await?;
        buffer.push(part, declared.unwrap_or(0));
    }
    Ok(buffer.into_bytes())
}

/// The time limit of a body: a pause is limited, and so is the time of all bytes together.
struct Pace {
    timeout: Duration,
    /// The start of the first wait for bytes.
    waiting_since: Option<Instant>,
}

impl Pace {
    fn new(timeout: Duration) -> Pace {
        Pace {
            timeout,
            waiting_since: None,
        }
    }

    /// Returns when a body of which so many bytes have arrived is too slow.
    async fn is_exceeded(&mut self, length: usize) {
        let since = self.waiting_since.get_or_insert_with(Instant::now);
        let allowed = self.timeout + Duration::from_secs(1) * length as u32 / RECEIVED_A_SECOND_MIN;
        let left = allowed.saturating_sub(since.elapsed()).min(self.timeout);
        tokio::time::sleep(left).await;
    }
}

/// The parts of a body. Most bodies come in one part, which is not copied.
#[derive(Default)]
struct BodyBuffer {
    /// The only part so far.
    single: Bytes,
    /// All parts, when there are several.
    joined: Vec<u8>,
}

impl BodyBuffer {
    fn len(&self) -> usize {
        self.single.len() + self.joined.len()
    }

    /// Appends a part of a body that declares so many bytes.
    fn push(&mut self, part: Bytes, declared: usize) {
        let length = self.len();
        if length == 0 {
            self.single = part;
            return;
        }
        if self.joined.is_empty() {
            self.joined.reserve(declared.min(2 * (length + part.len())));
            self.joined
                .extend_from_slice(&std::mem::take(&mut self.single));
        }
        self.joined.extend_from_slice(&part);
    }

    fn into_bytes(self) -> Bytes {
        if self.joined.is_empty() {
            self.single
        } else {
            Bytes::from(self.joined)
        }
    }
}

/// Decompresses a body, with its memory reserved piece by piece.
async fn unpack(
    service: &Service,
    sent: &Bytes,
    reservation: &mut Reservation,
) -> Result<Bytes, Refusal> {
    let mut plain = Vec::new();
    let mut unpacked = GzDecoder::new(sent.as_ref());
    loop {
        let before = plain.len();
        match unpacked
            .by_ref()
            .take(UNPACKED_AT_ONCE)
            .read_to_end(&mut plain)
        {
            Ok(_) if plain.len() == before => break,
            Ok(_) if plain.len() > service.config.body_bytes_max => return Err(Refusal::TooLarge),
            Ok(_) => {
                let bytes = sent.len() + plain.len();
                service.received.fit(reservation, bytes).await?;
            }
            Err(_) => {
                let reason = "The body is not valid gzip".to_owned();
                return Err(ApiError::Serialization(Some(reason)).into());
            }
        }
    }
    Ok(plain.into())
}
