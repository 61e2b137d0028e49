//! A connection to MariaDB, which is made again when it is lost. Rows are asked for by prepared statements,
//! whose answers hold exact numbers.

use super::value;
use crate::cell::Cell;
use crate::source::SourceError;
use crate::{untrusted, world};
use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable as _;
use mysql::{Conn, DriverError, Opts, OptsBuilder, Params, SslOpts, Value};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::time::Duration;

/// How long a server is waited for that does not answer a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The error of a user whom the server does not know, or of a wrong password.
const REFUSED: u16 = 1045;
/// A connection that says nothing for so long is looked at, whether somebody is there.
const ALIVE: u32 = 30_000;
/// What a session is like, whatever the server or the user has set.
const FORMS: [&str; 3] = [
    "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci",
    "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO', time_zone = \
     '+00:00', lc_time_names = 'en_US', default_week_format = 0, div_precision_increment = 4, sql_quote_show_create = 1, sql_select_limit = \
     DEFAULT, wait_timeout = 604800, net_write_timeout = 600, max_statement_time = 0, lock_wait_timeout = 30",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
];
/// How long the right to migrate is waited for: the server notices a moment later that the run before has ended.
const CLAIM_SECONDS: u32 = 4;
/// What an error of the server begins with.
const SAYS: &str = "MariaDB says: ";
/// The statements that a connection keeps prepared.
const PREPARED_MAX: usize = 128;

/// Errors that pass: too many connections, a server that ends, a lock or a deadlock, a statement that was ended,
/// a table that was changed in the middle of a snapshot.
const PASSING: [u16; 12] = [
    1040, 1053, 1158, 1159, 1160, 1161, 1203, 1205, 1213, 1317, 1412, 1927,
];

/// A connection, and how it is made.
pub(super) struct Session {
    opts: Opts,
    name: String,
    database: String,
    conn: Option<Conn>,
    /// Whether it has the right to migrate.
    has_claim: bool,
    /// Whether a transaction was begun, which is lost with the connection.
    is_within: bool,
}

/// Why TLS is what a connection fails by, if it does not pass.
fn fault(error: &mysql::Error) -> Option<String> {
    let fault = match error {
        mysql::Error::IoError(error) => untrusted::fault(error)?.to_string(),
        mysql::Error::CodecError(error) => untrusted::fault(error)?.to_string(),
        mysql::Error::TlsError(error) => error.to_string(),
        mysql::Error::MySqlError(_)
        | mysql::Error::DriverError(_)
        | mysql::Error::UrlError(_)
        | mysql::Error::FromValueError(_)
        | mysql::Error::FromRowError(_) => return None,
    };
    Some(format!(
        "TLS fails: {fault} (`require_ssl=true` checks the certificate, by the public authorities and those of \
         `root_cert_path=FILE`; `danger_skip_domain_validation=true` takes one for another host, too)"
    ))
}

/// What a driver finds wrong with a connection, for people: some of its errors are written for programmers.
fn unreachable(error: &mysql::Error) -> String {
    let mysql::Error::DriverError(found) = error else {
        return error.to_string();
    };
    match found {
        DriverError::CouldNotConnect(Some((address, why, _))) => {
            format!("nothing takes a connection at {address} ({why})")
        }
        DriverError::CouldNotConnect(None) => "its address is unknown".to_owned(),
        DriverError::ConnectTimeout | DriverError::Timeout => "it takes too long".to_owned(),
        DriverError::UnexpectedPacket => "the connection ended within an answer".to_owned(),
        other => other.to_string(),
    }
}

/// What a server says of a mistake.
pub(super) fn of(error: &mysql::Error) -> SourceError {
    if let Some(fault) = fault(error) {
        return SourceError::lasting(fault);
    }
    let (message, may_pass) = match error {
        mysql::Error::MySqlError(said) => (
            format!("{SAYS}{}", said.message),
            PASSING.contains(&said.code),
        ),
        mysql::Error::IoError(_) | mysql::Error::CodecError(_) => {
            (format!("MariaDB does not answer: {error}"), true)
        }
        mysql::Error::DriverError(
            DriverError::ConnectTimeout
            | DriverError::CouldNotConnect(_)
            | DriverError::Timeout
            | DriverError::UnexpectedPacket,
        ) => (
            format!("MariaDB does not answer: {}", unreachable(error)),
            true,
        ),
        other => (format!("MariaDB cannot be used: {other}"), false),
    };
    SourceError { message, may_pass }
}

