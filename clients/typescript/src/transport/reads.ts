/** Operations that change nothing. */

/** `GetItem`, `BatchGetItem`, `TransactGetItems`, `DescribeTable`, `ListTagsOfResource`, `Query` and `Scan`. */
const READS = /^(?:(?:Batch|Transact)?Get|Describe|List|Query|Scan)/;

/** Whether an operation changes nothing. */
export function isRead(operation: string): boolean {
  return READS.test(operation);
}
