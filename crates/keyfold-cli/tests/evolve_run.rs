//! `keyfold evolve run` and its neighbours on a data folder and on a server: the gates with their exit code, the
//! dry run, a kill, and the end.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod workplace;

use serde_json::Value as Json;
use workplace::Workplace;
use workplace::server::Server;

const OLD: &str = r#"model people 1
table People (PK, SK)

entity User
  userId: string, name: string, town: string
  key "USER#{userId}" "PROFILE"

pattern user(userId) -> User?
"#;

const AT: [&str; 2] = ["--at", "keyfold:.keyfold/data"];

/// A folder with some users, and two models.
fn place(new: &str) -> Workplace {
    let place = Workplace::new();
    place.write("old.keyfold", OLD);
    place.write("new.keyfold", new);
    place.write("keyfold.toml", "model = \"old.keyfold\"\n");
    for number in 0..5 {
        let id = format!("userId={number}");
        let town = format!("town={}", ["Ulm", "Bonn"][number % 2]);
        place.json(0, &["put", "User", &id, "name=Ada", &town]);
    }
    place
}

fn with_copies() -> String {
    OLD.replace(
        "\npattern",
        "  copy by_town \"TOWN#{town}\" \"USER#{userId}\"\n\npattern users_in(town) -> User.by_town[]\npattern",
    )
}

/// Runs `keyfold evolve`, and returns its document.
fn evolve(place: &Workplace, code: i32, word: &str, at: &[&str], more: &[&str]) -> Json {
    let all = [&["evolve", word, "old.keyfold", "new.keyfold"], at, more].concat();
    place.json(code, &all)
}

#[test]
fn copies_are_added_while_old_readers_run() {
    let place = place(&with_copies());
    let dry = evolve(&place, 0, "run", &AT, &["--dry-run"]);
    assert_eq!(dry["dryRun"]["writes"], 5, "{dry}");
    assert_eq!(evolve(&place, 0, "status", &AT, &[])["state"], "not_begun");
    let gate = evolve(&place, 7, "run", &AT, &[]);
    assert_eq!(gate["result"]["gate"]["step"], "writers", "{gate}");
    assert_eq!(gate["error"]["kind"], "waiting");
    let status = evolve(&place, 0, "status", &AT, &[]);
    assert_eq!(status["mayRun"], "old readers, new writers", "{status}");
    // A word that there is not: the error names those that there are.
    let unknown = evolve(&place, 2, "run", &AT, &["--done", "stopp"]);
    let message = unknown["error"]["message"].as_str().unwrap();
    for word in [
        "deploy", "readers", "writers", "halt", "stop", "start", "views", "verify",
    ] {
        assert!(message.contains(word), "{word}: {message}");
    }
    // Another word is none of this gate, and changes nothing.
    let said = |document: Json| document["error"]["message"].as_str().unwrap().to_owned();
    let other = said(evolve(&place, 1, "run", &AT, &["--done", "start"]));
    assert!(
        other.contains("it stands at phase 1, `writers`;"),
        "{other}"
    );
    assert_eq!(evolve(&place, 0, "status", &AT, &[])["state"], "gate");
    assert_eq!(evolve(&place, 0, "pause", &AT, &[])["state"], "paused");
    let gate = evolve(&place, 7, "run", &AT, &["--yes"]);
    assert_eq!(gate["result"]["gate"]["step"], "readers", "{gate}");
    let ready = evolve(&place, 0, "run", &AT, &["--done", "readers"]);
    assert_eq!(ready["state"], "ready", "{ready}");
    let status = evolve(&place, 0, "status", &AT, &[]);
    let may_run = "old readers, new readers, new writers";
    assert_eq!(
        (&status["state"], &status["mayRun"]),
        (&"ready".into(), &may_run.into()),
        "{status}"
    );
    let other = said(evolve(&place, 1, "run", &AT, &["--done", "start"]));
    assert!(
        other.contains("only `keyfold evolve complete` is left"),
        "{other}"
    );
    evolve(&place, 1, "complete", &AT, &[]);
    let done = evolve(&place, 0, "complete", &AT, &["--yes"]);
    assert_eq!(done["state"], "completed", "{done}");
    place.json(0, &["verify", "new.keyfold"]);
    let found = place.json(0, &["run", "new.keyfold", "users_in", "town=Ulm"]);
    assert_eq!(found["items"].as_array().unwrap().len(), 3, "{found}");
    evolve(&place, 4, "complete", &AT, &["--yes"]);
}

