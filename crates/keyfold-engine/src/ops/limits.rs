//! DescribeLimits and DescribeEndpoints: fixed answers about the account and the address.

use crate::base::pending::Pending;
use crate::core::Core;
use keyfold_api::{
    DescribeEndpointsInput, DescribeEndpointsOutput, DescribeLimitsInput, DescribeLimitsOutput,
    Endpoint,
};

/// The default quotas of an account. Source: "Service, account, and table quotas".
const ACCOUNT_UNITS_MAX: i64 = 80_000;
const TABLE_UNITS_MAX: i64 = 40_000;
/// Time that a client may cache an endpoint: a day.
const CACHE_MINUTES: i64 = 1440;

pub(crate) fn limits(_core: &Core, _input: DescribeLimitsInput) -> Pending<DescribeLimitsOutput> {
    Pending::ready(Ok(DescribeLimitsOutput {
        account_max_read_capacity_units: Some(ACCOUNT_UNITS_MAX),
        account_max_write_capacity_units: Some(ACCOUNT_UNITS_MAX),
        table_max_read_capacity_units: Some(TABLE_UNITS_MAX),
        table_max_write_capacity_units: Some(TABLE_UNITS_MAX),
    }))
}

/// The service's address, which a server replaces by its own.
pub(crate) fn endpoints(
    core: &Core,
    _input: DescribeEndpointsInput,
) -> Pending<DescribeEndpointsOutput> {
    let endpoint = Endpoint {
        address: Some(format!("dynamodb.{}.amazonaws.com", core.region())),
        cache_period_in_minutes: Some(CACHE_MINUTES),
    };
    Pending::ready(Ok(DescribeEndpointsOutput {
        endpoints: Some(vec![endpoint]),
    }))
}
