//! Carries calls out by our own client on an endpoint: lines of JSON on standard input, as
//! `docs/transcripts.md` says, and their results on standard output. The tests that compare clients on
//! the wire run it (`e2e/wire.py`).
//!
//!     calls MODEL URL

use keyfold_client::Backend;
use keyfold_prove::Calls;
use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let (Some(file), Some(url)) = (given.next(), given.next()) else {
        return Err("calls MODEL URL".into());
    };
    let sources = keyfold_model::files::read(Path::new(&file))?;
    let model = keyfold_model::compile_sources(&sources).model;
    let model = model.ok_or("the model has errors")?;
    let backend = Backend::endpoint(&url, "us-east-1", "local", "local")?;
    let calls = Calls::new(&model, &backend);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = serde_json::from_str(&line?)?;
        writeln!(out, "{}", calls.answer(&line))?;
        out.flush()?;
    }
    Ok(())
}