#[test]
fn items_move_at_a_server_and_are_not_given_up() {
    let place = place(&OLD.replace("USER#", "U#"));
    let model = place.folder.path().join("old.keyfold");
    let server = Server::start(&[model.to_str().unwrap()]);
    for id in ["userId=1", "userId=2"] {
        let user = ["put", "User", id, "name=Ada", "town=Ulm"];
        place.json(0, &[&user[..], &["--endpoint", &server.endpoint]].concat());
    }
    let at = ["--at", server.endpoint.as_str()];
    let gate = evolve(&place, 7, "run", &at, &[]);
    assert_eq!(gate["result"]["gate"]["step"], "stop", "{gate}");
    let gate = evolve(
        &place,
        7,
        "run",
        &at,
        &["--done", "stop", "--rate", "1000", "--segments", "2"],
    );
    assert_eq!(gate["result"]["gate"]["step"], "start", "{gate}");
    let refused = evolve(&place, 1, "abort", &at, &["--yes"]);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("form"),
        "{refused}"
    );
    evolve(&place, 0, "run", &at, &["--yes"]);
    evolve(&place, 0, "complete", &at, &["--yes"]);
    place.json(
        0,
        &["verify", "new.keyfold", "--endpoint", &server.endpoint],
    );
}

/// A page that loads nothing, and of whose texts none is a tag.
fn page(place: &Workplace, name: &str) -> String {
    let page = std::fs::read_to_string(place.folder.path().join(name)).unwrap();
    for loads in [
        "src=", "href=", "http:", "https:", "url(", "@import", "<script",
    ] {
        assert!(!page.contains(loads), "{loads}: {page}");
    }
    page
}

