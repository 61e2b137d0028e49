//! Projects: `init`, `generate`, and commands that take the model and the connection of `keyfold.toml`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod workplace;

use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use workplace::Workplace;

fn read(place: &Workplace, name: &str) -> String {
    std::fs::read_to_string(place.folder.path().join(name)).unwrap()
}

/// A folder in which a project has been started.
fn project() -> Workplace {
    let place = Workplace::new();
    let made = place.json(0, &["init", "--name", "notes"]);
    assert_eq!(
        made["files"],
        json!(["notes.keyfold", "keyfold.toml", "src/notes.ts"])
    );
    place
}

/// Runs a command in a folder below the project's.
fn below(place: &Workplace, arguments: &[&str]) -> Json {
    let folder = place.folder.path().join("src");
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(&folder)
        .args(arguments)
        .arg("--json")
        .env_remove("AWS_ENDPOINT_URL")
        .env_remove("AWS_ENDPOINT_URL_DYNAMODB")
        .output()
        .unwrap();
    assert!(!folder.join(".keyfold").exists(), "{arguments:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

const USER: &str = "userId=01HM5Z2V4XA7B8C9D0E1F2G3H4";

#[test]
fn a_new_project_needs_no_file_and_no_endpoint() {
    let place = project();
    place.text(&["check", "--strict"]);
    place.text(&["fmt", "--check"]);
    place.text(&["generate", "--check"]);
    place.text(&["docs"]);
    place.text(&["export", "terraform"]);
    assert_eq!(place.json(0, &["plan"])["plan"]["model"]["name"], "notes");
    place.text(&["prove", "--items", "5", "--asks", "2"]);
    place.json(0, &["put", "User", USER, "email=a@b.c", "name=Ada"]);
    place.json(0, &["update", "User", USER, "name=Grace"]);
    let found = place.json(0, &["run", "user_by_email", "email=a@b.c"]);
    assert_eq!(found["items"][0]["attributes"]["name"], "Grace", "{found}");
    let named = place.json(0, &["run", "notes.keyfold", "user", USER]);
    assert_eq!(named["items"], found["items"]);
    place.json(0, &["verify"]);
    place.json(0, &["doctor"]);
    place.json(0, &["delete", "User", USER]);
}

#[test]
fn a_run_of_nothing_says_what_there_is_to_run() {
    let place = project();
    for line in [&["run"][..], &["run", "notes.keyfold"]] {
        let refused = place.json(2, line);
        let said = refused["error"]["message"].as_str().unwrap();
        assert!(
            said.starts_with("which pattern") && said.contains("notes.keyfold"),
            "{said}"
        );
        assert!(said.contains("\n  user_by_email email=…"), "{said}");
    }
    let refused = Workplace::new().json(2, &["run"]);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.starts_with("which model?"), "{said}");
}

#[test]
fn folders_below_have_the_model_and_the_data_of_their_project() {
    let place = project();
    place.json(0, &["put", "User", USER, "email=a@b.c", "name=Ada"]);
    let found = below(&place, &["run", "user_by_email", "email=a@b.c"]);
    let items = &found["result"]["items"];
    assert_eq!(items[0]["attributes"]["name"], "Ada", "{found}");
    for line in [&["verify"][..], &["doctor"], &["backup", "copy"]] {
        assert_eq!(below(&place, line)["ok"], true, "{line:?}");
    }
    let found = below(&place, &["put", "Usr", USER]);
    let message = found["error"]["message"].as_str().unwrap();
    assert!(message.contains("did you mean `User`"), "{message}");
}

#[test]
fn a_model_is_formatted_and_compared_with_all_its_files() {
    let place = project();
    let model = read(&place, "notes.keyfold");
    place.write("old.keyfold", &model);
    place.write(
        "more.keyfold",
        "owner more\npattern  again(userId) -> User?\n",
    );
    let start = "model notes 1\nowner notes\nuse \"more.keyfold\"\n";
    let model = model.replace("model notes 1\n", start);
    let model = model.replace("\nentity User", "\nshared entity User");
    place.write("notes.keyfold", &model);
    let formatted = place.json(0, &["fmt"]);
    let files = formatted["changed"].as_array().unwrap();
    let has = |name: &str| {
        files
            .iter()
            .any(|file| file.as_str().unwrap().ends_with(name))
    };
    assert!(has("more.keyfold"), "{formatted}");
    place.json(0, &["fmt", "--check"]);
    let changes = place.json(0, &["diff", "old.keyfold"]);
    let mut changes = changes["changes"].as_array().unwrap().iter();
    assert!(changes.any(|change| change["what"] == "pattern again"));
}

#[test]
fn init_overwrites_nothing() {
    let place = project();
    place.write("notes.keyfold", "mine");
    let refused = place.json(2, &["init", "--name", "notes"]);
    assert_eq!(
        refused["error"]["where"],
        json!({ "file": "./keyfold.toml" })
    );
    assert_eq!(read(&place, "notes.keyfold"), "mine");
    place.json(2, &["init", "other", "--name", "no name"]);
    assert!(!place.folder.path().join("other").exists());
    // Without a project the file is the model, which has errors.
    let place = Workplace::new();
    place.write("notes.keyfold", "mine");
    place.json(3, &["init", "--name", "notes"]);
    place.write("src/fresh.ts", "mine");
    let refused = place.json(2, &["init", "--name", "fresh"]);
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("--typescript"), "{message}");
    assert_eq!(names(&place), ["notes.keyfold", "src"]);
    assert_eq!(read(&place, "src/fresh.ts"), "mine");
}

