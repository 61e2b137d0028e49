//! The autoscaling of provisioned capacity: a scalable target and a policy for the reads and for the
//! writes of a table or a global index whose units have bounds.

use crate::terraform::quoted;
use keyfold_model::schema::{Capacity, Units};
use keyfold_model::{IndexKind, Table, value};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// Units that scale.
pub(crate) struct Scaled {
    /// The index; `None` for the table.
    index: Option<String>,
    /// `table/NAME` or `table/NAME/index/NAME`.
    resource: String,
    /// `Read` or `Write`.
    part: &'static str,
    units: Units,
    /// The use to hold, in percent.
    target: u64,
}

impl Scaled {
    /// `dynamodb:table:ReadCapacityUnits`.
    fn dimension(&self) -> String {
        let of = self.index.as_ref().map_or("table", |_| "index");
        format!("dynamodb:{of}:{}CapacityUnits", self.part)
    }

    fn metric(&self) -> String {
        format!("DynamoDB{}CapacityUtilization", self.part)
    }
}

/// The units that scale of a table with this name and of its indexes.
pub(crate) fn scaled(name: &str, table: &Table) -> Vec<Scaled> {
    let table_resource = format!("table/{name}");
    let mut all = of(None, &table_resource, table.capacity);
    for index in &table.indexes {
        if index.kind == IndexKind::Global {
            let resource = format!("{table_resource}/index/{}", index.name);
            let capacity = index.capacity_in(table.capacity);
            all.extend(of(Some(&index.name), &resource, capacity));
        }
    }
    all
}

fn of(index: Option<&String>, resource: &str, capacity: Capacity) -> Vec<Scaled> {
    let Capacity::Provisioned {
        reads,
        writes,
        target: Some(target),
    } = capacity
    else {
        return Vec::new();
    };
    [("Read", reads), ("Write", writes)]
        .into_iter()
        .filter(|(_, units)| units.scale())
        .map(|(part, units)| Scaled {
            index: index.cloned(),
            resource: resource.to_owned(),
            part,
            units,
            target,
        })
        .collect()
}

/// The resources of CloudFormation for units of the table with this logical name.
pub(crate) fn resources(table: &str, scaled: &Scaled) -> Map<String, Json> {
    let Scaled {
        index,
        resource,
        part,
        units,
        target,
    } = scaled;
    let of = index.as_deref().map_or(String::new(), plain);
    let target_name = format!("{table}{of}{part}Target");
    let mut all = Map::new();
    all.insert(
        target_name.clone(),
        json!({
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "DependsOn": table,
            "Properties": {
                "ServiceNamespace": "dynamodb",
                "ResourceId": resource,
                "ScalableDimension": scaled.dimension(),
                "MinCapacity": units.least,
                "MaxCapacity": units.most,
            },
        }),
    );
    all.insert(
        format!("{table}{of}{part}Policy"),
        json!({
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": policy_name(scaled),
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": { "Ref": target_name },
                "TargetTrackingScalingPolicyConfiguration": {
                    "TargetValue": target,
                    "PredefinedMetricSpecification": { "PredefinedMetricType": scaled.metric() },
                },
            },
        }),
    );
    all
}

/// The letters and digits of an index's name. When other characters are left out, a digest
/// distinguishes it from names that differ only in these.
fn plain(index: &str) -> String {
    let kept: String = index.chars().filter(char::is_ascii_alphanumeric).collect();
    if kept.len() == index.len() {
        return kept;
    }
    let digest: String = value::digest(index).chars().take(16).collect();
    format!("{kept}{digest}")
}

/// The name of a policy: `DynamoDBReadCapacityUtilization:table/Orders`.
fn policy_name(scaled: &Scaled) -> String {
    format!("{}:{}", scaled.metric(), scaled.resource)
}

/// Writes the resources of Terraform for units of the table with this label.
pub(crate) fn write(out: &mut String, table: &str, scaled: &Scaled) {
    let Scaled {
        index,
        resource: _,
        part,
        units,
        target,
    } = scaled;
    let of = index
        .as_ref()
        .map_or(String::new(), |index| format!("_{}", plain(index)));
    let label = format!("{table}{of}_{}", part.to_lowercase());
    // The reference makes the table first.
    let of_index = index
        .as_ref()
        .map_or(String::new(), |index| format!("/index/{index}"));
    // An index's name needs no escapes.
    let resource = format!("\"table/${{aws_dynamodb_table.{table}.name}}{of_index}\"");
    let _infallible = write!(
        out,
        r#"
resource "aws_appautoscaling_target" "{label}" {{
  service_namespace  = "dynamodb"
  resource_id        = {}
  scalable_dimension = {}
  min_capacity       = {}
  max_capacity       = {}
}}

resource "aws_appautoscaling_policy" "{label}" {{
  name               = {}
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.{label}.service_namespace
  resource_id        = aws_appautoscaling_target.{label}.resource_id
  scalable_dimension = aws_appautoscaling_target.{label}.scalable_dimension

  target_tracking_scaling_policy_configuration {{
    target_value = {target}

    predefined_metric_specification {{
      predefined_metric_type = {}
    }}
  }}
}}
"#,
        resource,
        quoted(&scaled.dimension()),
        units.least,
        units.most,
        quoted(&policy_name(scaled)),
        quoted(&scaled.metric()),
    );
}

/// Writes a block that leaves to autoscaling what it changes in a table.
pub(crate) fn ignored(out: &mut String, table: &Table) {
    let all = scaled(&table.name, table);
    let of_table = |part: &str| {
        all.iter()
            .any(|one| one.index.is_none() && one.part == part)
    };
    let names = [
        ("read_capacity", of_table("Read")),
        ("write_capacity", of_table("Write")),
        // Terraform cannot leave out a single member of an index.
        (
            "global_secondary_index",
            all.iter().any(|one| one.index.is_some()),
        ),
    ];
    let names: Vec<&str> = names
        .into_iter()
        .filter(|(_, scales)| *scales)
        .map(|(name, _)| name)
        .collect();
    if names.is_empty() {
        return;
    }
    let mut remark = "# Autoscaling changes these.".to_owned();
    if names.contains(&"global_secondary_index") {
        remark.push_str(" Take out `global_secondary_index` to change an index.");
    }
    let _infallible = write!(
        out,
        "\n  {remark}\n  lifecycle {{\n    ignore_changes = [{}]\n  }}\n",
        names.join(", ")
    );
}
