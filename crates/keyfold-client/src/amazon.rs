//! The hosts of Amazon DynamoDB, and the regions that their names contain.
//!
//! ```text
//! dynamodb.eu-west-1.amazonaws.com        dynamodb-fips.us-east-1.api.aws
//! 123456789012.ddb.eu-west-1.amazonaws.com
//! vpce-1a-2b.dynamodb.eu-west-1.vpce.amazonaws.com
//! ```
//!
//! Source: the partitions and the endpoint rules of botocore for `dynamodb` and `dynamodbstreams`.

use crate::endpoint::Address;

/// A partition of Amazon's regions.
struct Partition {
    /// Its regions begin so.
    regions: &'static str,
    /// Its hosts end so.
    end: &'static str,
    /// Its hosts that have addresses of IPv6, too, end so.
    dual_end: &'static str,
}

const fn partition(regions: &'static str, end: &'static str, dual_end: &'static str) -> Partition {
    Partition {
        regions,
        end,
        dual_end,
    }
}

/// The partitions; the last one has the regions that begin like none of the others.
const PARTITIONS: [Partition; 7] = [
    partition("cn-", ".amazonaws.com.cn", ".api.amazonwebservices.com.cn"),
    partition("eusc-", ".amazonaws.eu", ".api.amazonwebservices.eu"),
    partition("us-iso-", ".c2s.ic.gov", ".api.aws.ic.gov"),
    partition("us-isob-", ".sc2s.sgov.gov", ".api.aws.scloud"),
    partition("us-isof-", ".csp.hci.ic.gov", ".api.aws.hci.ic.gov"),
    partition("eu-isoe-", ".cloud.adc-e.uk", ".api.cloud-aws.adc-e.uk"),
    partition("", ".amazonaws.com", ".api.aws"),
];

/// The labels of a host that stand before its region.
const SERVICES: [&str; 3] = ["dynamodb", "dynamodb-fips", "ddb"];

/// Whether a text has the letters of a region's name.
pub(crate) fn is_region(name: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    name.starts_with(allowed) && name.chars().all(|letter| allowed(letter) || letter == '-')
}

/// The address of Amazon DynamoDB in a region.
pub(crate) fn of_region(region: &str) -> String {
    let own = PARTITIONS
        .iter()
        .find(|one| region.starts_with(one.regions));
    let end = own.map_or(".amazonaws.com", |one| one.end);
    format!("https://dynamodb.{region}{end}")
}

/// A host of Amazon's without its end, and whether the end is that of hosts with IPv6.
fn without_end(host: &str) -> Option<(&str, bool)> {
    PARTITIONS.iter().find_map(|one| {
        let plain = host.strip_suffix(one.end).map(|rest| (rest, false));
        plain.or_else(|| host.strip_suffix(one.dual_end).map(|rest| (rest, true)))
    })
}

/// Whether a host is one of Amazon's services.
pub(crate) fn is_amazons(host: &str) -> bool {
    without_end(&host.to_ascii_lowercase()).is_some()
}

/// The region that the name of a host of Amazon DynamoDB contains.
pub(crate) fn region_in(host: &str) -> Option<String> {
    let host = host.to_ascii_lowercase();
    let (rest, _) = without_end(&host)?;
    let mut labels = rest.split('.');
    labels.find(|label| SERVICES.contains(label))?;
    labels
        .next()
        .filter(|region| is_region(region))
        .map(str::to_owned)
}

/// The address of the operations on streams, for Amazon's endpoints, which have one of their own.
pub(crate) fn of_streams(address: &Address) -> Option<String> {
    let host = address.host.to_ascii_lowercase();
    let (_, is_dual) = without_end(&host)?;
    let port = address.authority.get(host.len()..).unwrap_or_default();
    let (service, rest) = host.split_once('.')?;
    let streams = match (service, rest.split_once('.')) {
        ("dynamodb" | "dynamodb-fips", _) if is_dual => format!("streams-{service}.{rest}"),
        ("dynamodb" | "dynamodb-fips", _) => format!("streams.{service}.{rest}"),
        (account, Some(("ddb", region))) => format!("{account}.streams-ddb.{region}"),
        _ => return None,
    };
    Some(format!("https://{streams}{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::address;

    #[test]
    fn a_host_of_amazon_has_a_region_and_another_host_for_streams() {
        for (host, region, streams) in [
            (
                "dynamodb.eu-west-1.amazonaws.com",
                Some("eu-west-1"),
                Some("streams.dynamodb.eu-west-1.amazonaws.com"),
            ),
            (
                "DynamoDB.eu-west-1.AmazonAWS.com",
                Some("eu-west-1"),
                Some("streams.dynamodb.eu-west-1.amazonaws.com"),
            ),
            (
                "dynamodb-fips.us-gov-west-1.amazonaws.com:443",
                Some("us-gov-west-1"),
                Some("streams.dynamodb-fips.us-gov-west-1.amazonaws.com:443"),
            ),
            (
                "dynamodb.cn-north-1.amazonaws.com.cn",
                Some("cn-north-1"),
                Some("streams.dynamodb.cn-north-1.amazonaws.com.cn"),
            ),
            (
                "dynamodb.eu-west-1.api.aws",
                Some("eu-west-1"),
                Some("streams-dynamodb.eu-west-1.api.aws"),
            ),
            (
                "123456789012.ddb.eu-west-1.amazonaws.com",
                Some("eu-west-1"),
                Some("123456789012.streams-ddb.eu-west-1.amazonaws.com"),
            ),
            (
                "vpce-1a-2b.dynamodb.eu-west-1.vpce.amazonaws.com",
                Some("eu-west-1"),
                None,
            ),
            (
                "dynamodb.eusc-de-east-1.amazonaws.eu",
                Some("eusc-de-east-1"),
                Some("streams.dynamodb.eusc-de-east-1.amazonaws.eu"),
            ),
            ("gateway.amazonaws.com", None, None),
            ("dynamodb.eu-west-1.example.com", None, None),
            ("127.0.0.1:8000", None, None),
        ] {
            let address = address(&format!("https://{host}")).unwrap();
            assert_eq!(region_in(&address.host).as_deref(), region, "{host}");
            let expected = streams.map(|host| format!("https://{host}"));
            assert_eq!(of_streams(&address), expected, "{host}");
            let is_local = host.starts_with("127") || host.contains("example");
            assert_eq!(is_amazons(&address.host), !is_local, "{host}");
        }
    }

    #[test]
    fn a_region_has_the_host_of_its_partition() {
        for (region, url) in [
            ("eu-west-1", "https://dynamodb.eu-west-1.amazonaws.com"),
            ("cn-north-1", "https://dynamodb.cn-north-1.amazonaws.com.cn"),
            (
                "eusc-de-east-1",
                "https://dynamodb.eusc-de-east-1.amazonaws.eu",
            ),
            ("us-iso-east-1", "https://dynamodb.us-iso-east-1.c2s.ic.gov"),
            (
                "us-isob-east-1",
                "https://dynamodb.us-isob-east-1.sc2s.sgov.gov",
            ),
        ] {
            assert_eq!(of_region(region), url);
            let host = address(url).unwrap().host;
            assert_eq!(region_in(&host).as_deref(), Some(region));
        }
    }
}