/// Whether a constraint, a type or a trigger of the program refuses values.
fn is_refusal(error: &mysql::Error) -> bool {
    const CLASSES: [&str; 3] = ["22", "23", "45"];
    // Data that are cut, a column without a default, a value of another type, no partition.
    const CODES: [u16; 4] = [1265, 1364, 1366, 1526];
    let mysql::Error::MySqlError(said) = error else {
        return false;
    };
    let mut classes = CLASSES.iter();
    classes.any(|class| said.state.starts_with(class)) || CODES.contains(&said.code)
}

/// Whether an error says that a right is missing.
pub(super) fn is_right(error: &mysql::Error) -> bool {
    matches!(error, mysql::Error::MySqlError(said) if [1044, 1045, 1142, 1227].contains(&said.code))
}

/// Why a server of a version is not read; `None` for a MariaDB, whose version has its name in it.
fn refused(version: &str) -> Option<String> {
    (!version.contains("MariaDB")).then(|| {
        format!(
            "is no MariaDB (its version is {version}): MySQL is not read, because a snapshot of it does not say which place of its \
             binary log it holds. Load a copy of it into MariaDB, PostgreSQL or SQLite while no program writes, and \
             migrate from there with `--once`"
        )
    })
}

/// How a database is connected to.
fn options(text: &str) -> Result<Opts, SourceError> {
    let address = text.split_once("://").map_or("", |(_, address)| address);
    let (address, has_tls) = without_tls(address);
    let opts = Opts::from_url(&format!("mysql://{address}")).map_err(|error| {
        SourceError::lasting(format!(
            "this names no database of MariaDB ({error}); it is mysql://USER@HOST:PORT/DATABASE"
        ))
    })?;
    if opts.get_db_name().is_none_or(str::is_empty) {
        return Err(SourceError::lasting(
            "this names no database of MariaDB; it is mysql://USER@HOST:PORT/DATABASE",
        ));
    }
    let password = opts.get_pass().map(str::to_owned);
    let password = password.or_else(|| world::password("MYSQL_PWD"));
    let within = opts.get_tcp_connect_timeout().unwrap_or(CONNECT_WITHIN);
    let tls = opts.get_ssl_opts().cloned();
    let tls = tls.or_else(|| has_tls.then(SslOpts::default));
    let roots = tls.as_ref().and_then(SslOpts::root_cert_path);
    if let Some(file) = roots.filter(|file| !file.is_file()) {
        let file = file.display();
        return Err(SourceError::lasting(format!(
            "`root_cert_path={file}` is no file with certificates"
        )));
    }
    let builder = OptsBuilder::from_opts(opts)
        .ssl_opts(tls)
        .pass(password)
        .tcp_connect_timeout(Some(within))
        .tcp_keepalive_time_ms(Some(ALIVE))
        .prefer_socket(false)
        // A row that is as it was is found all the same.
        .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS)
        .stmt_cache_size(PREPARED_MAX);
    Ok(builder.into())
}

/// An address without the option that asks for TLS, and whether it was there.
fn without_tls(address: &str) -> (String, bool) {
    let Some((address, options)) = address.split_once('?') else {
        return (address.to_owned(), false);
    };
    let options = options.split('&');
    let (tls, others): (Vec<&str>, Vec<&str>) = options.partition(|one| *one == "require_ssl=true");
    let others = others.join("&");
    match others.is_empty() {
        true => (address.to_owned(), !tls.is_empty()),
        false => (format!("{address}?{others}"), !tls.is_empty()),
    }
}

/// What names a database, without user and password: these may change while it is migrated.
fn name(opts: &Opts) -> String {
    let database = opts.get_db_name().unwrap_or_default();
    match opts.get_socket() {
        Some(socket) => format!("mariadb://{socket}/{database}"),
        None => {
            let host = opts.get_ip_or_hostname();
            format!("mariadb://{host}:{}/{database}", opts.get_tcp_port())
        }
    }
}

