/** The runtime of Keyfold's typed clients: carries out the plan document of a model on Keyfold, on
 * Amazon DynamoDB, or on any engine with its API. */

export { Client } from "./client.js";
export type { Given } from "./client.js";
export { KeyfoldError } from "./error.js";
export type { ErrorCode, ErrorDetail, Place, Reason } from "./error.js";
export type {
  AttributeValue,
  AwsClient,
  BatchWritten,
  CallOptions,
  ClientOptions,
  Connection,
  CredentialProvider,
  Decimal,
  Credentials,
  Endpoint,
  EntityEvent,
  EntityEventOptions,
  EventOptions,
  FoundItem,
  Item,
  Made,
  ManyOptions,
  OneOfSeveral,
  Page,
  ReadOptions,
  RequestEvent,
  Span,
  SpanValue,
  StreamImages,
  StreamRecord,
  TableOutcome,
  Tracer,
  Transacted,
  TransactionWrite,
  Transport,
  UpdateOptions,
  Written,
} from "./options.js";
export type { Plan } from "./plan.js";
export { part, run, transact } from "./made.js";
export type { Done, MadeMember, MadeTable, NamedPart, NothingMade, Part, Parted } from "./made.js";
export { change, Collection, Query, required } from "./typed.js";
export type { Change, Inherited, NoArguments, Ordered, PageOptions, Strong, TypedOptions } from "./typed.js";
export { BatchWriter, Parts, Writer } from "./writer.js";
