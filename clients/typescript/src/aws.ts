/** The AWS SDK as the way that requests take. The program brings the SDK: nothing of it is imported here. */

export { type AwsModule, type AwsSender, awsTransport } from "./transport/aws.js";
