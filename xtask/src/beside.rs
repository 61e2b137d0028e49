//! Steps of `cargo xtask test` that run beside the others, each in a process of its own. Their output is
//! shown when they have ended, also when the others fail.

use crate::builds::IS_BUILT;
use crate::install::target;
use crate::{say, why};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Running steps.
pub(crate) struct Steps {
    child: Child,
    /// The command of `cargo xtask` that they are.
    name: &'static str,
    /// What they print.
    log: PathBuf,
}

impl Steps {
    /// Starts the steps of a command, for which everything is built, with the test that proves random models;
    /// `niceness` above 0 takes the processor time that others leave.
    pub(crate) fn start(
        root: &Path,
        (name, niceness): (&'static str, u8),
        random_models: &Path,
    ) -> Result<Steps, String> {
        let folder = target(root);
        let log = folder.join(format!("{name}.log"));
        let failed = |error: std::io::Error| format!("cannot write {}: {error}", log.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let output = File::create(&log).map_err(failed)?;
        let errors = output.try_clone().map_err(failed)?;
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let child = Command::new("nice")
            .args(["-n", &niceness.to_string()])
            .arg(this)
            .arg(name)
            .env(IS_BUILT, random_models)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("cannot run nice: {error}"))?;
        Ok(Steps { child, name, log })
    }

    /// Waits for the steps, and shows what they printed.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        let status = self.child.wait().map_err(|error| error.to_string())?;
        let printed = std::fs::read(&self.log).map_err(|error| error.to_string())?;
        say(String::from_utf8_lossy(&printed).trim_end());
        if status.success() {
            Ok(())
        } else {
            let printed = String::from_utf8_lossy(&printed);
            Err(format!("{}:\n{}", self.name, why::of(&printed)))
        }
    }
}
