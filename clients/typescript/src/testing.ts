/** What tests need: entities that are made of a seed, and servers in memory. */

export { type Creates, Fakes, type Related } from "./fakes.js";
export { type Server, startServer } from "./transport/server.js";
