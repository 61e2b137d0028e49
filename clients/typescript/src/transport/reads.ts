/** Operations that change nothing. */

const READS: readonly string[] = [
  "BatchGetItem",
  "DescribeContinuousBackups",
  "DescribeTable",
  "DescribeTimeToLive",
  "GetItem",
  "ListTagsOfResource",
  "Query",
  "Scan",
  "TransactGetItems",
];

/** Whether an operation changes nothing. */
export function isRead(operation: string): boolean {
  return READS.includes(operation);
}
