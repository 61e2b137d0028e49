//! `keyfold check --watch` follows the files of a model, also where an editor replaces them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use workplace::Workplace;

const ROOT: &str = "\
model m 1
owner platform
use \"users.keyfold\"
shared table Tab (PK, SK)
";
const USERS: &str = "\
owner users
entity User
  id: string
  key \"USER#{id}\" \"USER\"
pattern user(id) -> User?
";

/// The command, and the lines that it prints. Which of two streams is read first is left to chance, so
/// each has lines of its own.
struct Watching {
    child: Child,
    answers: Receiver<String>,
    errors: Receiver<String>,
}

impl Watching {
    fn start(place: &Workplace, arguments: &[&str]) -> Watching {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let answers = lines(child.stdout.take().unwrap());
        let errors = lines(child.stderr.take().unwrap());
        Watching {
            child,
            answers,
            errors,
        }
    }

    /// Waits for a line with a text on standard output.
    fn expect(&self, text: &str) {
        wait_for(&self.answers, text);
    }

    /// Waits for a line with a text on standard error.
    fn expect_error(&self, text: &str) {
        wait_for(&self.errors, text);
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.for_each(|line| drop(send.send(line)));
    });
    lines
}

fn wait_for(lines: &Receiver<String>, text: &str) {
    let mut seen = Vec::new();
    loop {
        let line = lines.recv_timeout(Duration::from_secs(60));
        let line = line.unwrap_or_else(|_| panic!("no `{text}` in {seen:#?}"));
        if line.contains(text) {
            return;
        }
        seen.push(line);
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_model_is_checked_again_when_one_of_its_files_changes() {
    let place = Workplace::new();
    place.write("m.keyfold", ROOT);
    place.write("users.keyfold", USERS);
    let mut watching = Watching::start(&place, &["check", "--watch", "m.keyfold"]);
    watching.expect("1 entity, 1 pattern:");
    watching.expect("following 2 files");

    // Written in place, with a mistake, which is no end.
    place.write("users.keyfold", &USERS.replace("-> User?", "-> Usr?"));
    watching.expect_error("there is no entity `Usr`");
    watching.expect("following 2 files");

    // As an editor saves: the file goes, and another is moved to its name.
    std::fs::remove_file(place.folder.path().join("users.keyfold")).unwrap();
    std::thread::sleep(Duration::from_millis(400));
    let two = format!("{USERS}pattern users(id[]) -> User[]\n");
    place.write("users.new", &two);
    std::fs::rename(
        place.folder.path().join("users.new"),
        place.folder.path().join("users.keyfold"),
    )
    .unwrap();
    watching.expect("1 entity, 2 patterns:");
    watching.expect("following 2 files");

    // A file that comes to the model is followed, too.
    place.write("more.keyfold", "owner more\n");
    place.write(
        "m.keyfold",
        &ROOT.replace("shared", "use \"more.keyfold\"\nshared"),
    );
    watching.expect("following 3 files");
    let log = "owner more\nentity Log\n  n: int\n  key \"LOG\" \"{n:04}\"\n";
    place.write("more.keyfold", log);
    watching.expect("2 entities, 2 patterns:");

    // It ends with a signal only. That of ctrl-c is ignored where a shell runs the tests in the
    // background.
    watching.expect("following 3 files");
    assert_eq!(watching.child.try_wait().unwrap(), None);
    let id = watching.child.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
    assert!(sent.success());
    assert_eq!(watching.child.wait().unwrap().code(), None);
}

#[test]
fn a_file_that_is_named_before_it_is_there_is_followed() {
    let place = Workplace::new();
    place.write("m.keyfold", ROOT);
    let watching = Watching::start(&place, &["check", "--watch", "m.keyfold"]);
    watching.expect_error("users.keyfold");
    watching.expect("following 1 file");
    place.write("users.keyfold", USERS);
    watching.expect("1 entity, 1 pattern:");
}

#[test]
fn what_a_project_names_and_a_project_itself_are_followed_when_they_come() {
    let place = Workplace::new();
    place.write("users.keyfold", USERS);
    place.write("m.keyfold", ROOT);
    let generate = [
        "generate",
        "typescript",
        "m.keyfold",
        "-o",
        "made.ts",
        "--watch",
    ];
    let watching = Watching::start(&place, &generate);
    watching.expect("following 2 files");
    place.write("keyfold.toml", "model = \"m.keyfold\"\n");
    watching.expect("following 3 files");
    drop(watching);

    let output = "[outputs]\ntypescript = \"made.ts\"\n";
    place.write("keyfold.toml", &format!("model = \"m.keyfold\"\n{output}"));
    let watching = Watching::start(&place, &["generate", "--watch"]);
    watching.expect("following 3 files");
    place.write(
        "keyfold.toml",
        &format!("model = \"late.keyfold\"\n{output}"),
    );
    watching.expect_error("late.keyfold");
    watching.expect("following 3 files");
    place.write("late.keyfold", &ROOT.replace("model m", "model late"));
    watching.expect("made.ts");
}
