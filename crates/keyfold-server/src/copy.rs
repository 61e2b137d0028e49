//! Keyfold's own operation: copying the data folder while others read and write.

use crate::auth::Caller;
use crate::config::Access;
use crate::service::Service;
use keyfold_api::{ApiError, ErrorKind, Validation};
use keyfold_wire::admin::{decode_copy, encode_copied};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest name of a copy.
const NAME_BYTES_MAX: usize = 200;

/// Copies the data folder; returns the answer's body.
pub(crate) async fn data_folder(
    service: &Service,
    caller: &Caller<'_>,
    body: &[u8],
) -> Result<Vec<u8>, ApiError> {
    // The copy holds every table.
    if caller
        .credential
        .is_some_and(|credential| credential.to_everything() < Access::ReadWrite)
    {
        let sentence =
            "A copy of the data folder needs the right read-write to every table".to_owned();
        return Err(ApiError::Plain(ErrorKind::AccessDenied, sentence));
    }
    let name = decode_copy(body)?;
    let to = destination(service.config.backups.as_deref(), &name)?;
    let engine = Arc::clone(&service.engine);
    // A copy can take long, so it does not run on a thread that answers other requests.
    let copied = tokio::task::spawn_blocking(move || engine.copy_to(&to)).await;
    let keys = copied
        .map_err(|error| ApiError::Internal(error.to_string()))?
        .map_err(|error| {
            if let ApiError::Validation(reason) = error {
                refused(format!("The copy {name} cannot be made: {reason}"))
            } else {
                error
            }
        })?;
    let mut out = Vec::new();
    encode_copied(&mut out, keys);
    Ok(out)
}

fn refused(sentence: String) -> ApiError {
    Validation::Sentence(sentence).into()
}

/// The folder of a copy: a direct child of the folder that the server was started with.
fn destination(backups: Option<&Path>, name: &str) -> Result<PathBuf, ApiError> {
    let Some(backups) = backups else {
        let advice = "The server has no folder for copies; start it with --backups DIR";
        return Err(refused(advice.to_owned()));
    };
    let is_name = !name.starts_with('.')
        && (1..=NAME_BYTES_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if !is_name {
        return Err(refused(format!(
            "`{name}` is no name for a copy: it takes up to {NAME_BYTES_MAX} letters, digits, `_`, `-` and `.`, and does not begin with `.`"
        )));
    }
    let to = backups.join(name);
    // A link would lead elsewhere.
    match std::fs::symlink_metadata(&to) {
        Ok(found) if !found.is_dir() => Err(refused(format!(
            "There is something else called {name} among the copies"
        ))),
        _ => Ok(to),
    }
}

#[cfg(test)]
mod tests {
    use super::destination;

    #[test]
    fn copies_are_direct_children_of_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let backups = Some(folder.path());
        assert_eq!(
            destination(backups, "monday-1.2").unwrap(),
            folder.path().join("monday-1.2")
        );
        assert!(destination(None, "monday").is_err());
        for odd in [
            "",
            ".",
            "..",
            "../x",
            "/etc/x",
            "a/b",
            "a\\b",
            ".hidden",
            "a\0b",
            "ä",
            &"n".repeat(201),
        ] {
            assert!(destination(backups, odd).is_err(), "{odd:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/tmp", folder.path().join("link")).unwrap();
            assert!(destination(backups, "link").is_err());
        }
    }
}
