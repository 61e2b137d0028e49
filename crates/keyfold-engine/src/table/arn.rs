//! Full names (ARNs) of resources: the only place that parses or formats them.
//!
//! Rights and operations use the same parser, so they find the same table. A text that is not
//! valid in every part names nothing.

use keyfold_types::limits::{NAME_CHARS_MAX, NAME_CHARS_MIN};
use std::fmt;

/// `arn:aws:dynamodb:<region>:<account>:table/<table>[/<kind>/<label>]`. Any region and account are
/// accepted, since all regions see the same tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arn<'t> {
    pub(crate) table: &'t str,
    pub(crate) part: Part<'t>,
}

/// The part of a table that a full name denotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    Table,
    Index(&'t str),
    Stream(&'t str),
    Backup(&'t str),
    Export(&'t str),
    Import(&'t str),
}

impl<'t> Arn<'t> {
    /// Parses a full name; none when any part of it is invalid.
    pub(crate) fn parse(text: &'t str) -> Option<Arn<'t>> {
        // A stream's label has colons of its own.
        let mut parts = text.splitn(6, ':');
        let mut next = || parts.next();
        let (scheme, partition, service) = (next()?, next()?, next()?);
        let (region, account, resource) = (next()?, next()?, next()?);
        let is_partition =
            partition == "aws" || partition.strip_prefix("aws-").is_some_and(is_word);
        if scheme != "arn"
            || !is_partition
            || service != "dynamodb"
            || !is_word(region)
            || !is_word(account)
        {
            return None;
        }
        let mut steps = resource.strip_prefix("table/")?.split('/');
        let table = steps.next().filter(|name| is_name(name))?;
        let part = match (steps.next(), steps.next(), steps.next()) {
            (None, ..) => Part::Table,
            (Some("index"), Some(name), None) if is_name(name) => Part::Index(name),
            (Some("stream"), Some(label), None) if is_label(label) => Part::Stream(label),
            (Some("backup"), Some(label), None) if is_label(label) => Part::Backup(label),
            (Some("export"), Some(label), None) if is_label(label) => Part::Export(label),
            (Some("import"), Some(label), None) if is_label(label) => Part::Import(label),
            _ => return None,
        };
        Some(Arn { table, part })
    }
}

/// The catalog's key (table and label) of a full name whose part is of one kind.
fn keyed(text: &str, label: impl FnOnce(Part<'_>) -> Option<&str>) -> Option<(String, String)> {
    let Arn { table, part } = Arn::parse(text)?;
    Some((table.to_owned(), label(part)?.to_owned()))
}

/// Table and label of a stream's full name.
pub(crate) fn stream(text: &str) -> Option<(String, String)> {
    keyed(text, |part| {
        let Part::Stream(label) = part else {
            return None;
        };
        Some(label)
    })
}

/// Table and label of a backup's full name.
pub(crate) fn backup(text: &str) -> Option<(String, String)> {
    keyed(text, |part| {
        let Part::Backup(label) = part else {
            return None;
        };
        Some(label)
    })
}

/// Table and label of an export's full name.
pub(crate) fn export(text: &str) -> Option<(String, String)> {
    keyed(text, |part| {
        let Part::Export(label) = part else {
            return None;
        };
        Some(label)
    })
}

/// Table and label of an import's full name.
pub(crate) fn import(text: &str) -> Option<(String, String)> {
    keyed(text, |part| {
        let Part::Import(label) = part else {
            return None;
        };
        Some(label)
    })
}

/// The table of a member that takes a name or the full name of a table. Any other text is returned
/// as it is; with a colon it is no valid name either.
pub(crate) fn named_table(text: &str) -> &str {
    match Arn::parse(text) {
        Some(Arn {
            table,
            part: Part::Table,
        }) => table,
        _ => text,
    }
}

/// The table that a text of a request names: a name, a full name of any kind, or an iterator, which
/// begins with the full name of its stream. None for any other text.
pub(crate) fn about(text: &str) -> Option<&str> {
    let text = text.split_once('|').map_or(text, |(arn, _)| arn);
    if !text.contains([':', '/']) {
        return Some(text);
    }
    Arn::parse(text).map(|arn| arn.table)
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Table => Ok(()),
            Part::Index(name) => write!(out, "/index/{name}"),
            Part::Stream(label) => write!(out, "/stream/{label}"),
            Part::Backup(label) => write!(out, "/backup/{label}"),
            Part::Export(label) => write!(out, "/export/{label}"),
            Part::Import(label) => write!(out, "/import/{label}"),
        }
    }
}

fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn is_name(text: &str) -> bool {
    (NAME_CHARS_MIN..=NAME_CHARS_MAX).contains(&text.len()) && text.bytes().all(is_name_byte)
}

/// Whether a text may be a label: a time of a stream, hexadecimal digits of other parts.
fn is_label(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_complete_names_are_parsed() {
        let read = |text: &str| Arn::parse(text).is_some();
        for good in [
            "arn:aws:dynamodb:eu-west-1:000000000000:table/Secret",
            "arn:aws-cn:dynamodb:cn-north-1:000000000000:table/Secret/index/ByName",
            "arn:aws:dynamodb:eu-west-1:000000000000:table/Secret/stream/2026-01-01T00:00:00.000",
            "arn:aws:dynamodb:eu-west-1:000000000000:table/Secret/backup/01548278-abcdef",
        ] {
            assert!(read(good), "{good}");
            for odd in [
                format!("x{good}"),
                format!(" {good}"),
                format!("{good} "),
                format!("{good}/"),
                format!("{good}\n"),
                format!("{good}/backup/1/2"),
                good.replacen("arn", "ARN", 1),
                good.replacen("dynamodb", "s3", 1),
                good.replacen("table/", "table//", 1),
                good.replacen("table/", "table/../table/", 1),
                good.replacen("table/", "table/Mine:table/", 1),
                good.replacen("Secret", "%53ecret", 1),
                good.replacen("Secret", "Ｓecret", 1),
                good.replacen("Secret", "Secret\0", 1),
                good.replacen("000000000000", "", 1),
                good.replacen(":table", "table", 1),
            ] {
                assert!(!read(&odd), "{odd}");
            }
        }
    }

    #[test]
    fn invalid_names_are_about_nothing() {
        assert_eq!(about("Secret"), Some("Secret"));
        assert_eq!(
            about("arn:aws:dynamodb:x:0:table/Secret/stream/1|1|AAAA"),
            Some("Secret")
        );
        for text in [
            "x:table/Secret/stream/1",
            ":table/Secret",
            "table/Secret",
            "arn:aws:dynamodb:x:0:table",
        ] {
            assert_eq!(about(text), None, "{text}");
            assert_eq!(named_table(text), text);
        }
    }

    proptest! {
        /// A name has one spelling behind the account.
        #[test]
        fn a_parsed_name_is_formatted_the_same(
            rest in "(table/)?[a-zA-Z:/.%-]{0,12}(Secret|[a-z]{3,8})(/(index|stream|backup|export|import)/[a-zA-Z0-9:./-]{0,8}){0,2}",
            head in "(arn:aws:dynamodb:eu:0:|arn:aws:s3:eu:0:|xarn:aws:dynamodb:eu:0:|arn:aws:dynamodb::0:)",
        ) {
            let text = format!("{head}{rest}");
            if let Some(arn) = Arn::parse(&text) {
                prop_assert_eq!(format!("arn:aws:dynamodb:eu:0:table/{}{}", arn.table, arn.part), text);
            }
        }
    }
}
