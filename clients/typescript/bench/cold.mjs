/** One contender in a new process, as a function of Lambda starts: says the milliseconds from the start of the
 * process to the answer of its first get. */

const [, , name, endpoint] = process.argv;
const { open } = await import(`./contenders/${name}.mjs`);
await open(endpoint).get("o00000001");
process.send(performance.now(), () => process.exit(0));
