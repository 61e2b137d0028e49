/** Operations that change nothing. */

/** How their names begin: `DescribeTimeToLive` and `DescribeContinuousBackups`, too. */
const READS = /^(?:(?:Batch|Transact)?Get|Describe|List|Query|Scan)/;

/** Whether an operation changes nothing. */
export function isRead(operation: string): boolean {
  return READS.test(operation);
}