impl Session {
    /// A session with the database that a text names.
    pub(super) fn open(text: &str) -> Result<Session, SourceError> {
        let opts = options(text)?;
        let mut session = Session {
            name: name(&opts),
            database: opts.get_db_name().unwrap_or_default().to_owned(),
            opts,
            conn: None,
            has_claim: false,
            is_within: false,
        };
        session.connect()?;
        Ok(session)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn database(&self) -> &str {
        &self.database
    }

    /// How others are connected to the same server.
    pub(super) fn opts(&self) -> &Opts {
        &self.opts
    }

    /// Connects, if it is not connected.
    fn connect(&mut self) -> Result<(), SourceError> {
        if self.conn.is_some() {
            return Ok(());
        }
        if std::mem::take(&mut self.is_within) {
            return Err(lost());
        }
        let mut conn = Conn::new(self.opts.clone()).map_err(|error| {
            let is_refused =
                matches!(&error, mysql::Error::MySqlError(said) if said.code == REFUSED);
            let mut error = of(&error);
            error.message = format!("cannot connect to {}: {}", self.name, error.message);
            if is_refused {
                error
                    .message
                    .push_str("; MYSQL_PWD holds the password of the user");
            }
            error
        })?;
        let version: Option<String> = conn
            .query_first("SELECT version()")
            .map_err(|error| of(&error))?;
        if let Some(why) = refused(&version.unwrap_or_default()) {
            return Err(SourceError::lasting(format!("{} {why}", self.name)));
        }
        for sql in FORMS {
            conn.query_drop(sql).map_err(|error| of(&error))?;
        }
        self.conn = Some(conn);
        match self.has_claim {
            true => self.take_claim(),
            false => Ok(()),
        }
    }

    /// Asks the server. A connection that does not answer is left.
    fn asked<T>(
        &mut self,
        ask: impl FnOnce(&mut Conn) -> mysql::Result<T>,
    ) -> Result<T, SourceError> {
        self.connect()?;
        let Some(conn) = &mut self.conn else {
            return Err(lost());
        };
        ask(conn).map_err(|error| {
            let is_said = matches!(&error, mysql::Error::MySqlError(said) if ![1053, 1927].contains(&said.code));
            if !is_said {
                self.conn = None;
            }
            of(&error)
        })
    }

    /// Runs a statement that answers nothing.
    pub(super) fn execute(&mut self, sql: &str) -> Result<(), SourceError> {
        self.asked(|conn| conn.query_drop(sql))
    }

    /// The rows of a statement, as texts; NULL is empty.
    pub(super) fn texts(&mut self, sql: &str) -> Result<Vec<Vec<String>>, SourceError> {
        let rows: Vec<mysql::Row> = self.asked(|conn| conn.query(sql))?;
        let text = |value: Value| match value {
            Value::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        };
        Ok(rows
            .into_iter()
            .map(|row| row.unwrap().into_iter().map(text).collect())
            .collect())
    }

    /// The first text of the first row; empty if there is none.
    pub(super) fn text(&mut self, sql: &str) -> Result<String, SourceError> {
        let mut rows = self.texts(sql)?.into_iter();
        let first = rows.next().and_then(|row| row.into_iter().next());
        Ok(first.unwrap_or_default())
    }

    /// The rows of a query with arguments.
    pub(super) fn rows(
        &mut self,
        sql: &str,
        arguments: &[Cell],
    ) -> Result<Vec<Vec<Cell>>, SourceError> {
        let arguments = params(arguments);
        let rows: Vec<mysql::Row> = self.asked(|conn| conn.exec(sql, arguments))?;
        let cells = rows.into_iter().map(|row| {
            let columns = row.columns();
            let pairs = columns.iter().zip(row.unwrap());
            pairs
                .map(|(column, value)| value::cell(column, value))
                .collect()
        });
        Ok(cells.collect())
    }

    /// Begins a snapshot.
    pub(super) fn begin(&mut self) -> Result<(), SourceError> {
        self.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")?;
        self.is_within = true;
        Ok(())
    }

    /// Ends the snapshot. One that is lost has ended.
    pub(super) fn end(&mut self) -> Result<(), SourceError> {
        self.is_within = false;
        match self.conn.is_some() {
            true => self.execute("ROLLBACK"),
            false => Ok(()),
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        self.conn.is_some()
    }

    /// Begins a transaction that writes.
    pub(super) fn begin_writing(&mut self) -> Result<(), SourceError> {
        self.execute("START TRANSACTION READ WRITE")?;
        self.is_within = true;
        Ok(())
    }

    /// Changes rows: how many are found, or why they are refused. What is refused changes nothing, and the transaction
    /// goes on.
    pub(super) fn changed(
        &mut self,
        sql: &str,
        arguments: &[Cell],
    ) -> Result<Result<u64, String>, SourceError> {
        let arguments = params(arguments);
        self.asked(|conn| match conn.exec_drop(sql, arguments) {
            Ok(()) => Ok(Ok(conn.affected_rows())),
            Err(error) if is_refusal(&error) => Ok(Err(of(&error).message)),
            Err(error) => Err(error),
        })
    }

    /// Ends a transaction that writes.
    pub(super) fn commit(&mut self) -> Result<(), SourceError> {
        let ended = self.execute("COMMIT");
        self.is_within = false;
        ended
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
        let digest = Sha256::digest(self.database.as_bytes());
        let digits = digest.iter().take(8).map(|byte| format!("{byte:02x}"));
        let lock = format!("keyfold_{}", digits.collect::<String>());
        if self.text(&format!("SELECT GET_LOCK('{lock}', {CLAIM_SECONDS})"))? == "1" {
            self.has_claim = true;
            return Ok(());
        }
        let holder = self.text(&format!("SELECT IS_USED_LOCK('{lock}')"))?;
        Err(SourceError::lasting(format!(
            "another `keyfold migrate` is at work on {}, and one at a time reads its changes: stop that run with Ctrl-C \
             first (it is connected as process {holder} of MariaDB)",
            self.name
        )))
    }
}

fn lost() -> SourceError {
    SourceError {
        message: "the connection to MariaDB was lost, and its transaction with it".to_owned(),
        may_pass: true,
    }
}

/// The name of the argument with a number, from 1.
pub(super) fn argument_name(number: usize) -> String {
    format!("a{number}")
}

/// The arguments of a statement.
fn params(arguments: &[Cell]) -> Params {
    if arguments.is_empty() {
        return Params::Empty;
    }
    let named = arguments.iter().enumerate();
    let named = named.map(|(at, cell)| (argument_name(at + 1).into_bytes(), value_of(cell)));
    Params::Named(named.collect::<HashMap<_, _>>())
}

fn value_of(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::NULL,
        Cell::Integer(number) => Value::Int(*number),
        Cell::Real(number) => Value::Double(*number),
        Cell::Text(text) => Value::Bytes(text.as_bytes().to_vec()),
        Cell::Bytes(bytes) => Value::Bytes(bytes.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mysql_is_refused_by_its_version() {
        for version in ["8.0.36", "8.4.3-log", "9.1.0", "5.7.44-log", ""] {
            let why = refused(version).unwrap_or_default();
            assert!(why.starts_with("is no MariaDB"), "{why}");
            assert!(why.contains(version), "{why}");
        }
        for version in ["10.11.19-MariaDB-0+deb12u1-log", "5.5.5-10.4.2-MariaDB"] {
            assert_eq!(refused(version), None);
        }
    }

    #[test]
    fn tls_is_asked_for_by_an_option() {
        let is_tls = |text: &str| options(text).is_ok_and(|opts| opts.get_ssl_opts().is_some());
        assert!(is_tls("mysql://me@h/shop?require_ssl=true"));
        // Any file will do, as long as nobody connects.
        let roots = "mysql://me@h/shop?root_cert_path=Cargo.toml";
        assert!(is_tls(roots));
        assert!(is_tls(&format!("{roots}&require_ssl=true")));
        let said = options("mysql://me@h/shop?root_cert_path=none.pem").err();
        let said = said.map_or(String::new(), |error| error.message);
        assert!(
            said.contains("`root_cert_path=none.pem` is no file"),
            "{said}"
        );
        assert!(!is_tls("mysql://me@h/shop?tcp_nodelay=true"));
        assert!(options("mysql://me@h/shop?require_ssl=maybe").is_err());
    }

    #[test]
    fn a_name_holds_no_password() {
        let names = [
            (
                "mysql://me:secret@db.example:3307/shop",
                "mariadb://db.example:3307/shop",
            ),
            (
                "mariadb://me@localhost/shop?socket=/run/m.sock",
                "mariadb:///run/m.sock/shop",
            ),
        ];
        for (text, due) in names {
            let opts = options(text).map_err(|error| error.message);
            assert_eq!(opts.map(|opts| name(&opts)).as_deref(), Ok(due));
        }
        for text in ["mysql://me@localhost", "mysql://me@localhost/", "mysql:x"] {
            assert!(
                options(text).is_err_and(|error| error.message.contains("DATABASE")),
                "{text}"
            );
        }
    }
}
