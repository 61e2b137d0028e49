//! A connection to PostgreSQL, which is made again when it is lost. Everything is asked and answered as text:
//! that is the one form in which every type of PostgreSQL has its exact value.

use super::quoting::literal;
use super::tls::{self, Asked, Connector};
use super::value;
use crate::cell::Cell;
use crate::source::SourceError;
use crate::world;
use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, SimpleQueryMessage, SimpleQueryRow};

/// How long a server is waited for that does not answer a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// What the texts of a session look like, whatever the server or the user has set.
const FORMS: &str = "SET datestyle = 'ISO'; SET timezone = 'UTC'; SET intervalstyle = 'iso_8601'; \
                     SET bytea_output = 'hex'; SET extra_float_digits = 1; SET standard_conforming_strings = on; \
                     SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
                     SET client_min_messages = 'warning'";
/// A server notices that its client is gone while it waits, where it can (from version 14 on).
const CHECKED: &str = "SELECT set_config(name, '2s', false) FROM pg_settings WHERE name = \
                       'client_connection_check_interval'";
/// How often a server that starts or recovers is asked, with a second in between.
const START_TRIES: u32 = 30;
/// The lock that says that a migration of a database is under way: `keyfold` in the keys of a telephone.
const LOCK: i64 = 5_393_653;

/// How often the lock is asked for: the server notices a moment later that the run before has ended.
const CLAIM_TRIES: u32 = 40;
const CLAIM_PAUSE: Duration = Duration::from_millis(100);
/// What an error of the server begins with.
const SAYS: &str = "PostgreSQL says: ";

/// A connection, and how it is made.
pub(super) struct Session {
    runtime: Runtime,
    config: Config,
    tls: Connector,
    name: String,
    client: Option<Client>,
    /// The types of the columns of queries.
    kinds: HashMap<String, Vec<u32>>,
    /// Whether it has the right to migrate.
    has_claim: bool,
    /// Whether a transaction was begun, which is lost with the connection.
    is_within: bool,
}

/// What a server says of a mistake, with its hint.
pub(super) fn of(error: &tokio_postgres::Error) -> SourceError {
    let Some(said) = error.as_db_error() else {
        let mut message = format!("PostgreSQL does not answer: {error}");
        let mut cause = std::error::Error::source(error);
        while let Some(one) = cause {
            message.push_str(&format!(": {one}"));
            cause = one.source();
        }
        return SourceError {
            message,
            may_pass: true,
        };
    };
    let mut message = format!("{SAYS}{}", said.message());
    for more in [said.detail(), said.hint()].into_iter().flatten() {
        message.push_str(&format!("; {more}"));
    }
    let passing = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::OBJECT_IN_USE,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::QUERY_CANCELED,
    ];
    SourceError {
        message,
        may_pass: passing.contains(said.code()),
    }
}

/// Whether a constraint, a type, a check of a view or a trigger of the program refuses values.
fn is_refusal(error: &tokio_postgres::Error) -> bool {
    const CLASSES: [&str; 4] = ["22", "23", "44", "P0"];
    let code = error.code().map_or("", SqlState::code);
    CLASSES.iter().any(|class| code.starts_with(class))
}

/// What names a database, without user and password: these may change while it is migrated.
fn name(config: &Config) -> String {
    let host = config.get_hosts().first().map_or_else(
        || "localhost".to_owned(),
        |host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        },
    );
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().or(config.get_user());
    format!("postgres://{host}:{port}/{}", database.unwrap_or_default())
}