/// The names in a folder.
fn names(place: &Workplace) -> Vec<String> {
    names_in(place, ".")
}

/// A model that is in the folder is the project's; it stays as it is.
#[test]
fn init_uses_the_model_that_is_there() {
    let own = "# Ours.\n\nmodel shop 1\nowner shop\nuse \"parts.keyfold\"\n\nshared table Shop (PK, SK)\n\npattern thing(thingId) -> Thing?\n";
    let part = "owner parts\n\nshared entity Thing\n  thingId: string\n  key  \"THING#{thingId}\"  \"THING\"\n";
    let place = Workplace::new();
    place.write("mine.keyfold", own);
    place.write("parts.keyfold", part);
    let made = place.json(0, &["init"]);
    assert_eq!(made["files"], json!(["keyfold.toml", "src/shop.ts"]));
    assert_eq!(made["model"], "mine.keyfold");
    assert_eq!(read(&place, "mine.keyfold"), own);
    assert!(read(&place, "keyfold.toml").contains("model = \"mine.keyfold\""));
    place.json(0, &["put", "Thing", "thingId=1"]);
    place.text(&["generate", "--check"]);
    // Of several, the command asks for one.
    let place = Workplace::new();
    for name in ["a", "b"] {
        let text = format!("model {name} 1\ntable Table_{name} (PK, SK)\n");
        place.write(&format!("{name}.keyfold"), &text);
    }
    let asked = place.json(2, &["init"]);
    let message = asked["error"]["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("a.keyfold, b.keyfold; name one by --name"),
        "{message}"
    );
    assert_eq!(names(&place), ["a.keyfold", "b.keyfold"]);
    let made = place.json(0, &["init", "--name", "b"]);
    assert_eq!(made["model"], "b.keyfold");
    // In another folder, of which the command is given the name.
    let place = Workplace::new();
    place.write("app/mine.keyfold", "model mine 1\ntable Mine (PK, SK)\n");
    assert!(
        place
            .text(&["init", "app"])
            .starts_with("used app/mine.keyfold")
    );
    assert!(read(&place, "app/keyfold.toml").contains("model = \"mine.keyfold\""));
    // A name that TOML has to quote.
    let place = Workplace::new();
    place.write("our \"own\".keyfold", "model mine 1\ntable Mine (PK, SK)\n");
    place.json(0, &["init"]);
    place.text(&["check"]);
    // A model with errors is shown with them, and nothing is written.
    let place = Workplace::new();
    place.write("mine.keyfold", "model mine 1\ntable\n");
    place.json(3, &["init"]);
    assert_eq!(names(&place), ["mine.keyfold"]);
}

/// A reader that closes its end after some lines, such as `head`, hides no difference.
#[test]
fn check_fails_where_its_output_is_closed() {
    let place = project();
    let model = read(&place, "notes.keyfold").replace("text: string", "text: string?");
    place.write("notes.keyfold", &model);
    for more in [None, Some("--json")] {
        let mut check = Command::new(env!("CARGO_BIN_EXE_keyfold"));
        check
            .current_dir(place.folder.path())
            .args(["generate", "--check"]);
        check.args(more);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = check.stdout(writer).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{more:?}");
    }
    place.json(0, &["generate"]);
    place.json(0, &["generate", "--check"]);
}

