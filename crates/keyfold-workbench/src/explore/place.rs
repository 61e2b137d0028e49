//! The place whose data the page shows.

use super::activity::{Counters, UnderWay};
use super::fault::Fault;
use keyfold_client::Backend;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// A place with tables, as the command has opened it.
pub struct Place {
    /// Its tables.
    pub backend: Arc<Backend>,
    /// Its name for people, without credentials.
    pub shown: String,
    /// The address that requests are sent to; `None` for a folder, and for Amazon's own.
    pub url: Option<String>,
    /// The region, where it is known.
    pub region: Option<String>,
    /// Whether it is on this machine.
    pub is_here: bool,
    /// Whether the page may write to it.
    pub may_write: bool,
    /// Reads what is under way there.
    pub under_way: UnderWay,
    /// Reads the counters of the server that the place is, or is beside.
    pub counters: Counters,
}

impl Place {
    /// What the page may know of it.
    pub(crate) fn json(&self) -> Json {
        let Place {
            backend,
            shown,
            url,
            region,
            is_here,
            may_write,
            under_way: _,
            counters: _,
        } = self;
        json!({
            "shown": shown,
            "url": url,
            "region": region,
            "isHere": is_here,
            "mayWrite": may_write,
            "isFolder": url.is_none() && backend.is_embedded(),
        })
    }

    /// Refuses to write to a place beyond this machine unless somebody has agreed a second time.
    pub(super) fn consent(&self, is_sure: bool) -> Result<(), Fault> {
        match self.is_here || is_sure {
            true => Ok(()),
            false => Err(Fault::because(
                "the place is not on this machine: agree a second time".to_owned(),
            )),
        }
    }
}