impl Session {
    /// A session with the database that a text names.
    pub(super) fn open(text: &str) -> Result<Session, SourceError> {
        let unnamed = |why: String| {
            SourceError::lasting(format!(
                "this names no database of PostgreSQL ({why}); it is postgres://USER@HOST:PORT/DATABASE"
            ))
        };
        let asked = Asked::of(text)?;
        let mut config =
            Config::from_str(&asked.rest).map_err(|error| unnamed(error.to_string()))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(unnamed("it has no host".to_owned()));
        }
        config.ssl_mode(asked.mode);
        if config.get_password().is_none()
            && let Some(password) = world::password("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_WITHIN);
        }
        config.application_name("keyfold migrate");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| SourceError::lasting(format!("no thread can be made: {error}")))?;
        let mut session = Session {
            runtime,
            name: name(&config),
            tls: asked.connector()?,
            config,
            client: None,
            kinds: HashMap::new(),
            has_claim: false,
            is_within: false,
        };
        let mut tries = 0;
        while let Err(error) = session.connect() {
            tries += 1;
            // A server that is not there is another matter than one that says that it starts.
            let is_starting = error.may_pass && error.message.contains(SAYS);
            if !is_starting || tries > START_TRIES {
                return Err(error);
            }
            world::pause(Duration::from_secs(1));
        }
        Ok(session)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Connects, if it is not connected.
    fn connect(&mut self) -> Result<(), SourceError> {
        if self
            .client
            .as_ref()
            .is_some_and(|client| !client.is_closed())
        {
            return Ok(());
        }
        self.client = None;
        self.kinds.clear();
        if std::mem::take(&mut self.is_within) {
            return Err(SourceError {
                message: "the connection to PostgreSQL was lost, and its transaction with it"
                    .to_owned(),
                may_pass: true,
            });
        }
        let connecting = self.config.connect(self.tls.clone());
        let (client, connection) = self.runtime.block_on(connecting).map_err(|error| {
            if let Some(fault) = tls::fault(&error) {
                return SourceError::lasting(format!("cannot connect to {}: {fault}", self.name));
            }
            let is_refused = error.code() == Some(&SqlState::INVALID_PASSWORD);
            let is_missing = error.to_string().starts_with("invalid configuration");
            let mut error = of(&error);
            if is_missing && self.config.get_password().is_none() {
                error = SourceError::lasting("PostgreSQL wants a password");
            }
            error.message = format!("cannot connect to {}: {}", self.name, error.message);
            if is_refused || !error.may_pass && is_missing {
                error
                    .message
                    .push_str("; PGPASSWORD holds the password of the user");
            }
            error
        })?;
        // What ends a connection is said by the next request.
        self.runtime
            .spawn(async move { connection.await.unwrap_or_default() });
        for sql in [FORMS, CHECKED] {
            let set = self.runtime.block_on(client.batch_execute(sql));
            set.map_err(|error| of(&error))?;
        }
        self.client = Some(client);
        match self.has_claim {
            true => self.take_claim(),
            false => Ok(()),
        }
    }

    /// The connection, and what drives it.
    fn connected(&mut self) -> Result<(&Runtime, &Client), SourceError> {
        self.connect()?;
        match &self.client {
            Some(client) => Ok((&self.runtime, client)),
            None => Err(SourceError {
                message: "PostgreSQL is not connected".to_owned(),
                may_pass: true,
            }),
        }
    }

    /// Runs statements that answer nothing.
    pub(super) fn execute(&mut self, sql: &str) -> Result<(), SourceError> {
        self.simple(sql).map(|_| ())
    }

    /// The rows of a statement, as texts.
    pub(super) fn simple(&mut self, sql: &str) -> Result<Vec<SimpleQueryRow>, SourceError> {
        let (runtime, client) = self.connected()?;
        let answered = runtime.block_on(client.simple_query(sql));
        let mut rows = Vec::new();
        for message in answered.map_err(|error| of(&error))? {
            if let SimpleQueryMessage::Row(row) = message {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Hands the rows of a statement over one after the other, as texts.
    pub(super) fn each(
        &mut self,
        sql: &str,
        mut take: impl FnMut(&SimpleQueryRow) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        use futures_util::StreamExt as _;
        let (runtime, client) = self.connected()?;
        runtime.block_on(async {
            let stream = client.simple_query_raw(sql).await;
            let mut stream = std::pin::pin!(stream.map_err(|error| of(&error))?);
            while let Some(message) = stream.next().await {
                if let SimpleQueryMessage::Row(row) = message.map_err(|error| of(&error))? {
                    take(&row)?;
                }
            }
            Ok(())
        })
    }

    /// The first text of the first row; empty if there is none.
    pub(super) fn text(&mut self, sql: &str) -> Result<String, SourceError> {
        let rows = self.simple(sql)?;
        let first = rows.first().and_then(|row| row.get(0));
        Ok(first.unwrap_or_default().to_owned())
    }

    /// The rows of a query with arguments.
    pub(super) fn rows(
        &mut self,
        sql: &str,
        arguments: &[Cell],
    ) -> Result<Vec<Vec<Cell>>, SourceError> {
        let kinds = self.kinds(sql)?;
        let mut rows = Vec::new();
        for row in self.simple(&filled(sql, arguments)?)? {
            let cells = kinds.iter().enumerate();
            rows.push(
                cells
                    .map(|(at, kind)| value::cell(*kind, row.get(at)))
                    .collect(),
            );
        }
        Ok(rows)
    }

    /// The types of the columns of a query.
    fn kinds(&mut self, sql: &str) -> Result<Vec<u32>, SourceError> {
        // The types of a connection that is gone are forgotten with it.
        self.connect()?;
        if let Some(kinds) = self.kinds.get(sql) {
            return Ok(kinds.clone());
        }
        let (runtime, client) = self.connected()?;
        let prepared = runtime.block_on(client.prepare(sql));
        let prepared = prepared.map_err(|error| of(&error))?;
        let kinds: Vec<u32> = prepared
            .columns()
            .iter()
            .map(|one| one.type_().oid())
            .collect();
        self.kinds.insert(sql.to_owned(), kinds.clone());
        Ok(kinds)
    }

    /// Begins a snapshot.
    pub(super) fn begin(&mut self) -> Result<(), SourceError> {
        self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.is_within = true;
        Ok(())
    }

    /// Ends the snapshot, or takes the transaction back. One that is lost has ended.
    pub(super) fn end(&mut self) -> Result<(), SourceError> {
        self.is_within = false;
        let is_closed = |client: &Client| client.is_closed();
        if self.client.as_ref().is_none_or(is_closed) {
            return Ok(());
        }
        match self.execute("ROLLBACK") {
            Err(error) if error.may_pass => {
                self.client = None;
                Ok(())
            }
            ended => ended,
        }
    }

    /// Begins a transaction that writes. One of before has ended.
    pub(super) fn begin_writing(&mut self) -> Result<(), SourceError> {
        self.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")?;
        self.is_within = true;
        Ok(())
    }

    /// Changes rows within a transaction, in which a statement that is refused changes nothing: how many, or why it
    /// is refused.
    pub(super) fn changed(
        &mut self,
        sql: &str,
        arguments: &[Cell],
    ) -> Result<Result<u64, String>, SourceError> {
        let sql = match filled(sql, arguments) {
            Ok(sql) => sql,
            Err(error) => return Ok(Err(error.message)),
        };
        let whole = format!("SAVEPOINT keyfold; {sql}; RELEASE SAVEPOINT keyfold");
        match self.counted(&whole)? {
            Ok(count) => Ok(Ok(count)),
            Err(why) => {
                self.execute("ROLLBACK TO SAVEPOINT keyfold")?;
                Ok(Err(why))
            }
        }
    }

    /// Ends a transaction that writes, with last statements: or why a constraint refuses it, which takes it back.
    pub(super) fn commit(&mut self, last: &str) -> Result<Result<(), String>, SourceError> {
        let ended = self.counted(&format!("SELECT 1; {last}; COMMIT"));
        self.is_within = false;
        Ok(ended?.map(drop))
    }

    /// How many rows statements touch, or why a constraint or a type refuses them.
    fn counted(&mut self, sql: &str) -> Result<Result<u64, String>, SourceError> {
        let (runtime, client) = self.connected()?;
        let answered = match runtime.block_on(client.simple_query(sql)) {
            Ok(answered) => answered,
            Err(error) if is_refusal(&error) => return Ok(Err(of(&error).message)),
            Err(error) => return Err(of(&error)),
        };
        let mut all = 0;
        for message in answered {
            if let SimpleQueryMessage::CommandComplete(count) = message {
                all += count;
            }
        }
        Ok(Ok(all))
    }

    /// Takes the right to migrate, which lives as long as the connection.
    pub(super) fn claim(&mut self) -> Result<(), SourceError> {
        match self.has_claim {
            true => Ok(()),
            false => self.take_claim(),
        }
    }

    fn take_claim(&mut self) -> Result<(), SourceError> {
        self.has_claim = false;
        for tried in 0..CLAIM_TRIES {
            if self.text(&format!("SELECT pg_try_advisory_lock({LOCK})"))? == "t" {
                self.has_claim = true;
                return Ok(());
            }
            if tried + 1 < CLAIM_TRIES {
                world::pause(CLAIM_PAUSE);
            }
        }
        let holder = self.text(&format!(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = {LOCK} AND database = \
             (SELECT oid FROM pg_database WHERE datname = current_database())"
        ))?;
        Err(SourceError::lasting(format!(
            "another `keyfold migrate` is at work on {}, and one at a time reads its changes: stop that run with Ctrl-C \
             first (it is connected as process {holder} of PostgreSQL)",
            self.name
        )))
    }
}

/// A query with the values of its arguments in their places. Places stand outside of quotes: the SQL of a
/// model has none.
fn filled(sql: &str, arguments: &[Cell]) -> Result<String, SourceError> {
    if arguments.is_empty() {
        return Ok(sql.to_owned());
    }
    let mut text = String::new();
    let mut rest = sql;
    let mut quote: Option<char> = None;
    while let Some(letter) = rest.chars().next() {
        let (_, behind) = rest.split_at(letter.len_utf8());
        let digits: usize = match (quote, letter) {
            (None, '$') => behind.bytes().take_while(u8::is_ascii_digit).count(),
            _ => 0,
        };
        if digits > 0 {
            let (number, after) = behind.split_at(digits);
            let number = number.parse::<usize>().unwrap_or(0);
            let argument = number.checked_sub(1).and_then(|at| arguments.get(at));
            let Some(argument) = argument else {
                return Err(SourceError::lasting(format!("${number} has no value")));
            };
            text.push_str(&written(argument)?);
            rest = after;
            continue;
        }
        match quote {
            Some(open) if open == letter => quote = None,
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            Some(_) | None => {}
        }
        text.push(letter);
        rest = behind;
    }
    Ok(text)
}

/// A value as SQL writes it.
fn written(cell: &Cell) -> Result<String, SourceError> {
    Ok(match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Integer(number) => literal(&number.to_string()),
        Cell::Real(number) => literal(&number.to_string()),
        Cell::Text(text) if text.contains('\0') => {
            return Err(SourceError::lasting(
                "a text of PostgreSQL has no NUL in it",
            ));
        }
        Cell::Text(text) => literal(text),
        Cell::Bytes(bytes) => literal(&value::hex(bytes)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stand_in_their_places_and_nowhere_else() {
        let sql = r#"SELECT '$1', "$2" FROM t WHERE (a, b) > ($1, $2) OR c = $10"#;
        let mut arguments = vec![Cell::Text("it's $2".to_owned()), Cell::Integer(-5)];
        arguments.resize(9, Cell::Null);
        arguments.push(Cell::Bytes(vec![0, 255]));
        let found = filled(sql, &arguments).map_err(|error| error.message);
        let due = r#"SELECT '$1', "$2" FROM t WHERE (a, b) > ('it''s $2', '-5') OR c = '\x00ff'"#;
        assert_eq!(found.as_deref(), Ok(due));
        assert!(filled("$3", &[Cell::Null]).is_err());
        assert!(filled("$1", &[Cell::Text("\0".to_owned())]).is_err());
    }

    #[test]
    fn a_name_holds_no_password() {
        let config = Config::from_str("postgres://me:secret@db.example:6000/shop");
        assert_eq!(
            config.map(|config| name(&config)).ok().as_deref(),
            Some("postgres://db.example:6000/shop")
        );
    }
}
