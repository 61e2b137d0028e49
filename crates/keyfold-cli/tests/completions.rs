//! Tests the completions of a line: names of the model that it names.
#![allow(clippy::unwrap_used, reason = "tests")]

mod workplace;

use keyfold_model::RULES;
use workplace::Workplace;

/// The completions of the last word. Zsh passes complete words.
fn offered(place: &Workplace, words: &[&str]) -> Vec<String> {
    ask(place, "zsh", words, words.len())
}

fn ask(place: &Workplace, shell: &str, words: &[&str], at: usize) -> Vec<String> {
    let at = at.to_string();
    let line = [&["--", "keyfold"], words].concat();
    let variables = [
        ("KEYFOLD_COMPLETE", shell),
        ("_CLAP_COMPLETE_INDEX", &at),
        ("_CLAP_IFS", "\n"),
    ];
    let output = place.run_with(&variables, &line);
    assert!(
        output.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    // Zsh separates a candidate and its description with a colon.
    let text = String::from_utf8(output.stdout).unwrap();
    let candidates = text
        .lines()
        .map(|line| line.split(':').next().unwrap_or_default().to_owned());
    candidates.filter(|one| !one.starts_with('-')).collect()
}

#[test]
fn names_of_the_model_complete_a_line() {
    let place = Workplace::new();
    let shop = Workplace::model("shop.keyfold");
    let shop = shop.as_str();
    assert!(offered(&place, &["ru"]).contains(&"run".to_owned()));
    let names = offered(&place, &["run", shop, "orders"]);
    assert_eq!(names, ["orders_of_user", "orders_by_status"]);
    assert!(
        offered(&place, &["run", shop, ""]).contains(&"set_status".to_owned()),
        "writes too"
    );
    assert_eq!(
        offered(&place, &["run", shop, "recent_orders", ""]),
        ["userId=", "since="]
    );
    assert_eq!(
        offered(&place, &["run", shop, "recent_orders", "userId=1", ""]),
        ["since="]
    );
    let values = offered(&place, &["run", shop, "orders_by_status", "status="]);
    assert_eq!(values, ["status=pending", "status=paid", "status=shipped"]);
    assert_eq!(
        offered(&place, &["put", shop, ""]),
        ["User", "Order", "OrderItem", "Product"]
    );
    assert_eq!(offered(&place, &["--json", "put", shop, "P"]), ["Product"]);
    assert_eq!(offered(&place, &["put", shop, "Order", "st"]), ["status="]);
    assert_eq!(
        offered(&place, &["delete", shop, "OrderItem", ""]),
        ["orderId=", "itemId="]
    );
    let user = place.write("u.keyfold", "model u 1\ntable Tab (PK, SK)\nentity User\n  id: string, nick: string?, n: int\n  key \"U#{id}\" \"U\"\n  version n\n");
    assert_eq!(
        offered(&place, &["update", &user, "User", "--remove", ""]),
        ["nick"]
    );
    assert_eq!(
        offered(&place, &["put", &user, "User", ""]),
        ["id=", "nick="],
        "attributes that the model maintains are not offered"
    );
    let wrong = place.write("wrong.keyfold", "model");
    assert!(
        offered(&place, &["put", &wrong, ""]).is_empty(),
        "a model that does not compile offers nothing"
    );
    assert!(offered(&place, &["put", "nothing.keyfold", ""]).is_empty());
}

#[test]
fn views_and_rules_complete_a_line() {
    let place = Workplace::new();
    let file = place.write("v.keyfold", "model v 1\ntable Tab (PK, SK)\n  stream new and old images\nentity A\n  id: string, day: date\n  key \"A#{id}\" \"A\"\nview Days of A\n  key \"DAY#{day}\" \"DAY\"\n  n: count\npattern days(day) -> Days?\n");
    let views = offered(&place, &["views", "rebuild", &file, ""]);
    assert_eq!(views, ["Days"]);
    assert!(offered(&place, &["views", "rebuild", &file, "X"]).is_empty());
    let rules = offered(&place, &["explain", ""]);
    assert_eq!(rules.len(), RULES.len() + 1, "{rules:?}");
    assert_eq!(offered(&place, &["explain", "KF012"]), ["KF012"]);
    assert_eq!(offered(&place, &["explain", "kf012"]), ["KF012"]);
    assert_eq!(offered(&place, &["explain", "gr"]), ["grammar"]);
}

#[test]
fn names_of_the_project_complete_a_line_without_a_file() {
    let place = Workplace::new();
    place.json(0, &["init", "--name", "notes"]);
    let offered = |words: &[&str]| offered(&place, words);
    let first = offered(&["run", ""]);
    for name in ["notes_of_user", "finish", "notes.keyfold"] {
        assert!(first.contains(&name.to_owned()), "{name}: {first:?}");
    }
    assert_eq!(offered(&["run", "notes_of_user", ""]), ["userId="]);
    let named = offered(&["run", "notes.keyfold", "notes_of_user", ""]);
    assert_eq!(named, ["userId="]);
    assert_eq!(offered(&["--json", "put", "Us"]), ["User"]);
    let attributes = ["userId=", "email=", "name=", "createdAt="];
    assert_eq!(offered(&["put", "User", ""]), attributes);
    assert_eq!(offered(&["put", "User", "userId=1", "na"]), ["name="]);
    assert_eq!(offered(&["delete", "Note", ""]), ["userId=", "noteId="]);
    let values = offered(&["put", "Note", "userId=1", "done="]);
    assert_eq!(values, ["done=true", "done=false"]);
}

/// Bash sends the `=` as a word of its own, or omits it if the cursor is right behind it.
#[test]
fn values_are_completed_where_the_sign_is_a_word() {
    let place = Workplace::new();
    let shop = Workplace::model("shop.keyfold");
    let line = ["run", &shop, "orders_by_status", "status", "=", "pa"];
    assert_eq!(ask(&place, "bash", &line, 6), ["paid"]);
    let line = ["run", &shop, "orders_by_status", "status", ""];
    assert_eq!(
        ask(&place, "bash", &line, 5),
        ["pending", "paid", "shipped"]
    );
    let line = [
        "run",
        &shop,
        "recent_orders_by_status",
        "status",
        "=",
        "paid",
        "s",
    ];
    assert_eq!(ask(&place, "bash", &line, 7), ["since="]);
}

/// Bash loads the script, and completes a line as it splits it.
#[test]
fn bash_asks_the_command() {
    let place = Workplace::new();
    let shop = Workplace::model("shop.keyfold");
    let binary = env!("CARGO_BIN_EXE_keyfold");
    let script = format!(
        "PATH=$(dirname {binary}):$PATH\nsource <(keyfold completions bash) || exit 1\n\
         COMP_WORDS=(keyfold run {shop} orders_by) COMP_CWORD=3 COMP_TYPE=9\n\
         $(complete -p keyfold | sed 's/.*-F \\([^ ]*\\).*/\\1/') keyfold orders_by run 2> /dev/null\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = std::process::Command::new("bash")
        .args(["--norc", "-c", &script])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text.trim(),
        "orders_by_status",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(place.folder.path().exists());
}
