//! Tests connection texts: where requests go, and which keys sign them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use workplace::Workplace;
use workplace::server::Server;

/// A server takes only the keys of one profile.
#[test]
fn requests_are_signed_with_the_keys_of_the_profile() {
    let place = Workplace::new();
    let model = place.write(
        "notes.keyfold",
        "model notes 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"NOTE#{id}\" \"N\"\n",
    );
    let server = Server::start(&[&model, "--credential", "TEAM:secret/+="]);
    let config = place.write(
        "config",
        "[profile team a]\nregion = eu-west-1\naws_access_key_id = TEAM\naws_secret_access_key = secret/+=\n[profile other]\naws_access_key_id = OTHER\naws_secret_access_key = secret\n",
    );
    place.write(
        "keyfold.toml",
        &format!(
            "[connections]\nteam = \"{0}?profile=team%20a\"\nnone = \"{0}?profile=tem\"\n",
            server.endpoint
        ),
    );
    let run = |connection: &[&str]| {
        let missing = place.folder.path().join("no file").display().to_string();
        let variables = [
            ("AWS_CONFIG_FILE", config.as_str()),
            ("AWS_SHARED_CREDENTIALS_FILE", &missing),
            ("AWS_ACCESS_KEY_ID", "OTHER"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
        ];
        let put = [&["put", &model, "Note", "id=1", "--json"], connection].concat();
        let output = place.run_with(&variables, &put);
        let shown = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), shown)
    };
    let text = |profile: &str| format!("{}?profile={profile}", server.endpoint);
    let (code, shown) = run(&["--endpoint", &text("team%20a")]);
    assert_eq!(code, Some(0), "{shown}");
    let (code, shown) = run(&["--connection", "team"]);
    assert_eq!(code, Some(0), "{shown}");
    for (connection, why) in [
        (
            ["--endpoint", server.endpoint.as_str()],
            "UnrecognizedClient",
        ),
        (["--endpoint", &text("other")], "UnrecognizedClient"),
        (["--endpoint", &text("tem")], "no profile `tem`"),
        (["--endpoint", "keyfold:./data"], "`--data DIR`"),
        (
            ["--endpoint", "dynamodb://eu-west-1?x=1"],
            "profile, region and ca",
        ),
        (["--connection", "none"], "no profile `tem`"),
    ] {
        let (code, shown) = run(&connection);
        assert_ne!(code, Some(0), "{connection:?}");
        assert!(shown.contains(why), "{connection:?}: {shown}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
