"""The settings of a table: those made right after it, and the differences to an existing table.

A setting that the model does not declare is not compared. Capacity is not compared at all: it is
tuned while a table works.
"""

from __future__ import annotations

from typing import Any

from keyfold.errors import Service
from keyfold.lower.steps import Lowering, Request, ask, pause
from keyfold.plan.model import Table

Json = dict[str, Any]
_BACKUPS_TRIES = 240
"""The most times that the backups of a new table are switched on, each half a second apart."""


def settle(table: Table, name: str) -> Lowering[None]:
    """Switches on what CreateTable does not take: expiry and point-in-time recovery."""
    if table.ttl_attribute is not None:
        setting = {"Enabled": True, "AttributeName": table.ttl_attribute}
        body: Json = {"TableName": name, "TimeToLiveSpecification": setting}
        yield from _switch_on(Request("UpdateTimeToLive", body), table, name)
    if table.recovery:
        recovery = {"PointInTimeRecoveryEnabled": True}
        body = {"TableName": name, "PointInTimeRecoverySpecification": recovery}
        yield from _switch_on(Request("UpdateContinuousBackups", body), table, name)


def _is_on(request: Request, table: Table, name: str) -> Lowering[bool]:
    if request.operation == "UpdateTimeToLive":
        return (yield from _expiry(name)) == table.ttl_attribute
    return (yield from _has_recovery(name))


def _switch_on(request: Request, table: Table, name: str) -> Lowering[None]:
    """Sends a request unless its setting is on. After an error the setting shows whether another
    writer was faster. Backups of a new table may not be ready yet."""
    tried = 0
    while not (yield from _is_on(request, table, name)):
        try:
            yield from ask(request)
            return
        except Service as error:
            tried += 1
            is_early = error.exception == "ContinuousBackupsUnavailableException"
            if is_early and tried < _BACKUPS_TRIES:
                yield from pause(500, 500)
            elif (yield from _is_on(request, table, name)):
                return
            else:
                raise


def _expiry(name: str) -> Lowering[str | None]:
    """The attribute by which a table's items expire; none if they do not."""
    response = yield from ask(Request("DescribeTimeToLive", {"TableName": name}))
    setting = response.get("TimeToLiveDescription", {})
    is_on = setting.get("TimeToLiveStatus") in ("ENABLING", "ENABLED")
    attribute: str | None = setting.get("AttributeName")
    return attribute if is_on else None


def _has_recovery(name: str) -> Lowering[bool]:
    response = yield from ask(Request("DescribeContinuousBackups", {"TableName": name}))
    backups = response.get("ContinuousBackupsDescription", {})
    recovery = backups.get("PointInTimeRecoveryDescription", {})
    return bool(recovery.get("PointInTimeRecoveryStatus") == "ENABLED")


def _tags(existing: Json) -> Lowering[dict[str, str]]:
    """All tags of a table."""
    all_of: dict[str, str] = {}
    body = {"ResourceArn": existing.get("TableArn")}
    while True:
        response = yield from ask(Request("ListTagsOfResource", body))
        all_of.update((tag["Key"], tag["Value"]) for tag in response.get("Tags", ()))
        following = response.get("NextToken")
        if following is None:
            return all_of
        body = {**body, "NextToken": following}


def _compared(subject: str, wanted: str, actual: str | None) -> list[str]:
    if actual == wanted:
        return []
    return [f"{subject}: the model says {wanted}, the table has {actual or 'none'}"]


def differences(table: Table, name: str, existing: Json) -> Lowering[list[str]]:
    """The differences between the declared settings and those of an existing table, one a line."""
    found: list[str] = []
    wanted = table.create
    if table.ttl_attribute is not None:
        found += _compared("ttl", table.ttl_attribute, (yield from _expiry(name)))
    stream = wanted.get("StreamSpecification")
    if stream is not None:
        held = existing.get("StreamSpecification", {})
        actual = held.get("StreamViewType") if held.get("StreamEnabled") else None
        found += _compared("stream", stream["StreamViewType"], actual)
    if table.recovery and not (yield from _has_recovery(name)):
        found += _compared("point in time recovery", "on", "it off")
    if wanted.get("DeletionProtectionEnabled") and not existing.get("DeletionProtectionEnabled"):
        found += _compared("deletion protection", "on", "it off")
    if "TableClass" in wanted:
        # The service leaves the usual class out.
        summary = existing.get("TableClassSummary", {})
        found += _compared("class", wanted["TableClass"], summary.get("TableClass", "STANDARD"))
    if wanted.get("Tags"):
        actual_tags = yield from _tags(existing)
        for tag in wanted["Tags"]:
            actual = actual_tags.get(tag["Key"])
            shown = None if actual is None else f'"{actual}"'
            found += _compared(f"tag {tag['Key']}", f'"{tag["Value"]}"', shown)
    return found


def key_differences(table: Table, existing: Json) -> list[str]:
    """The differences of keys and indexes. An index that the model lacks is no difference."""
    wanted = table.create
    subject = [("key", wanted, existing)]
    others: list[str] = []
    for kind, member in (("gsi", "GlobalSecondaryIndexes"), ("lsi", "LocalSecondaryIndexes")):
        actual = {one.get("IndexName"): one for one in existing.get(member) or ()}
        for index in wanted.get(member) or ():
            name = index["IndexName"]
            if name not in actual:
                others.append(f"{kind} {name}: the model has it, the table has not")
                continue
            subject.append((f"{kind} {name}", index, actual[name]))
            others += _projection_differences(f"{kind} {name}", index, actual[name])
    found: list[str] = []
    for name, own, other in subject:
        one, two = _printed_key(own, wanted), _printed_key(other, existing)
        if one != two:
            found.append(f"{name}: the model says {one}, the table has {two}")
    return found + others


def _printed_key(own: Json, of: Json) -> str:
    definitions = of.get("AttributeDefinitions", ())
    kinds = {one["AttributeName"]: one["AttributeType"] for one in definitions}
    names = [one["AttributeName"] for one in own.get("KeySchema", ())]
    return (
        "(" + ", ".join(f"{name}: {kinds[name]}" if name in kinds else name for name in names) + ")"
    )


def _projection_differences(subject: str, wanted: Json, actual: Json) -> list[str]:
    one, two = _projection(wanted), _projection(actual)
    if one == two:
        return []
    shown = [f"{kind} ({', '.join(names)})" if names else kind for kind, names in (one, two)]
    return [f"{subject}: the model projects {shown[0]}, the table {shown[1]}"]


def _projection(index: Json) -> tuple[str, list[str]]:
    projection = index.get("Projection", {})
    return projection.get("ProjectionType", ""), sorted(projection.get("NonKeyAttributes") or ())