/// At a low rate a run takes some seconds: a program hears how far it is, and the page names the phases.
#[test]
fn a_run_tells_how_far_it_is_and_writes_a_page_about_it() {
    let place = place(&with_copies());
    evolve(&place, 7, "run", &AT, &[]);
    let slowly = [
        "--done", "writers", "--rate", "8", "--report", "r.html", "--json",
    ];
    let words = ["evolve", "run", "old.keyfold", "new.keyfold"];
    let output = place.run(&[&words[..], &AT, &slowly].concat());
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    let out = String::from_utf8(output.stdout).unwrap();
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Json> = lines.collect();
    let (document, events) = lines.split_last().unwrap();
    assert_eq!(document["result"]["counted"]["changed"], 5, "{document}");
    assert!(events.iter().all(|one| one["event"] == "progress"), "{out}");
    // Five users with a copy each, which take four units: twenty at eight a second.
    let counts = |one: &Json| {
        let number = |name: &str| one["counted"][name].as_f64();
        (number("changed"), number("writes"), number("writeUnits"))
    };
    let is_between = |one: &&Json| {
        one["counted"]["phase"] == "backfill"
            && one["seconds"].as_u64() > Some(0)
            && counts(one)
                .0
                .is_some_and(|changed| (1.0..=5.0).contains(&changed))
            && counts(one).1 == counts(one).0
            && counts(one).2 > counts(one).0
    };
    assert!(events.iter().any(|one| is_between(&one)), "{out}");
    let page = page(&place, "r.html");
    for part in [
        "<h1>Evolution of people</h1>",
        "It stands at phase 4, readers.",
        "<td>1</td><td>writers</td>",
        "<td>2</td><td>backfill</td>",
        "<td>3</td><td>verify</td>",
        "<td>4</td><td>readers</td>",
        "write the copies and guards of each User",
        "<td>done</td>",
        "<td>here</td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// The values of items are texts of the page, whatever they hold.
#[test]
fn keys_in_the_page_are_texts() {
    let place = place(&OLD.replace("  key", "  unique town\n  key"));
    for number in 1..3 {
        let id = format!("userId=<script>alert({number})</script>&\"x\"");
        place.json(0, &["put", "User", &id, "name=Ada", "town=<b>Wels"]);
    }
    evolve(&place, 1, "run", &AT, &["--report", "r.html"]);
    let page = page(&place, "r.html");
    for part in ["7 problems stand in the way", "In the way"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for number in 1..3 {
        let key = format!("USER#&lt;script&gt;alert({number})&lt;/script&gt;&amp;");
        assert!(page.contains(&key), "{key}: {page}");
    }
    assert!(!page.contains("<b>Wels"), "{page}");
}

#[test]
fn what_stands_in_the_way_is_named_and_nothing_is_written() {
    let place = place(&OLD.replace("  key", "  unique town\n  key"));
    let problems = evolve(&place, 1, "run", &AT, &[]);
    assert_eq!(problems["result"]["dryRun"]["problems"], 5, "{problems}");
    assert_eq!(evolve(&place, 0, "status", &AT, &[])["state"], "not_begun");
    place.json(0, &["verify", "old.keyfold"]);
}

#[test]
fn a_change_that_is_not_carried_out_is_refused_at_once() {
    let place = place(&OLD.replace("name: string, town: string", "town: string? was name"));
    place.write("old.keyfold", &OLD.replace("name: string", "name: string?"));
    let refused = evolve(&place, 1, "run", &AT, &[]);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("a version of its own"),
        "{refused}"
    );
}

/// A count is computed between two gates, at which the writers of one version stop and those of the other
/// start.
#[test]
fn a_count_is_computed_while_the_writers_stand_still() {
    let notes = format!(
        "{OLD}\nentity Note\n  userId: User.userId, noteId: string\n  key \"USER#{{userId}}\" \"NOTE#{{noteId}}\"\n\npattern notes(userId) -> Note[] page 20\n"
    );
    let place = place(&notes.replace(
        "  key \"USER#{userId}\" \"PROFILE\"",
        "  key \"USER#{userId}\" \"PROFILE\"\n  count notes of Note",
    ));
    place.write("old.keyfold", &notes);
    for id in ["a", "b", "c"] {
        place.json(0, &["put", "Note", "userId=1", &format!("noteId={id}")]);
    }
    let gate = evolve(&place, 7, "run", &AT, &[]);
    assert_eq!(gate["result"]["gate"]["step"], "halt", "{gate}");
    assert_eq!(gate["result"]["gate"]["mayRun"], "old readers", "{gate}");
    let reported = ["--done", "halt", "--report", "report.md"];
    let gate = evolve(&place, 7, "run", &AT, &reported);
    assert_eq!(gate["result"]["gate"]["step"], "writers", "{gate}");
    let report = std::fs::read_to_string(place.folder.path().join("report.md")).unwrap();
    for part in [
        "stands at phase 3, writers",
        "| 2 | compute |",
        "| done |",
        "count notes added",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    evolve(&place, 2, "run", &AT, &["--report", "report.txt"]);
    let gate = evolve(&place, 7, "run", &AT, &["--yes"]);
    assert_eq!(gate["result"]["gate"]["step"], "readers", "{gate}");
    evolve(&place, 0, "run", &AT, &["--yes"]);
    evolve(&place, 0, "complete", &AT, &["--yes"]);
    place.json(0, &["verify", "new.keyfold"]);
    let found = place.json(0, &["run", "new.keyfold", "user", "userId=1"]);
    assert!(found.to_string().contains("\"notes\":3"), "{found}");
}

/// The table has items of another model alone: whether that is meant, only people know.
#[test]
fn a_table_of_another_model_is_shared_when_the_command_says_so() {
    let place = Workplace::new();
    place.write("old.keyfold", OLD);
    place.write("new.keyfold", &with_copies());
    let other = "model dogs 1\ntable People (PK, SK)\nentity Dog\n  dogId: string\n  key \"DOG#{dogId}\" \"D\"\n";
    place.write("other.keyfold", other);
    let dog = ["put", "other.keyfold", "Dog", "dogId=1", "--data"];
    place.json(0, &[&dog[..], &[".keyfold/data"]].concat());
    for more in [&["--dry-run"][..], &[]] {
        let refused = evolve(&place, 1, "run", &AT, more);
        let said = refused["error"]["message"].as_str().unwrap();
        assert!(said.contains("`--shared` begins all the same"), "{said}");
    }
    assert_eq!(evolve(&place, 0, "status", &AT, &[])["state"], "not_begun");
    let dry = evolve(&place, 0, "run", &AT, &["--dry-run", "--shared"]);
    assert_eq!(dry["dryRun"]["writes"], 0, "{dry}");
    let gate = evolve(&place, 7, "run", &AT, &["--shared"]);
    assert_eq!(gate["result"]["gate"]["step"], "writers", "{gate}");
}
