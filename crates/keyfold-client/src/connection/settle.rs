//! Settles a connection: address, region and credentials of an endpoint.

use super::keys::{Keys, of_environment};
use super::profile::Profile;
use super::surroundings::Surroundings;
use super::{Asked, Connection};
use crate::amazon;
use crate::endpoint::{Elsewhere, Endpoint, address};
use keyfold_lower::ClientError;
use keyfold_model::value::shown_text;

const REGIONS: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];
/// Variables of sources that are asked by the feature `aws`.
const SOURCES: [&str; 3] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

impl Connection {
    /// The endpoint of a connection, with region and credentials; `None` when the engine is in this
    /// process.
    ///
    /// - Region: the text's, that in the name of Amazon's host, AWS_REGION, AWS_DEFAULT_REGION, or the
    ///   profile's.
    /// - Credentials: those of the profile that the text names; else AWS_ACCESS_KEY_ID,
    ///   AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else those of AWS_PROFILE or of the default
    ///   profile, which are not sent to an address without TLS. With the feature `aws`, a profile may
    ///   get them elsewhere, and Amazon's endpoints ask web identities, containers and instances,
    ///   too. An endpoint that is not Amazon's gets `local` where there are none.
    /// - Address of `dynamodb://`: Amazon's of the region, whatever AWS_ENDPOINT_URL says.
    ///
    /// - Certificate authorities: those of the file `ca`; of AWS_CA_BUNDLE; the public ones.
    ///
    /// # Errors
    /// `Invalid` when there is no region or there are no credentials where some are needed, when
    /// they are incomplete or have characters that they cannot have, or when a shared file or that of the authorities cannot be read.
    pub fn endpoint(
        &self,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<Endpoint>, ClientError> {
        let settled = match self {
            Connection::Memory | Connection::Folder(_) => return Ok(None),
            Connection::Endpoint { url, asked } => settle(Some(url.clone()), asked, surroundings),
            Connection::Amazon(asked) => settle(None, asked, surroundings),
        };
        let settled = settled.and_then(|endpoint| trusting(endpoint, self, surroundings));
        settled.map(Some).map_err(ClientError::Invalid)
    }
}

/// The settings, with the authorities of `?ca=` or of AWS_CA_BUNDLE where connections have TLS.
fn trusting(
    endpoint: Endpoint,
    connection: &Connection,
    surroundings: &Surroundings<'_>,
) -> Result<Endpoint, String> {
    let named = match connection {
        Connection::Endpoint { asked, .. } | Connection::Amazon(asked) => asked.ca.as_deref(),
        Connection::Memory | Connection::Folder(_) => None,
    };
    if !is_encrypted(&endpoint.url) {
        return match named {
            Some(_) => Err("`ca` is of https, and the address has no TLS".to_owned()),
            None => Ok(endpoint),
        };
    }
    let authorities = surroundings.authorities(named)?;
    Ok(Endpoint {
        authorities,
        ..endpoint
    })
}

/// The settings of an address, or of Amazon's in the region.
fn settle(
    url: Option<String>,
    asked: &Asked,
    surroundings: &Surroundings<'_>,
) -> Result<Endpoint, String> {
    let is_open = url.as_deref().is_some_and(|url| !is_encrypted(url));
    let profile = match &asked.profile {
        Some(name) => Some((name.clone(), Profile::named(name, surroundings)?)),
        None if is_open => None,
        None => usual_profile(surroundings)?,
    };
    let region = region(url.as_deref(), asked, profile.as_ref(), surroundings)?;
    let is_amazon = url.as_deref().is_none_or(is_amazons);
    let url = match (url, &region) {
        (Some(url), _) => url,
        (None, Some(region)) => amazon::of_region(region),
        (None, None) => {
            return Err(
                "there is no region: write dynamodb://eu-west-1, or set AWS_REGION".to_owned(),
            );
        }
    };
    let mut endpoint = Endpoint::new(&url);
    if let Some(region) = region {
        endpoint.region = region;
    }
    match found(asked, profile.as_ref(), surroundings)? {
        Some(Found::Keys(keys)) => {
            endpoint.access_key = keys.access_key;
            endpoint.secret = keys.secret;
            endpoint.session_token = keys.session_token;
        }
        Some(Found::Elsewhere(elsewhere)) => endpoint.elsewhere = Some(elsewhere),
        None if is_amazon => {
            let all = Elsewhere { profile: None };
            endpoint.elsewhere = Some(if_asked(all, || no_credentials(surroundings))?);
        }
        None => {}
    }
    Ok(endpoint)
}

/// The region: the text's, that of Amazon's host, the environment's, or the profile's.
///
/// # Errors
/// A sentence when it is no region.
fn region(
    url: Option<&str>,
    asked: &Asked,
    profile: Option<&(String, Profile)>,
    surroundings: &Surroundings<'_>,
) -> Result<Option<String>, String> {
    let of_text = || {
        asked
            .region
            .clone()
            .map(|name| (name, "the connection".to_owned()))
    };
    let of_host = || {
        let host = address(url?).ok()?.host;
        amazon::region_in(&host).map(|name| (name, host))
    };
    let of_environment = || {
        let set =
            |variable: &&str| Some((surroundings.variable(variable)?, (*variable).to_owned()));
        REGIONS.iter().find_map(set)
    };
    let of_profile = || {
        let (name, profile) = profile?;
        Some((profile.get("region")?, format!("the profile `{name}`")))
    };
    let found = of_text().or_else(of_host);
    match found.or_else(of_environment).or_else(of_profile) {
        Some((name, place)) if !amazon::is_region(&name) => Err(format!(
            "`{}` of {place} is no region; one looks like eu-west-1",
            shown_text(&name)
        )),
        found => Ok(found.map(|(name, _)| name)),
    }
}

/// Credentials, or their place.
enum Found {
    Keys(Keys),
    Elsewhere(Elsewhere),
}

/// The credentials of the profile that the text names, of the environment, or of the usual profile.
fn found(
    asked: &Asked,
    profile: Option<&(String, Profile)>,
    surroundings: &Surroundings<'_>,
) -> Result<Option<Found>, String> {
    if asked.profile.is_none()
        && let Some(keys) = of_environment(surroundings)?
    {
        return Ok(Some(Found::Keys(keys)));
    }
    let Some((name, profile)) = profile else {
        return Ok(None);
    };
    if let Some(keys) = profile.keys(name)? {
        return Ok(Some(Found::Keys(keys)));
    }
    if let Some(setting) = profile.elsewhere() {
        let elsewhere = Elsewhere {
            profile: Some(name.clone()),
        };
        let elsewhere = if_asked(elsewhere, || {
            format!(
                "the profile `{name}` gets its credentials by `{setting}`, which needs the feature \
                 `aws` (of the crate keyfold, or of keyfold-cli for the command); without it, run \
                 `eval \"$(aws configure export-credentials --profile {name} --format env)\"` and \
                 name no profile in the connection"
            )
        });
        return elsewhere.map(|elsewhere| Some(Found::Elsewhere(elsewhere)));
    }
    match &asked.profile {
        Some(_) => Err(format!("the profile `{name}` has no aws_access_key_id")),
        None => Ok(None),
    }
}

/// A place of credentials, if this program was built to ask it.
fn if_asked(elsewhere: Elsewhere, why: impl FnOnce() -> String) -> Result<Elsewhere, String> {
    match cfg!(feature = "aws") {
        true => Ok(elsewhere),
        false => Err(why()),
    }
}

/// The profile of a program that names none.
fn usual_profile(surroundings: &Surroundings<'_>) -> Result<Option<(String, Profile)>, String> {
    if let Some(name) = surroundings.variable("AWS_PROFILE") {
        let profile = Profile::named(&name, surroundings)?;
        return Ok(Some((name, profile)));
    }
    let profile = Profile::find("default", surroundings)?;
    Ok(profile.map(|profile| ("default".to_owned(), profile)))
}

fn no_credentials(surroundings: &Surroundings<'_>) -> String {
    let fix = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile that has them: \
               dynamodb://eu-west-1?profile=NAME";
    match SOURCES
        .iter()
        .find(|name| surroundings.variable(name).is_some())
    {
        None => format!("Amazon DynamoDB needs credentials, and there are none: {fix}"),
        Some(source) => {
            format!(
                "the credentials of {source} need the feature `aws` (of the crate keyfold, or of keyfold-cli for the command); without it, {fix}"
            )
        }
    }
}

fn is_encrypted(url: &str) -> bool {
    url.get(..6)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

impl Connection {
    /// Whether it is one of Amazon's services.
    pub fn is_amazon(&self) -> bool {
        match self {
            Connection::Amazon(_) => true,
            Connection::Endpoint { url, .. } => is_amazons(url),
            Connection::Memory | Connection::Folder(_) => false,
        }
    }

    /// Whether it is on this machine.
    pub fn is_here(&self) -> bool {
        match self {
            Connection::Memory | Connection::Folder(_) => true,
            Connection::Endpoint { url, .. } => address(url).is_ok_and(|one| one.is_near()),
            Connection::Amazon(_) => false,
        }
    }
}

/// Whether an address is one of Amazon's services.
fn is_amazons(url: &str) -> bool {
    address(url).is_ok_and(|address| amazon::is_amazons(&address.host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const CONFIG: &str = "[default]\nregion = eu-central-1\naws_access_key_id = D\n\
                          aws_secret_access_key = d\n[profile prod]\nregion = ap-south-1\n\
                          aws_access_key_id = P\naws_secret_access_key = p\naws_session_token = t\n\
                          [profile bare]\nregion = eu-west-3\n[profile sso]\nsso_session = x\n\
                          [profile far]\nregion = the moon\n\
                          [profile torn]\naws_access_key_id = T\naws_secret_access_key = a b\n";

    /// What an endpoint came to: its address, region, keys; or the reason.
    fn settled(text: &str, variables: &[(&str, &str)], config: &str) -> String {
        let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
        let around = Surroundings::new(
            |name| variables.get(name).map(|text| (*text).to_owned()),
            |path| Ok(path.ends_with("config").then(|| config.to_owned())),
        );
        let connection: Connection = text.parse().unwrap();
        match connection.endpoint(&around) {
            Ok(None) => "none".to_owned(),
            Ok(Some(Endpoint {
                elsewhere: Some(elsewhere),
                ..
            })) => format!("{:?}", elsewhere.profile),
            Ok(Some(endpoint)) => format!(
                "{} {} {}:{}:{}",
                endpoint.url,
                endpoint.region,
                endpoint.access_key,
                endpoint.secret,
                endpoint.session_token.unwrap_or_default()
            ),
            Err(error) => error.to_string(),
        }
    }

    const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "E"), ("AWS_SECRET_ACCESS_KEY", "e")];

    #[test]
    fn region_and_credentials_come_from_the_nearest_place() {
        let local = "http://127.0.0.1:8000";
        for (text, variables, expected) in [
            ("memory:", &[][..], "none"),
            ("keyfold:x", &[], "none"),
            // Keys of a file are not sent without TLS, unless the text names the profile.
            (local, &[], "http://127.0.0.1:8000 us-east-1 local:local:"),
            (local, &KEYS, "http://127.0.0.1:8000 us-east-1 E:e:"),
            (
                "http://127.0.0.1:8000?profile=prod",
                &KEYS,
                "http://127.0.0.1:8000 ap-south-1 P:p:t",
            ),
            (
                "https://db.example?region=x-1",
                &[("AWS_REGION", "y-1")],
                "https://db.example x-1 D:d:",
            ),
            (
                "dynamodb://eu-west-1?profile=prod",
                &KEYS,
                "https://dynamodb.eu-west-1.amazonaws.com eu-west-1 P:p:t",
            ),
            (
                "dynamodb://cn-north-1",
                &KEYS,
                "https://dynamodb.cn-north-1.amazonaws.com.cn cn-north-1 E:e:",
            ),
            (
                "dynamodb://",
                &[("AWS_DEFAULT_REGION", "sa-east-1"), ("AWS_PROFILE", "prod")],
                "https://dynamodb.sa-east-1.amazonaws.com sa-east-1 P:p:t",
            ),
            (
                "dynamodb://",
                &[],
                "https://dynamodb.eu-central-1.amazonaws.com eu-central-1 D:d:",
            ),
            // Amazon refuses what is signed for another region than that of its host.
            (
                "https://dynamodb.eu-west-1.amazonaws.com",
                &KEYS,
                "https://dynamodb.eu-west-1.amazonaws.com eu-west-1 E:e:",
            ),
            (
                "https://dynamodb.us-east-2.api.aws",
                &[("AWS_REGION", "y-1")],
                "https://dynamodb.us-east-2.api.aws us-east-2 D:d:",
            ),
            (
                "https://vpce-1.dynamodb.us-east-2.vpce.amazonaws.com?region=eu-west-1",
                &[],
                "https://vpce-1.dynamodb.us-east-2.vpce.amazonaws.com eu-west-1 D:d:",
            ),
            (
                "dynamodb://eu-west-1",
                &[("AWS_ENDPOINT_URL_DYNAMODB", "http://localhost:8000")],
                "https://dynamodb.eu-west-1.amazonaws.com eu-west-1 D:d:",
            ),
        ] {
            assert_eq!(settled(text, variables, CONFIG), expected, "{text}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let amazon = "dynamodb://eu-west-1";
        for (text, variables, why) in [
            (
                amazon,
                &[("AWS_ACCESS_KEY_ID", "E")][..],
                "the other is not",
            ),
            ("dynamodb://", &KEYS, "no region"),
            (amazon, &[("AWS_PROFILE", "none")], "no profile `none`"),
            // A region becomes a part of a host, and of signatures.
            (
                "dynamodb://",
                &[KEYS[0], KEYS[1], ("AWS_REGION", "x.example/")],
                "`x.example/` of AWS_REGION is no region; one looks like eu-west-1",
            ),
            (
                "http://127.0.0.1:8000?region=eu-west-1%0a",
                &KEYS,
                "`eu-west-1\\n` of the connection is no region",
            ),
            (
                amazon,
                &[("AWS_ACCESS_KEY_ID", "E\r"), KEYS[1]],
                "AWS_ACCESS_KEY_ID has a character that no access key has",
            ),
            (
                amazon,
                &[KEYS[0], ("AWS_SECRET_ACCESS_KEY", "e\n")],
                "AWS_SECRET_ACCESS_KEY has a character that no secret has",
            ),
            (
                amazon,
                &[KEYS[0], KEYS[1], ("AWS_SESSION_TOKEN", "t t")],
                "AWS_SESSION_TOKEN has a character that no token has",
            ),
        ] {
            let told = settled(text, variables, "");
            assert!(told.contains(why), "{text}: {told}");
        }
        for (text, why) in [
            ("dynamodb://eu-west-1?profile=prd", "did you mean `prod`"),
            (
                "dynamodb://eu-west-1?profile=bare",
                "has no aws_access_key_id",
            ),
            (
                "dynamodb://?profile=far",
                "`the moon` of the profile `far` is no region",
            ),
            (
                "dynamodb://eu-west-1?profile=torn",
                "aws_secret_access_key of the profile `torn` has a character that no secret has",
            ),
        ] {
            let told = settled(text, &KEYS, CONFIG);
            assert!(told.contains(why), "{text}: {told}");
        }
    }

    /// Without the feature that asks other places, the error names it.
    #[test]
    fn credentials_of_other_places_need_a_feature() {
        let amazon = "dynamodb://eu-west-1";
        let identity = [("AWS_WEB_IDENTITY_TOKEN_FILE", "f")];
        let sso = [("AWS_PROFILE", "sso")];
        for (text, variables, config, why, elsewhere) in [
            (amazon, &[][..], "", "needs credentials", "None"),
            (
                "https://dynamodb.eu-west-1.amazonaws.com",
                &[],
                "",
                "needs credentials",
                "None",
            ),
            (
                amazon,
                &identity,
                "",
                "of AWS_WEB_IDENTITY_TOKEN_FILE need the feature `aws`",
                "None",
            ),
            (
                "dynamodb://eu-west-1?profile=sso",
                &KEYS,
                CONFIG,
                "by `sso_session`, which needs the feature `aws`",
                "Some(\"sso\")",
            ),
            (amazon, &sso, CONFIG, "feature `aws`", "Some(\"sso\")"),
        ] {
            let found = settled(text, variables, config);
            match cfg!(feature = "aws") {
                true => assert_eq!(found, elsewhere, "{text}"),
                false => assert!(found.contains(why), "{text}: {found}"),
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let around = Surroundings::new(|_| None, |_| Err(std::io::Error::other("no permission")));
        let connection: Connection = "dynamodb://eu-west-1".parse().unwrap();
        let error = connection.endpoint(&around).unwrap_err().to_string();
        assert!(
            error.contains("cannot read .aws/config: no permission"),
            "{error}"
        );
    }
}
