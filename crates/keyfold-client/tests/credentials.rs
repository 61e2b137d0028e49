//! Credentials of the sources that Amazon's own SDKs ask, from servers of this machine that answer as
//! those sources do. Each case is a process of its own, since a process has one environment.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test fails by panicking"
)]

use keyfold_api::ListTablesInput;
use keyfold_client::connection::Surroundings;
use keyfold_client::{Backend, ClientError, Connection, Terms};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// The variable that makes `child` do something: the connection text.
const TEXT: &str = "KEYFOLD_TEST_CONNECTION";
/// The address that the child sends its requests to, instead of Amazon's.
const SERVER: &str = "KEYFOLD_TEST_SERVER";

/// How often the child's requests are repeated at the most.
const RETRIES: &str = "KEYFOLD_TEST_RETRIES";
/// The milliseconds that each call of the child may take.
const WITHIN_MS: &str = "KEYFOLD_TEST_WITHIN_MS";

/// Sends four requests, two of them when the first keys have expired, if they do. With a bound, each
/// says how long it took.
#[test]
fn child() {
    let Ok(text) = std::env::var(TEXT) else {
        return;
    };
    let connection: Connection = text.parse().unwrap();
    let endpoint = connection.endpoint(&Surroundings::of_process());
    let mut endpoint = endpoint.unwrap().unwrap();
    endpoint.url = std::env::var(SERVER).unwrap();
    endpoint.retries = std::env::var(RETRIES).map_or(0, |text| text.parse().unwrap());
    let backend = Backend::at(endpoint).unwrap();
    let request = || ListTablesInput::default().into();
    let within = std::env::var(WITHIN_MS).map(|text| Duration::from_millis(text.parse().unwrap()));
    let terms = || within.clone().map(Terms::within).unwrap_or_default();
    let report = |began: Instant, result: Result<_, ClientError>| {
        if within.is_ok() {
            println!("took: {}", began.elapsed().as_millis());
        }
        if let Err(error) = result {
            println!("failed: {error}");
        }
    };
    for _ in 0..2 {
        let began = Instant::now();
        report(began, backend.call_on(request(), &terms()).map(drop));
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().unwrap();
        let began = Instant::now();
        let awaited = runtime.block_on(backend.start(request(), &terms()));
        report(began, awaited.map(drop));
        if within.is_err() {
            std::thread::sleep(Duration::from_millis(1100));
        }
    }
}

/// Runs `child` with a connection and an environment.
fn run(text: &str, place: &Place, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--nocapture"])
        .env_clear();
    command.env("HOME", place.home.path());
    command.env(TEXT, text).env(SERVER, place.url());
    command.env("PATH", std::env::var("PATH").unwrap());
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A server that is a database and every source of keys, and a home folder.
struct Place {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    home: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = Place {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            home: tempfile::tempdir().unwrap(),
        };
        let requests = place.requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let requests = requests.clone();
                std::thread::spawn(move || serve(stream.unwrap(), &requests));
            }
        });
        place
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.home.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The access keys of the requests to the database, in order, and how often keys were asked.
    fn seen(&self, source: &str) -> (Vec<String>, usize) {
        let all = self.requests.lock().unwrap();
        let keys = all
            .iter()
            .filter(|one| one.contains("x-amz-target: dynamodb_20120810.listtables"));
        let keys = keys.map(|one| {
            let at = one.find("credential=").unwrap() + "credential=".len();
            one[at..].split('/').next().unwrap().to_owned()
        });
        let asked = all.iter().filter(|one| one.contains(source)).count();
        (keys.collect(), asked)
    }
}

