//! Opens the club as pages and an API, or runs one race and prints its figures.

use alleycat::{Club, Plan, routes};
use examples_web::{announce, connection, given, listen, outcome, serve, usage};
use keyfold::nonblocking::Keyfold;
use std::error::Error;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;

const USAGE: &str = "usage: alleycat [race RACERS SECONDS SPEED]

Opens the club of racers as pages and an API, until Ctrl-C; or runs one race and prints its figures:
RACERS each of whom writes for SECONDS, of which SPEED pass in one.

  ALLEYCAT_CONNECTION
               the database: keyfold:./data if it is not set
";

/// A number of the command line.
fn number<N: FromStr<Err: Display>>(name: &str, word: &str) -> Result<N, String> {
    let wrong = |error| format!("{name} is no such number: {word} ({error})");
    word.parse().map_err(wrong)
}

#[tokio::main]
async fn main() -> ExitCode {
    let words = given();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Before a database is made for a word that is none.
    let are_taken = matches!(*words, [] | ["race", _, _, _]);
    match usage(USAGE, &words, are_taken) {
        Some(code) => code,
        None => outcome("Alleycat", run(&words).await),
    }
}

async fn run(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let database = connection("ALLEYCAT_CONNECTION", "keyfold:./data");
    let database = Keyfold::connect(&database).await?;
    let club = Club::open(&database).await?;
    match *words {
        [] => {
            let listener = listen().await?;
            announce("Alleycat", &listener)?;
            serve(listener, routes(club)).await?;
        }
        ["race", racers, seconds, speed] => {
            let plan = Plan {
                class: "sprint".into(),
                racers: number("RACERS", racers)?,
                seconds: number("SECONDS", seconds)?,
                speed: number("SPEED", speed)?,
                readers: 4,
                seed: 1,
            };
            plan.check().map_err(|(_, why)| why)?;
            let race = alleycat::announce(&club, &plan).await?;
            let figures = alleycat::simulate(&club, &plan, &race).await?;
            writeln!(
                std::io::stdout(),
                "{}",
                serde_json::to_string_pretty(&figures)?
            )?;
        }
        _ => return Err(USAGE.into()),
    }
    database.close().await?;
    Ok(())
}
