/** What only Node, Deno and Bun have: servers of their own, and profiles of AWS. */

export { connect, type OpenConnection, type Server, startServer } from "./transport/node.js";
