//! Settles a connection: address, region and credentials of an endpoint.

use super::keys::of_environment;
use super::profile::Profile;
use super::surroundings::Surroundings;
use super::{Asked, Connection};
use crate::endpoint::{Endpoint, address};
use keyfold_lower::ClientError;

const REGIONS: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];
/// Variables of sources that the AWS SDKs ask, and this crate does not.
const SOURCES: [&str; 3] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];
/// The hosts of Amazon's services end so.
const AMAZON_HOSTS: [&str; 2] = [".amazonaws.com", ".amazonaws.com.cn"];

impl Connection {
    /// The endpoint of a connection, with region and credentials; `None` when the engine is in this
    /// process.
    ///
    /// - Region: the text's, AWS_REGION, AWS_DEFAULT_REGION, or the profile's.
    /// - Credentials: those of the profile that the text names; else AWS_ACCESS_KEY_ID,
    ///   AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else those of AWS_PROFILE or of the default
    ///   profile, which are not sent to an address without TLS. An endpoint that is not Amazon's
    ///   gets `local` where there are none.
    /// - Address of `dynamodb://`: Amazon's of the region, whatever AWS_ENDPOINT_URL says.
    ///
    /// # Errors
    /// `Invalid` when there is no region or there are no credentials where some are needed, when
    /// they are incomplete, or when a shared file cannot be read.
    pub fn endpoint(
        &self,
        surroundings: &Surroundings<'_>,
    ) -> Result<Option<Endpoint>, ClientError> {
        let settled = match self {
            Connection::Memory | Connection::Folder(_) => return Ok(None),
            Connection::Endpoint { url, asked } => settle(Some(url.clone()), asked, surroundings),
            Connection::Amazon(asked) => settle(None, asked, surroundings),
        };
        settled.map(Some).map_err(ClientError::Invalid)
    }
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
    let region = asked.region.clone();
    let region = region.or_else(|| surroundings.first_of(&REGIONS));
    let region = region.or_else(|| profile.as_ref().and_then(|(_, one)| one.get("region")));
    let is_amazon = url.as_deref().is_none_or(is_amazons);
    let url = match (url, &region) {
        (Some(url), _) => url,
        (None, Some(region)) => amazons(region),
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
    let keys = match (&asked.profile, &profile) {
        (Some(_), Some((name, profile))) => {
            let keys = profile.keys(name)?;
            Some(keys.ok_or_else(|| format!("the profile `{name}` has no aws_access_key_id"))?)
        }
        (_, profile) => match of_environment(surroundings)? {
            Some(keys) => Some(keys),
            None => match profile {
                Some((name, profile)) => profile.keys(name)?,
                None => None,
            },
        },
    };
    match keys {
        Some(keys) => {
            endpoint.access_key = keys.access_key;
            endpoint.secret = keys.secret;
            endpoint.session_token = keys.session_token;
        }
        None if is_amazon => return Err(no_credentials(surroundings)),
        None => {}
    }
    Ok(endpoint)
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
            format!("the credentials of {source} are asked by AWS's own SDKs, and not here; {fix}")
        }
    }
}

fn is_encrypted(url: &str) -> bool {
    url.get(..6)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

/// Whether an address is one of Amazon's services.
fn is_amazons(url: &str) -> bool {
    let Ok(address) = address(url) else {
        return false;
    };
    let host = address.host.to_ascii_lowercase();
    AMAZON_HOSTS.iter().any(|end| host.ends_with(end))
}

/// The address of Amazon DynamoDB in a region.
fn amazons(region: &str) -> String {
    let [elsewhere, china] = AMAZON_HOSTS;
    let end = if region.starts_with("cn-") {
        china
    } else {
        elsewhere
    };
    format!("https://dynamodb.{region}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const CONFIG: &str = "[default]\nregion = eu-central-1\naws_access_key_id = D\n\
                          aws_secret_access_key = d\n[profile prod]\nregion = ap-south-1\n\
                          aws_access_key_id = P\naws_secret_access_key = p\naws_session_token = t\n\
                          [profile bare]\nregion = eu-west-3\n[profile sso]\nsso_session = x\n";

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
            (amazon, &[], "needs credentials"),
            (
                "https://dynamodb.eu-west-1.amazonaws.com",
                &[],
                "needs credentials",
            ),
            (
                amazon,
                &[("AWS_WEB_IDENTITY_TOKEN_FILE", "f")],
                "credentials of AWS_WEB_IDENTITY_TOKEN_FILE",
            ),
            ("dynamodb://", &KEYS, "no region"),
            (amazon, &[("AWS_PROFILE", "none")], "no profile `none`"),
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
            ("dynamodb://eu-west-1?profile=sso", "by `sso_session`"),
        ] {
            let told = settled(text, &KEYS, CONFIG);
            assert!(told.contains(why), "{text}: {told}");
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