#[test]
fn check_shows_the_difference_and_generate_removes_it() {
    let place = project();
    let before = read(&place, "src/notes.ts");
    let model = read(&place, "notes.keyfold").replace("text: string", "text: string?");
    place.write("notes.keyfold", &model);
    let refused = place.json(1, &["generate", "--check"]);
    let file = &refused["result"]["files"][0];
    let difference = file["difference"].as_str().unwrap();
    for line in ["-  readonly text: string;", "+  readonly text?: string;"] {
        assert!(
            difference.lines().any(|shown| shown == line),
            "{difference}"
        );
    }
    assert_eq!(
        read(&place, "src/notes.ts"),
        before,
        "--check writes nothing"
    );
    let written = place.json(0, &["generate"]);
    assert_eq!(written["files"][0]["changed"], true);
    assert_eq!(place.json(0, &["generate"])["files"][0]["changed"], false);
    assert_eq!(
        place.json(0, &["generate", "--check"])["files"][0]["difference"],
        json!(null)
    );
    std::fs::remove_file(place.folder.path().join("src/notes.ts")).unwrap();
    place.json(1, &["generate", "--check"]);
}

/// A version control on Windows writes both signs of a line's end.
#[test]
fn ends_of_lines_are_no_difference() {
    let place = project();
    let path = place.folder.path().join("src/notes.ts");
    let other = read(&place, "src/notes.ts").replace('\n', "\r\n");
    std::fs::write(&path, &other).unwrap();
    place.text(&["generate", "--check"]);
    place.text(&["generate"]);
    assert_eq!(read(&place, "src/notes.ts"), other);
    std::fs::write(&path, other.replacen("import", "export", 1)).unwrap();
    let found = place.json(1, &["generate", "--check"]);
    let shown = found["result"]["files"][0]["difference"].as_str().unwrap();
    assert_eq!(
        shown.lines().filter(|line| line.starts_with('-')).count(),
        2
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_a_client_stays() {
    let place = project();
    let folder = place.folder.path();
    std::fs::create_dir(folder.join("shared")).unwrap();
    std::fs::rename(folder.join("src/notes.ts"), folder.join("shared/notes.ts")).unwrap();
    std::os::unix::fs::symlink("../shared/notes.ts", folder.join("src/notes.ts")).unwrap();
    let text = read(&place, "shared/notes.ts");
    std::fs::write(folder.join("shared/notes.ts"), format!("{text}// old")).unwrap();
    place.text(&["generate"]);
    assert!(folder.join("src/notes.ts").is_symlink());
    assert_eq!(read(&place, "shared/notes.ts"), text);
}

#[test]
fn a_file_in_the_way_of_a_client_leaves_no_half_project() {
    let place = Workplace::new();
    std::fs::write(place.folder.path().join("src"), "").unwrap();
    place.json(2, &["init", "--name", "notes"]);
    assert_eq!(names(&place), ["src"]);
}

/// That nothing can be written there is found at the first file.
#[cfg(unix)]
#[test]
fn a_link_to_nowhere_leaves_no_half_project() {
    for name in ["src", "keyfold.toml"] {
        let place = Workplace::new();
        std::os::unix::fs::symlink("nowhere", place.folder.path().join(name)).unwrap();
        place.json(2, &["init", "--name", "notes"]);
        assert_eq!(names(&place), [name]);
    }
}

#[test]
fn a_file_that_is_somebodys_own_is_not_overwritten() {
    let place = project();
    let made = read(&place, "src/notes.ts");
    let own = "export const notes = [];\n// Changes here are lost: not so.\n";
    for python in [false, true] {
        let mut command = vec!["generate"];
        if python {
            command.extend(["python", "-o", "src/notes.py"]);
        }
        let file = if python {
            "src/notes.py"
        } else {
            "src/notes.ts"
        };
        place.write(file, own);
        for check in [false, true] {
            let check = check.then_some("--check");
            let line: Vec<&str> = command.iter().copied().chain(check).collect();
            let refused = place.json(2, &line);
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(message.contains("is not a generated client"), "{message}");
            assert!(message.contains("or delete this one"), "{message}");
            assert_eq!(read(&place, file), own);
        }
        // An empty file has nothing to lose, and a licence above the head is no other file.
        place.write(file, "\n");
        place.json(0, &command);
        let whole = read(&place, file);
        place.write(file, &format!("# (c) Ada\n{whole}"));
        place.json(0, &command);
        assert_eq!(read(&place, file), whole);
    }
    assert_eq!(read(&place, "src/notes.ts"), made);
}

#[test]
fn an_output_is_a_file_a_folder_or_standard_output() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let text = place.json(0, &["generate", "typescript", shop]);
    let text = text["text"].as_str().unwrap();
    place.json(0, &["generate", "typescript", shop, "-o", "made"]);
    place.json(0, &["generate", "typescript", shop, "-o", "one/client.ts"]);
    assert_eq!(read(&place, "made/shop.ts"), text);
    assert_eq!(read(&place, "one/client.ts"), text);
    for wrong in [
        &["generate"][..],
        &["generate", "typescript"],
        &["generate", "cobol", shop],
        &["generate", "typescript", shop, "--check"],
        &["generate", "typescript", shop, "-o", "made", "--watch"],
        &["generate", "typescript", shop, "-o", "one/client.ts/more"],
    ] {
        place.json(2, wrong);
    }
}

#[test]
fn a_project_has_clients_in_the_languages_of_its_folder() {
    let place = Workplace::new();
    place.write("p/pyproject.toml", "");
    let made = place.json(0, &["init", "p", "--name", "notes"]);
    assert_eq!(made["files"][2], "p/notes.py");
    assert!(read(&place, "p/keyfold.toml").contains("\n[outputs]\npython = \"notes.py\"\n"));
    assert!(read(&place, "p/notes.py").contains("class NotesClient(typed.Typed):"));
    let both = ["init", "q", "--typescript", "a.ts", "--python", "b/c.py"];
    place.json(0, &both);
    assert!(read(&place, "q/b/c.py").contains("class QClient"));
    assert!(read(&place, "q/a.ts").contains("class QClient"));
    place.write("r/Cargo.toml", "");
    let made = place.json(0, &["init", "r", "--name", "notes"]);
    assert_eq!(made["files"][2], "r/src/notes.rs");
    assert!(read(&place, "r/src/notes.rs").contains("pub struct NotesClient<"));
    // A language without a file has the usual one.
    let made = place.json(0, &["init", "t", "--name", "notes", "--python", "--rust"]);
    let clients = [&made["files"][2], &made["files"][3]];
    assert_eq!(clients, ["t/notes.py", "t/src/notes.rs"]);
    for (option, runtime) in [
        ("--typescript", "npm install REPOSITORY/clients/typescript"),
        ("--python", "pip install \"REPOSITORY/clients/python\""),
        (
            "--python",
            "`\"REPOSITORY/clients/python[async]\"` for asyncio",
        ),
        (
            "--rust",
            "cargo add keyfold --path REPOSITORY/crates/keyfold",
        ),
    ] {
        let folder = format!("u{}", runtime.len());
        let said = place.text(&["init", &folder, option]);
        let next = format!("next: `cd {folder}`, change the model");
        assert!(said.contains(&next), "{said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("runtime: ") && last.contains(runtime),
            "{said}"
        );
    }
    place.json(0, &["init", "s", "--rust", "client.rs"]);
    assert!(read(&place, "s/keyfold.toml").contains("\n[outputs]\nrust = \"client.rs\"\n"));
}

#[test]
fn connections_are_named() {
    let place = project();
    for (name, reason) in [("nothing", "there is local, server"), ("server", "8000")] {
        let code = if name == "nothing" { 2 } else { 5 };
        let line = ["run", "user_by_email", "email=x", "--connection", name];
        let failed = place.json(code, &line);
        let message = failed["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    }
    place.json(
        2,
        &[
            "run",
            "user_by_email",
            "email=x",
            "--connection",
            "local",
            "--data",
            "d",
        ],
    );
}

#[test]
fn errors_of_a_project_name_the_file_and_the_line() {
    let place = project();
    let settings = read(&place, "keyfold.toml");
    let line = 1 + settings
        .lines()
        .position(|line| line.starts_with("model ="))
        .unwrap();
    place.write("keyfold.toml", &settings.replace("model =", "modle ="));
    for command in [&["check"][..], &["run", "user_by_email", "email=x"]] {
        let failed = place.json(2, command);
        let at = json!({ "file": "keyfold.toml", "line": line });
        assert_eq!(failed["error"]["where"], at);
        let message = failed["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with(&format!("keyfold.toml:{line}: ")),
            "{message}"
        );
    }
}

/// The error of commands in a project with these settings: its message, which names the line.
fn mistake(settings: &str, line: usize, commands: &[&[&str]]) -> String {
    let place = Workplace::new();
    place.write("keyfold.toml", settings);
    let mut messages = Vec::new();
    for command in commands {
        let failed = place.json(2, command);
        let at = json!({ "file": "keyfold.toml", "line": line });
        assert_eq!(failed["error"]["where"], at, "{settings} {command:?}");
        messages.push(failed["error"]["message"].as_str().unwrap().to_owned());
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

#[test]
fn each_mistake_of_a_project_is_named_with_its_line() {
    let all: &[&[&str]] = &[
        &["check"],
        &["put", "User", "name=x"],
        &["run", "user"],
        &["serve", "--memory", "--port", "0"],
        &["generate"],
        &["fmt"],
    ];
    let message = mistake("# ours\nmodel = \"nope.keyfold\"\n", 2, all);
    let start = "keyfold.toml:2: cannot read the model nope.keyfold: ";
    assert!(message.starts_with(start), "{message}");
    for (settings, line, said) in [
        (
            "\nmodel = nope.keyfold # ours\n",
            2,
            "a text stands in quotes: model = \"nope.keyfold\"",
        ),
        (
            "[connections]\n\nprod = dynamodb://eu-west-1\n",
            3,
            "a text stands in quotes: prod = \"dynamodb://eu-west-1\"",
        ),
        (
            "[outputs]\npython = 3.py\n",
            2,
            "a text stands in quotes: python = \"3.py\"",
        ),
        ("model = 5\n", 1, "`model` is a text: model = \"...\""),
        (
            "[outputs]\npydantic = true\n",
            2,
            "no client is generated in `pydantic`; did you mean classes = \"pydantic\", above [outputs]?; there is typescript, python, rust",
        ),
        (
            "[outputs]\nclasses = \"pydantic\"\n",
            2,
            "no client is generated in `classes`; `classes` stands above [outputs]; there is typescript, python, rust",
        ),
        (
            "[outputs]\npyton = 5\n",
            2,
            "no client is generated in `pyton`; did you mean `python`?; there is typescript, python, rust",
        ),
        (
            "[outputs]\nrust = \"src/a.rs\"\ntypescript = \"src/ts.py\"\n",
            3,
            "src/ts.py is no file of a client in typescript, whose name ends in .ts; name such a file, or a folder",
        ),
        (
            "[connections]\nlocal = \"localhost:8000\"\n",
            2,
            "`localhost:8000` is no connection: its scheme is not known; write keyfold:./data, http://127.0.0.1:8000, https://HOST or dynamodb://eu-west-1?profile=NAME",
        ),
        (
            "[connections]\nlocal = \"memory:\"\n",
            2,
            "`memory:` would be empty for each command; write keyfold:./data",
        ),
    ] {
        let message = mistake(settings, line, all);
        assert_eq!(message, format!("keyfold.toml:{line}: {said}"));
    }
}

#[test]
fn a_wrong_place_of_a_server_is_answered_with_the_right_ones() {
    let place = project();
    let forms = "write http://127.0.0.1:8000, https://HOST or dynamodb://eu-west-1?profile=NAME; a data folder is named by `--data DIR`";
    for (text, why) in [
        (
            "localhost:8000",
            "is no connection: its scheme is not known",
        ),
        ("localhost", "is no connection: it has no scheme"),
        ("memory:", "names no server"),
        ("keyfold:./data", "names no server"),
    ] {
        let failed = place.json(2, &["verify", "--endpoint", text]);
        let said = failed["error"]["message"].as_str().unwrap();
        assert_eq!(said, format!("`{text}` {why}; {forms}"));
    }
}

/// The data of a project is no source.
#[test]
fn git_ignores_the_data_of_a_project() {
    let place = project();
    place.json(0, &["put", "User", USER, "email=a@b.c", "name=Ada"]);
    assert_eq!(read(&place, ".keyfold/.gitignore"), "*\n");
    place.write(".keyfold/.gitignore", "own\n");
    place.json(0, &["delete", "User", USER]);
    assert_eq!(read(&place, ".keyfold/.gitignore"), "own\n");
    // A folder of another name has its owner's rules.
    place.json(
        0,
        &[
            "put",
            "User",
            USER,
            "email=a@b.c",
            "name=Ada",
            "--data",
            "mine/data",
        ],
    );
    assert_eq!(names_in(&place, "mine"), ["data"]);
}

/// The names in a folder of the workplace.
fn names_in(place: &Workplace, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.folder.path().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_client_is_no_file_of_another_language() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    for (language, file, ending) in [
        ("typescript", "client.js", "ts"),
        ("typescript", "src/CLIENT.MTS", "ts"),
        ("python", "a.ts", "py"),
        ("rust", "a.py", "rs"),
    ] {
        let failed = place.json(2, &["generate", language, shop, "-o", file]);
        let said = failed["error"]["message"].as_str().unwrap();
        assert_eq!(
            said,
            format!(
                "{file} is no file of a client in {language}, whose name ends in .{ending}; name such a file, or a folder"
            )
        );
        assert_eq!(failed["error"]["where"], json!({ "argument": "--output" }));
        let option = format!("--{language}");
        let failed = place.json(2, &["init", "p", &option, file]);
        assert_eq!(failed["error"]["where"], json!({ "argument": option }));
    }
    assert!(names(&place).is_empty());
    // A folder may have such a name, and any other.
    std::fs::create_dir(place.folder.path().join("client.js")).unwrap();
    place.json(0, &["generate", "typescript", shop, "-o", "client.js"]);
    place.json(0, &["generate", "typescript", shop, "-o", "v1.2"]);
    assert_eq!(names_in(&place, "client.js"), ["shop.ts"]);
    assert_eq!(names_in(&place, "v1.2"), ["shop.ts"]);
}

#[test]
fn without_a_project_a_command_asks_for_what_it_needs() {
    let place = Workplace::new();
    for (line, reason) in [
        (&["check"][..], "`keyfold init` starts a project"),
        (&["fmt"], "`keyfold init` starts a project"),
        (
            &["run", "user_by_email", "email=x"],
            "which model? There is no file user_by_email: name its FILE, or name it in keyfold.toml",
        ),
        (&["put", "User"], "which model? There is no file User"),
        (
            &["put", "User", "name=x"],
            "which model? There is no file User",
        ),
        (
            &["infer", "T", "--connection", "a"],
            "make a project with `keyfold init`",
        ),
    ] {
        let failed = place.json(2, line);
        let message = failed["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{line:?}: {message}");
    }
    // A project without a model has none either.
    place.write("keyfold.toml", "numbers = \"exact\"\n");
    let failed = place.json(2, &["put", "User", "name=x"]);
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("which model? There is no file User"),
        "{message}"
    );
}

/// Ends the process when the test ends.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn wait_for(path: &Path, text: &str) {
    let started = Instant::now();
    while !std::fs::read_to_string(path).is_ok_and(|held| held.contains(text)) {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{text} in {}",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn watch_follows_the_model() {
    let place = project();
    let client = place.folder.path().join("src/notes.ts");
    std::fs::remove_file(&client).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(["generate", "--watch"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let _watching = Watching(child);
    wait_for(&client, "readonly text: string;");
    let model = read(&place, "notes.keyfold");
    // A model with errors changes nothing and ends nothing.
    place.write(
        "notes.keyfold",
        &model.replace("text: string", "text: strin"),
    );
    std::thread::sleep(Duration::from_millis(500));
    place.write(
        "notes.keyfold",
        &model.replace("text: string", "words: string"),
    );
    wait_for(&client, "readonly words: string;");
    // A model that comes again is read again, and so is the project.
    std::fs::rename(
        place.folder.path().join("notes.keyfold"),
        place.folder.path().join("away"),
    )
    .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    place.write("notes.keyfold", &model);
    wait_for(&client, "readonly text: string;");
    let settings = read(&place, "keyfold.toml");
    place.write(
        "keyfold.toml",
        &settings.replace("src/notes.ts", "src/other.ts"),
    );
    wait_for(
        &place.folder.path().join("src/other.ts"),
        "readonly text: string;",
    );
}
