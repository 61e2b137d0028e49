/** One contender in a process of its own, so that no other shapes its code: it does what its parent asks. */

import { order, ORDERS, USERS } from "./data.mjs";

const [, , name, endpoint] = process.argv;
const contender = await (await import(`./contenders/${name}.mjs`)).make(endpoint);
let count = 0;
let created = ORDERS;

const OPERATIONS = {
  async get() {
    const number = (count += 7) % ORDERS;
    const { quantity } = await contender.get(order(number).orderId);
    if (quantity !== number % 7) throw new Error(`${name} read another order`);
  },
  async query() {
    const items = await contender.query(`u${(count += 7) % USERS}`);
    if (items.length !== 20 || typeof items[19].total !== "number") throw new Error(`${name} read ${items.length} orders`);
  },
  put: () => contender.put(order((created += 1))),
};

/** Does an operation for some time, several at once. Returns the operations and the CPU in milliseconds. */
async function measure(operation, { milliseconds, parallel }) {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  let done = 0;
  const one = async () => {
    while (performance.now() - start < milliseconds) {
      await OPERATIONS[operation]();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - start) / 1000, done, cpu: (user + system) / 1000 };
}

for (let number = 0; number < ORDERS; number += 20) {
  await Promise.all(Array.from({ length: 20 }, (_, at) => contender.put(order(number + at))));
}
process.on("message", async ({ operation, options }) => {
  if (operation === "end") process.exit(0);
  process.send(await measure(operation, options));
});
process.send("ready");