fn serve(mut stream: TcpStream, requests: &Mutex<Vec<String>>) {
    while let Some(request) = message(&mut stream) {
        let number = {
            let mut all = requests.lock().unwrap();
            all.push(request.to_ascii_lowercase());
            all.len()
        };
        let line = request.lines().next().unwrap_or_default().to_owned();
        let (status, body) = answer(&line, &request, number);
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\nx-aws-ec2-metadata-token-ttl-seconds: 600\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

/// The moment some seconds from now, as the sources write it.
fn moment(seconds: u64) -> String {
    let at = SystemTime::now() + Duration::from_secs(seconds);
    jiff::Timestamp::try_from(at)
        .unwrap()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}

/// The time of slow answers.
const SLOW: Duration = Duration::from_millis(600);

/// Whether a request is signed with keys of a session that has ended: the first ones that the process
/// `ended.sh` gave out.
fn is_of_ended_keys(request: &str) -> bool {
    request.contains("Credential=ENDED1/")
}

/// What a source or the database answers.
fn answer(line: &str, request: &str, number: usize) -> (&'static str, String) {
    let role = |seconds| {
        format!(
            r#"{{"Code":"Success","AccessKeyId":"ROLE{number}","SecretAccessKey":"s","Token":"t","Expiration":"{}"}}"#,
            moment(seconds)
        )
    };
    let sts = |action: &str, key: &str| {
        format!(
            "<{action}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{action}Result>\
             <AssumedRoleUser><AssumedRoleId>a:b</AssumedRoleId><Arn>arn:aws:sts::1:assumed-role/r/s</Arn></AssumedRoleUser>\
             <Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>\
             <SessionToken>t</SessionToken><Expiration>{}</Expiration></Credentials>\
             </{action}Result></{action}Response>",
            moment(3600)
        )
    };
    let body = match line.split(' ').nth(1).unwrap_or_default() {
        "/container" if request.contains("uthorization: secret") => role(3600),
        "/brief" => role(1),
        "/slow" => {
            std::thread::sleep(SLOW);
            role(3600)
        }
        "/" if is_of_ended_keys(request) => {
            return ("400 Bad Request", r#"{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}"#.to_owned());
        }
        "/" if request.contains("Credential=LATE") => {
            std::thread::sleep(SLOW);
            r#"{"TableNames":[]}"#.to_owned()
        }
        "/latest/api/token" => "token".to_owned(),
        "/latest/meta-data/iam/security-credentials/" => "the-role".to_owned(),
        "/latest/meta-data/iam/security-credentials/the-role" => role(3600),
        path if path.starts_with("/federation/credentials") => format!(
            r#"{{"roleCredentials":{{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":{}}}}}"#,
            jiff::Timestamp::now().as_millisecond() + 3_600_000
        ),
        "/" if request.contains("Action=AssumeRoleWithWebIdentity") => {
            sts("AssumeRoleWithWebIdentity", "WEB")
        }
        "/" if request.contains("Action=AssumeRole") => sts("AssumeRole", "ASSUMED"),
        "/" => r#"{"TableNames":[]}"#.to_owned(),
        _ => return ("404 Not Found", String::new()),
    };
    ("200 OK", body)
}

/// Reads a request: its head and body.
fn message(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.extend_from_slice(&byte);
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let small = head.to_ascii_lowercase();
    let length = small
        .lines()
        .find_map(|one| one.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap_or("0").trim().parse().ok()?];
    stream.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8_lossy(&body))
}

const NO_INSTANCE: (&str, &str) = ("AWS_EC2_METADATA_DISABLED", "true");

#[test]
fn a_container_gives_keys_once_until_they_expire() {
    let place = Place::new();
    let url = format!("{}/container", place.url());
    let variables = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "secret"),
        NO_INSTANCE,
    ];
    let said = run("dynamodb://eu-west-1", &place, &variables);
    assert_eq!(
        place.seen("get /container"),
        (vec!["role1".to_owned(); 4], 1),
        "{said}"
    );

    let place = Place::new();
    let url = format!("{}/brief", place.url());
    let variables = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        NO_INSTANCE,
    ];
    let said = run("dynamodb://eu-west-1", &place, &variables);
    let (keys, asked) = place.seen("get /brief");
    assert!(keys.len() == 4 && asked >= 2, "{said} {keys:?} {asked}");
    assert_ne!(keys.first(), keys.last());
}

