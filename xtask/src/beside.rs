//! Steps of `cargo xtask test` that run beside the others, each in a process of its own. Their output is
//! shown when they have ended, also when the others fail.

use crate::builds::BUILT;
use crate::install::target;
use crate::{say, why};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often it is said that steps are waited for, and how often it is looked whether they have ended.
const SAYS_EACH: Duration = Duration::from_secs(300);
const LOOKS_EACH: Duration = Duration::from_millis(200);

/// Running steps.
pub(crate) struct Steps {
    child: Child,
    /// The command of `cargo xtask` that they are.
    name: &'static str,
    /// What they print.
    log: PathBuf,
}

impl Steps {
    /// Starts the steps of a command, when everything is built; `random_models` is the test program that [`BUILT`] hands
    /// to them. With a `niceness` above 0 they take the processor time that others leave.
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
            .env(BUILT, random_models)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(|error| format!("cannot run nice: {error}"))?;
        Ok(Steps { child, name, log })
    }

    /// Waits for the steps, and shows what they printed.
    pub(crate) fn finish(mut self) -> Result<(), String> {
        let status = self.ended().map_err(|error| error.to_string())?;
        let printed = std::fs::read(&self.log).map_err(|error| error.to_string())?;
        say(String::from_utf8_lossy(&printed).trim_end());
        if status.success() {
            Ok(())
        } else {
            let printed = String::from_utf8_lossy(&printed);
            Err(format!("{}:\n{}", self.name, why::of(&printed)))
        }
    }

    /// Waits, and says now and then that the steps run.
    fn ended(&mut self) -> std::io::Result<ExitStatus> {
        let (began, mut said) = (Instant::now(), SAYS_EACH);
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if began.elapsed() > said {
                let (name, log) = (self.name, self.log.display());
                let minutes = said.as_secs() / 60;
                say(&format!(
                    "waiting for {name}: {minutes} min; it prints into {log}"
                ));
                said += SAYS_EACH;
            }
            std::thread::sleep(LOOKS_EACH);
        }
    }
}
