//! The workbench: a page in the browser to design tables and to explore their data, served on this machine only.
//!
//! ```text
//! GET /?token=..   gate   the cookie of this page; the token is used up
//! GET /, /app.js   pages  the page, embedded in the binary
//! GET /language    language   a WebSocket: the messages of the language server
//! GET /files, POST /save   files  the models that the command was given, and no others
//! POST /prove, GET /proof  proof  the proof by execution of a model as it is edited
//! GET /learn       learn  designs to learn from, and the rules
//! POST /explore/..       explore  the data of a place, through a model
//! ```
//!
//! With the query `?sample=NAME` a request is about a design to learn from, in a place of its own.
//!
//! Each request passes [`gate`], which knows the page by its cookie, and refuses other names of this
//! machine (`Host`) and other pages (`Origin`). The page may load nothing from elsewhere: its policy
//! is `default-src 'self'`. The assets come from `web/`: `cargo xtask web` builds them.

mod assets;
mod explore;
mod files;
mod gate;
mod language;
mod learn;
mod pages;
mod proof;
mod server;
mod shared;

pub use explore::{Activity, Counters, Known, Opened, Place, UnderWay, View, Work};
pub use learn::{OpenSample, Sample, Samples};
pub use proof::{ProofStep, Prove};
pub use server::{Options, Workbench};