#[test]
fn an_instance_gives_the_keys_of_its_role() {
    let place = Place::new();
    let url = place.url();
    let variables = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", url.as_str())];
    let said = run("dynamodb://eu-west-1", &place, &variables);
    let (keys, asked) = place.seen("get /latest/meta-data/iam/security-credentials/the-role");
    assert_eq!((keys.len(), asked), (4, 1), "{said}");
    assert!(keys.iter().all(|key| key.starts_with("role")), "{keys:?}");
}

#[test]
fn a_profile_names_a_process_a_role_or_single_sign_on() {
    let script = |place: &Place| {
        let keys = r#"{"Version": 1, "AccessKeyId": "PROCESS", "SecretAccessKey": "s"}"#;
        place.write("keys.json", keys);
        let path = place.home.path().join("keys.json");
        format!("cat {}", path.display())
    };
    for (section, key) in [
        ("credential_process = SCRIPT", "process"),
        (
            "role_arn = arn:aws:iam::1:role/r\nsource_profile = base",
            "assumed",
        ),
        (
            "sso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\n\
             sso_account_id = 123456789012\nsso_role_name = r",
            "sso",
        ),
    ] {
        let place = Place::new();
        let section = section.replace("SCRIPT", &script(&place));
        let config = format!(
            "[profile prod]\n{section}\n[profile base]\naws_access_key_id = B\naws_secret_access_key = b\n"
        );
        place.write(".aws/config", &config);
        // The name of the file is the SHA-1 of the start URL.
        let token = format!(
            r#"{{"accessToken":"a","expiresAt":"{}","region":"eu-west-1","startUrl":"https://x.awsapps.com/start"}}"#,
            moment(3600)
        );
        place.write(&format!(".aws/sso/cache/{START_URL_SHA1}.json"), &token);
        let url = place.url();
        let variables = [
            ("AWS_ENDPOINT_URL_STS", url.as_str()),
            ("AWS_ENDPOINT_URL_SSO", url.as_str()),
            NO_INSTANCE,
        ];
        let said = run("dynamodb://eu-west-1?profile=prod", &place, &variables);
        let (keys, _) = place.seen("");
        assert_eq!(keys, [key; 4], "{said}");
    }
}

const START_URL_SHA1: &str = "3947de8b16688092197fa616c34e01335f21d256";

