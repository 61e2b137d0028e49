//! Shapes of the settings beside a table's definition: expiry, tags, quotas, insights, policies.

use crate::Named;
use crate::named::words;
use crate::shape::{Moment, shapes};
use crate::table::Tag;

words! {
    /// The status of expiry.
    TimeToLiveStatus {
        /// `ENABLING`.
        Enabling = "ENABLING",
        /// `DISABLING`.
        Disabling = "DISABLING",
        /// `ENABLED`.
        Enabled = "ENABLED",
        /// `DISABLED`.
        Disabled = "DISABLED",
    }
}

words! {
    /// The requested state of a report.
    ContributorInsightsAction {
        /// `ENABLE`.
        Enable = "ENABLE",
        /// `DISABLE`.
        Disable = "DISABLE",
    }
}

words! {
    /// The reported keys.
    ContributorInsightsMode {
        /// `THROTTLED_KEYS`.
        ThrottledKeys = "THROTTLED_KEYS",
        /// `ACCESSED_AND_THROTTLED_KEYS`.
        AccessedAndThrottledKeys = "ACCESSED_AND_THROTTLED_KEYS",
    }
}

words! {
    /// The status of a report.
    ContributorInsightsStatus {
        /// `ENABLING`.
        Enabling = "ENABLING",
        /// `ENABLED`.
        Enabled = "ENABLED",
        /// `DISABLING`.
        Disabling = "DISABLING",
        /// `DISABLED`.
        Disabled = "DISABLED",
        /// `FAILED`.
        Failed = "FAILED",
    }
}

shapes! {
    /// Requests a table's expiry setting.
    DescribeTimeToLiveInput {
        table_name: String = "TableName",
    }

    /// A table's expiry setting.
    TimeToLiveDescription {
        time_to_live_status: Named<TimeToLiveStatus> = "TimeToLiveStatus",
        attribute_name: String = "AttributeName",
    }

    /// A table's expiry setting.
    DescribeTimeToLiveOutput {
        time_to_live_description: TimeToLiveDescription = "TimeToLiveDescription",
    }

    /// The requested expiry setting and its attribute.
    TimeToLiveSpecification {
        enabled: bool = "Enabled",
        attribute_name: String = "AttributeName",
    }

    /// Switches expiry on or off.
    UpdateTimeToLiveInput {
        table_name: String = "TableName",
        time_to_live_specification: TimeToLiveSpecification = "TimeToLiveSpecification",
    }

    /// The requested expiry setting.
    UpdateTimeToLiveOutput {
        time_to_live_specification: TimeToLiveSpecification = "TimeToLiveSpecification",
    }

    /// Adds tags.
    TagResourceInput {
        resource_arn: String = "ResourceArn",
        tags: Vec<Tag> = "Tags",
    }

    /// Removes tags.
    UntagResourceInput {
        resource_arn: String = "ResourceArn",
        tag_keys: Vec<String> = "TagKeys",
    }

    /// Requests tags.
    ListTagsOfResourceInput {
        resource_arn: String = "ResourceArn",
        next_token: String = "NextToken",
    }

    /// Tags, ordered by key.
    ListTagsOfResourceOutput {
        tags: Vec<Tag> = "Tags",
        next_token: String = "NextToken",
    }

    /// Requests the account's quotas.
    DescribeLimitsInput {
    }

    /// The account's quotas.
    DescribeLimitsOutput {
        account_max_read_capacity_units: i64 = "AccountMaxReadCapacityUnits",
        account_max_write_capacity_units: i64 = "AccountMaxWriteCapacityUnits",
        table_max_read_capacity_units: i64 = "TableMaxReadCapacityUnits",
        table_max_write_capacity_units: i64 = "TableMaxWriteCapacityUnits",
    }

    /// Requests the endpoints.
    DescribeEndpointsInput {
    }

    /// An endpoint of requests.
    Endpoint {
        address: String = "Address",
        cache_period_in_minutes: i64 = "CachePeriodInMinutes",
    }

    /// The endpoints of requests.
    DescribeEndpointsOutput {
        endpoints: Vec<Endpoint> = "Endpoints",
    }

    /// Switches the report of the busiest keys.
    UpdateContributorInsightsInput {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_action: Named<ContributorInsightsAction> = "ContributorInsightsAction",
        contributor_insights_mode: Named<ContributorInsightsMode> = "ContributorInsightsMode",
    }

    /// The report's setting.
    UpdateContributorInsightsOutput {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_status: Named<ContributorInsightsStatus> = "ContributorInsightsStatus",
        contributor_insights_mode: Named<ContributorInsightsMode> = "ContributorInsightsMode",
    }

    /// Requests the report's setting.
    DescribeContributorInsightsInput {
        table_name: String = "TableName",
        index_name: String = "IndexName",
    }

    /// The failure of a report.
    FailureException {
        exception_name: String = "ExceptionName",
        exception_description: String = "ExceptionDescription",
    }

    /// The report's setting.
    DescribeContributorInsightsOutput {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_rule_list: Vec<String> = "ContributorInsightsRuleList",
        contributor_insights_status: Named<ContributorInsightsStatus> = "ContributorInsightsStatus",
        last_update_date_time: Moment = "LastUpdateDateTime",
        failure_exception: FailureException = "FailureException",
        contributor_insights_mode: Named<ContributorInsightsMode> = "ContributorInsightsMode",
    }

    /// Lists settings of reports.
    ListContributorInsightsInput {
        table_name: String = "TableName",
        next_token: String = "NextToken",
        max_results: i64 = "MaxResults",
    }

    /// A report's setting.
    ContributorInsightsSummary {
        table_name: String = "TableName",
        index_name: String = "IndexName",
        contributor_insights_status: Named<ContributorInsightsStatus> = "ContributorInsightsStatus",
        contributor_insights_mode: Named<ContributorInsightsMode> = "ContributorInsightsMode",
    }

    /// Settings of reports.
    ListContributorInsightsOutput {
        contributor_insights_summaries: Vec<ContributorInsightsSummary> = "ContributorInsightsSummaries",
        next_token: String = "NextToken",
    }

    /// Sets a resource's policy.
    PutResourcePolicyInput {
        resource_arn: String = "ResourceArn",
        policy: String = "Policy",
        expected_revision_id: String = "ExpectedRevisionId",
        confirm_remove_self_resource_access: bool = "ConfirmRemoveSelfResourceAccess",
    }

    /// The policy's revision.
    PutResourcePolicyOutput {
        revision_id: String = "RevisionId",
    }

    /// Requests a resource's policy.
    GetResourcePolicyInput {
        resource_arn: String = "ResourceArn",
    }

    /// A resource's policy.
    GetResourcePolicyOutput {
        policy: String = "Policy",
        revision_id: String = "RevisionId",
    }

    /// Deletes a resource's policy.
    DeleteResourcePolicyInput {
        resource_arn: String = "ResourceArn",
        expected_revision_id: String = "ExpectedRevisionId",
    }

    /// The deleted revision.
    DeleteResourcePolicyOutput {
        revision_id: String = "RevisionId",
    }
}
