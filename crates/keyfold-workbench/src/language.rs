//! The language server of a page: its messages over a WebSocket, one a text.

use futures_util::{SinkExt, StreamExt};
use keyfold_lsp::{Files, Next, Queue, Server, Wait, drive};
use lsp_server::Message as Letter;
use serde_json::Value as Json;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc as awaited;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// Makes the files that no page has open.
pub(crate) type MakeFiles = Arc<dyn Fn() -> Box<dyn Files> + Send + Sync>;

/// How long the server waits for another change before it computes findings. A page sends the changes
/// of one keystroke without pauses.
const PAUSE: Duration = Duration::from_millis(4);

/// The longest message of a page: a model of this size is beyond all limits of the language.
const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Carries the messages of a page until it has gone.
pub(crate) async fn carry(stream: impl AsyncRead + AsyncWrite + Unpin, files: MakeFiles) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    let (mut sink, mut source) = socket.split();
    let (to_server, from_page) = mpsc::channel::<Letter>();
    let (to_page, mut from_server) = awaited::unbounded_channel::<String>();
    let serve = move || {
        let mut server = Server::new(files());
        // How it ended is of no interest: the page has gone.
        let _exit = drive(&mut server, &mut Socket { from_page, to_page });
    };
    let thread = std::thread::Builder::new().name("language server".to_owned());
    if let Err(error) = thread.spawn(serve) {
        tracing::error!("cannot start a thread: {error}");
        return;
    }
    loop {
        tokio::select! {
            answer = from_server.recv() => {
                let Some(answer) = answer else { break };
                if sink.send(Message::text(answer)).await.is_err() {
                    break;
                }
            }
            message = source.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    // What is no message of the protocol is left out, as editors' noise is.
                    if let Ok(letter) = serde_json::from_str::<Letter>(&text)
                        && to_server.send(letter).is_err()
                    {
                        break;
                    }
                }
                Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            }
        }
    }
}

/// The messages of a page, as the loop of the language server wants them.
struct Socket {
    from_page: mpsc::Receiver<Letter>,
    to_page: awaited::UnboundedSender<String>,
}

impl Queue for Socket {
    fn next(&mut self, wait: Wait) -> Next {
        match wait {
            Wait::Always => self.from_page.recv().map_or(Next::Closed, Next::Message),
            Wait::Moment => match self.from_page.recv_timeout(PAUSE) {
                Ok(letter) => Next::Message(letter),
                Err(RecvTimeoutError::Timeout) => Next::Quiet,
                Err(RecvTimeoutError::Disconnected) => Next::Closed,
            },
        }
    }

    fn send(&mut self, message: Letter) -> bool {
        let Ok(Json::Object(mut fields)) = serde_json::to_value(message) else {
            return true;
        };
        fields.insert("jsonrpc".to_owned(), Json::from("2.0"));
        self.to_page.send(Json::Object(fields).to_string()).is_ok()
    }
}
