//! Profiles of the shared AWS files, `~/.aws/config` and `~/.aws/credentials`: their region and
//! their static keys. How they are written is in the AWS SDKs and Tools Reference Guide, "Shared
//! config and credentials files".
//!
//! Not here: credentials that a profile gets elsewhere (single sign-on, roles, processes). They are
//! found by name.

use super::keys::{Keys, Names};
use super::surroundings::{Shared, Surroundings};
use keyfold_model::near;
use std::collections::BTreeMap;

/// The settings of a profile, by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    settings: BTreeMap<String, String>,
}

/// Settings by which a profile gets credentials from elsewhere.
const ELSEWHERE: [&str; 6] = [
    "sso_session",
    "sso_start_url",
    "login_session",
    "role_arn",
    "credential_process",
    "web_identity_token_file",
];

impl Profile {
    /// The profile of a name in both files; `None` when neither has it. A setting of the file of
    /// credentials goes before one of the file of settings.
    ///
    /// # Errors
    /// A sentence when a file cannot be read.
    pub(super) fn find(
        name: &str,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<Profile>, String> {
        Ok(all(surroundings)?.remove(name))
    }

    /// The profile of a name that a user wrote.
    ///
    /// # Errors
    /// A sentence when neither file has it, or one cannot be read.
    pub(super) fn named(name: &str, surroundings: &Surroundings<'_>) -> Result<Profile, String> {
        let mut all = all(surroundings)?;
        all.remove(name).ok_or_else(|| {
            let meant = near::meant(name, all.keys().map(String::as_str));
            let (config, _) = surroundings.shared_file(Shared::Config).unwrap_or_default();
            let (credentials, _) = surroundings
                .shared_file(Shared::Credentials)
                .unwrap_or_default();
            format!(
                "there is no profile `{name}` in {} and {}{meant}",
                config.display(),
                credentials.display()
            )
        })
    }

    /// A setting that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.settings
            .get(name)
            .filter(|text| !text.is_empty())
            .cloned()
    }

    /// The setting by which the profile gets credentials from elsewhere.
    pub(super) fn elsewhere(&self) -> Option<&'static str> {
        ELSEWHERE.into_iter().find(|one| self.get(one).is_some())
    }

    /// The static keys; `None` when the profile has none.
    ///
    /// # Errors
    /// A sentence when it has half of them, or one with a character that none has.
    pub(super) fn keys(&self, name: &str) -> Result<Option<Keys>, String> {
        match (
            self.get("aws_access_key_id"),
            self.get("aws_secret_access_key"),
        ) {
            (Some(access_key), Some(secret)) => {
                let keys = Keys {
                    access_key,
                    secret,
                    session_token: self.get("aws_session_token"),
                };
                let of = |setting: &str| format!("{setting} of the profile `{name}`");
                let checked = keys.checked(&Names {
                    access_key: &of("aws_access_key_id"),
                    secret: &of("aws_secret_access_key"),
                    session_token: &of("aws_session_token"),
                });
                checked.map(Some)
            }
            (Some(_), None) => Err(format!(
                "the profile `{name}` has aws_access_key_id without aws_secret_access_key"
            )),
            (None, Some(_)) => Err(format!(
                "the profile `{name}` has aws_secret_access_key without aws_access_key_id"
            )),
            (None, None) => Ok(None),
        }
    }
}

/// All profiles of both files.
fn all(surroundings: &Surroundings<'_>) -> Result<BTreeMap<String, Profile>, String> {
    let mut profiles: BTreeMap<String, Profile> = BTreeMap::new();
    for shared in [Shared::Config, Shared::Credentials] {
        let (_, text) = surroundings.shared_file(shared)?;
        for (section, settings) in sections(&text.unwrap_or_default()) {
            let Some(name) = profile_of(&section, shared) else {
                continue;
            };
            let profile = profiles.entry(name).or_default();
            profile.settings.extend(settings);
        }
    }
    Ok(profiles)
}

