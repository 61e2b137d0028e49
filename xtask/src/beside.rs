//! `cargo xtask beside`: the steps of `cargo xtask test` that run beside the others, in a process of
//! their own that takes what processor time the others leave. Their output is shown when they have
//! ended, also when the others fail.

use crate::install::target;
use crate::say;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The running steps.
pub(crate) struct Steps {
    child: Child,
    /// What they print.
    log: PathBuf,
}

impl Steps {
    /// Starts the steps.
    pub(crate) fn start(root: &Path) -> Result<Steps, String> {
        let folder = target(root);
        let log = folder.join("beside.log");
        let failed = |error: std::io::Error| format!("cannot write {}: {error}", log.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let output = File::create(&log).map_err(failed)?;
        let errors = output.try_clone().map_err(failed)?;
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let child = Command::new("nice")
            .args(["-n", "10"])
            .arg(this)
            .arg("beside")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("cannot run nice: {error}"))?;
        Ok(Steps { child, log })
    }

    /// Waits for the steps, and shows what they printed.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let printed = std::fs::read(&self.log).map_err(|error| error.to_string())?;
        say(String::from_utf8_lossy(&printed).trim_end());
        if status.success() {
            Ok(())
        } else {
            Err("a step beside the others failed".to_owned())
        }
    }
}
