/** The data that every contender stores, and the questions that it is asked. */

export const USERS = 50;
export const ORDERS_OF_USER = 20;
export const ORDERS = USERS * ORDERS_OF_USER;

/** The order of a number. Those from `ORDERS` on are new. */
export function order(number) {
  return {
    orderId: `o${String(number).padStart(8, "0")}`,
    userId: `u${number % USERS}`,
    reference: `R-${number}`,
    createdAt: new Date(Date.UTC(2024, 0, 1) + number * 1000).toISOString(),
    status: ["pending", "paid", "shipped"][number % 3],
    total: 10.5 + (number % 1000),
    quantity: number % 7,
    note: `Leave it at the door, please; nobody is in before ${number % 24} o'clock.`,
  };
}

/** What the copy in the user's collection holds. */
export function summary({ orderId, userId, total, status, createdAt }) {
  return { orderId, userId, total, status, createdAt };
}
