//! How commands name the place of a workbench, and texts as words of a shell.

use std::path::Path;

/// How commands name a place.
pub(in crate::cmd) struct Named {
    /// As a connection, for `--at`.
    pub(super) at: String,
    /// As the options of the commands that take `--endpoint`, `--data` or `--connection`.
    pub(super) options: String,
}

impl Named {
    /// A server, by its address with what the text says beside it, or Amazon DynamoDB.
    pub(in crate::cmd) fn server(text: &str) -> Named {
        let at = word(text);
        Named {
            options: format!("--endpoint {at}"),
            at,
        }
    }

    /// A data folder.
    pub(in crate::cmd) fn folder(folder: &Path) -> Named {
        Named {
            at: word(&format!("keyfold:{}", folder.display())),
            options: format!("--data {}", word(&folder.display().to_string())),
        }
    }

    /// A connection of `keyfold.toml`.
    pub(in crate::cmd) fn connection(name: &str) -> Named {
        let at = word(name);
        Named {
            options: format!("--connection {at}"),
            at,
        }
    }

    /// A place that no other process can open: no command goes on there.
    pub(in crate::cmd) fn nowhere() -> Named {
        Named {
            at: String::new(),
            options: String::new(),
        }
    }

    /// A command at this place; none where no other process can open it.
    pub(super) fn command(&self, command: impl FnOnce(&Named) -> String) -> String {
        match self.at.is_empty() {
            true => String::new(),
            false => command(self),
        }
    }
}

/// A path as one word of a shell.
pub(super) fn path_word(path: &Path) -> String {
    word(&path.display().to_string())
}

/// A text as one word of a POSIX shell.
pub(super) fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@%+=,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_word_of_a_shell() {
        assert_eq!(word("http://127.0.0.1:8000"), "http://127.0.0.1:8000");
        assert_eq!(word("https://h?ca=a b.pem"), "'https://h?ca=a b.pem'");
        assert_eq!(word("it's"), "'it'\\''s'");
        assert_eq!(word(""), "''");
    }
}