/// The profile that a section is about. The file of settings says `[profile NAME]`, and has other
/// sections.
fn profile_of(section: &str, shared: Shared) -> Option<String> {
    let name = match shared {
        Shared::Credentials => section,
        Shared::Config if section == "default" => section,
        Shared::Config => {
            let name = section.strip_prefix("profile")?;
            name.starts_with(char::is_whitespace).then_some(name)?
        }
    };
    Some(name.trim().to_owned())
}

/// The sections of a file with their settings. A line that is indented belongs to the setting above
/// it, and is no setting.
fn sections(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut sections: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        if line.starts_with(char::is_whitespace) || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let name = rest.split_once(']').map_or("", |(name, _)| name);
            sections.push((name.trim().to_owned(), BTreeMap::new()));
        } else if let (Some((name, value)), Some((_, settings))) =
            (line.split_once('='), sections.last_mut())
        {
            let value = without_comment(value).trim().to_owned();
            settings.insert(name.trim().to_ascii_lowercase(), value);
        }
    }
    sections
}

/// A value without the comment behind it, which stands behind a blank.
fn without_comment(value: &str) -> &str {
    let starts = [" #", " ;", "\t#", "\t;"];
    let ends = starts.iter().filter_map(|start| value.find(start));
    ends.min().and_then(|end| value.get(..end)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(config: &'static str, credentials: &'static str) -> Surroundings<'static> {
        Surroundings::new(
            |name| (name == "HOME").then(|| "/ada".to_owned()),
            move |path| {
                Ok(match path.to_str().unwrap_or_default() {
                    "/ada/.aws/config" => Some(config.to_owned()),
                    "/ada/.aws/credentials" => Some(credentials.to_owned()),
                    _ => None,
                })
            },
        )
    }

    #[test]
    fn the_files_are_read_as_the_sdks_read_them() {
        let around = surroundings(
            "\u{feff}# of the team\n[default]\nregion = eu-west-1 # Ireland\ns3 =\n  region = wrong\n\
             [profile  the team]\nAWS_Access_Key_Id=config\r\naws_secret_access_key=a=b#c\n\
             [profiled]\nregion = no\n[sso-session x]\nsso_region = no\n",
            "[the team]\naws_access_key_id = credentials\naws_session_token =\n[ default ]\nx = y\n",
        );
        let default = Profile::named("default", &around).unwrap();
        assert_eq!(default.get("region").as_deref(), Some("eu-west-1"));
        assert_eq!(default.get("x").as_deref(), Some("y"));
        assert_eq!(default.keys("default"), Ok(None));
        let team = Profile::named("the team", &around).unwrap();
        let keys = team.keys("the team").unwrap().unwrap();
        assert_eq!(
            (keys.access_key.as_str(), keys.secret.as_str()),
            ("credentials", "a=b#c")
        );
        assert_eq!(keys.session_token, None);
        let missing = Profile::named("the taem", &around).unwrap_err();
        assert!(missing.contains("did you mean `the team`"), "{missing}");
        assert!(missing.contains("/ada/.aws/config"), "{missing}");
        assert_eq!(Profile::find("profiled", &around), Ok(None));
    }

    #[test]
    fn credentials_that_come_from_elsewhere_are_named() {
        let around = surroundings(
            "[profile a]\nsso_session = team\n[profile b]\nrole_arn = arn\nsource_profile = a\n",
            "[c]\naws_access_key_id = half\n[d]\naws_secret_access_key = half\n",
        );
        for (name, why) in [
            ("c", "without aws_secret_access_key"),
            ("d", "without aws_access_key_id"),
        ] {
            let profile = Profile::named(name, &around).unwrap();
            let error = profile.keys(name).unwrap_err();
            assert!(error.contains(why), "{name}: {error}");
        }
        for (name, setting) in [("a", "sso_session"), ("b", "role_arn")] {
            let profile = Profile::named(name, &around).unwrap();
            assert_eq!(profile.elsewhere(), Some(setting));
            assert_eq!(profile.keys(name), Ok(None));
        }
    }
}