#[test]
fn a_web_identity_becomes_a_role() {
    let place = Place::new();
    place.write("token", "identity");
    let (url, file) = (place.url(), place.home.path().join("token"));
    let variables = [
        ("AWS_ENDPOINT_URL_STS", url.as_str()),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", path(&file)),
        ("AWS_ROLE_ARN", "arn:aws:iam::1:role/r"),
        NO_INSTANCE,
    ];
    let said = run("dynamodb://eu-west-1", &place, &variables);
    let (keys, asked) = place.seen("action=assumerolewithwebidentity");
    assert_eq!((keys, asked), (vec!["web".to_owned(); 4], 1), "{said}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A script that gives keys out, numbered, without the moment at which they end.
fn numbered_keys(place: &Place, name: &str) -> String {
    let folder = place.home.path().display().to_string();
    let script = format!(
        "echo x >> {folder}/asked\nn=$(wc -l < {folder}/asked | tr -d ' ')\n\
         echo '{{\"Version\": 1, \"AccessKeyId\": \"'{name}$n'\", \"SecretAccessKey\": \"s\"}}'\n"
    );
    place.write("keys.sh", &script);
    let config = format!("[profile prod]\ncredential_process = sh {folder}/keys.sh\n");
    place.write(".aws/config", &config);
    format!("{folder}/asked")
}

/// A process need not say when its keys end, and a session can end before its time. What was refused
/// for it was not carried out: it is sent again with new keys.
#[test]
fn keys_of_an_ended_session_are_fetched_again() {
    let place = Place::new();
    let asked = numbered_keys(&place, "ENDED");
    let said = run("dynamodb://eu-west-1?profile=prod", &place, &[NO_INSTANCE]);
    let (keys, _) = place.seen("");
    assert_eq!(
        keys,
        ["ended1", "ended2", "ended2", "ended2", "ended2"],
        "{said}"
    );
    assert!(!said.contains("failed: "), "{said}");
    assert_eq!(std::fs::read_to_string(asked).unwrap().lines().count(), 2);
}

/// Keys that are wrong stay wrong: the source is not asked at each request.
#[test]
fn a_source_of_wrong_keys_is_asked_twice() {
    let place = Place::new();
    let asked = numbered_keys(&place, "ENDED1/");
    let said = run("dynamodb://eu-west-1?profile=prod", &place, &[NO_INSTANCE]);
    assert_eq!(
        said.matches("failed: ExpiredTokenException").count(),
        4,
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(asked).unwrap().lines().count(), 2);
}

/// The times that the calls of a child took.
fn times(said: &str) -> Vec<u64> {
    let lines = said.lines().filter_map(|line| line.strip_prefix("took: "));
    lines.map(|text| text.parse().unwrap()).collect()
}

/// A call's time is that of its keys and its requests together.
#[test]
fn a_call_ends_in_time_whatever_its_keys_took() {
    let place = Place::new();
    let folder = place.home.path().display().to_string();
    place.write("keys.sh", "sleep 0.6\necho '{\"Version\": 1, \"AccessKeyId\": \"LATE\", \"SecretAccessKey\": \"s\"}'\n");
    let config = format!("[profile prod]\ncredential_process = sh {folder}/keys.sh\n");
    place.write(".aws/config", &config);
    let variables = [NO_INSTANCE, (WITHIN_MS, "900")];
    let said = run("dynamodb://eu-west-1?profile=prod", &place, &variables);
    let [first, rest @ ..] = &times(&said)[..] else {
        panic!("{said}")
    };
    // The keys take 600 ms, and the answer as long again.
    assert!((850..1100).contains(first), "{said}");
    assert!(
        rest.len() == 3 && rest.iter().all(|time| *time < 850),
        "{said}"
    );
    assert_eq!(said.matches("failed: ").count(), 1, "{said}");
}

/// Calls that are shorter than the way to their keys get them all the same, a later one.
#[test]
fn keys_arrive_for_calls_with_little_time() {
    let place = Place::new();
    let url = format!("{}/slow", place.url());
    let variables = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        NO_INSTANCE,
        (WITHIN_MS, "250"),
    ];
    let said = run("dynamodb://eu-west-1", &place, &variables);
    let (keys, asked) = place.seen("get /slow");
    assert_eq!((keys.len(), asked), (2, 1), "{said}");
    assert_eq!(
        said.matches("failed: there are no credentials").count(),
        2,
        "{said}"
    );
}

/// Nothing is sent without keys, and the error names the sources' reasons.
#[test]
fn no_source_has_keys() {
    let place = Place::new();
    let said = run("dynamodb://eu-west-1", &place, &[NO_INSTANCE]);
    assert_eq!(place.seen("").0, Vec::<String>::new());
    assert!(
        said.contains("failed: there are no credentials: "),
        "{said}"
    );
    let url = format!("{}/absent", place.url());
    let variables = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", url.as_str()),
        NO_INSTANCE,
    ];
    let said = run("dynamodb://eu-west-1", &place, &variables);
    assert_eq!(place.seen("").0, Vec::<String>::new());
    assert!(said.contains("404"), "{said}");
}

/// The sources repeat their own requests: ours is not repeated for want of keys.
#[test]
fn a_source_without_keys_is_asked_once_a_call() {
    let place = Place::new();
    let asked = numbered_keys(&place, "x");
    place.write("keys.sh", &format!("echo x >> {asked}\nexit 1\n"));
    let variables = [NO_INSTANCE, (RETRIES, "3")];
    let said = run("dynamodb://eu-west-1?profile=prod", &place, &variables);
    assert_eq!(
        said.matches("failed: there are no credentials").count(),
        4,
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(asked).unwrap().lines().count(), 4);
}
