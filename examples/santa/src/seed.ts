/** What the workshop has on its first day. */

import { createLetter } from "./letters.js";
import { type SantaClient, ToyId } from "./santa.js";
import { createToy, reprice } from "./toys.js";
import { newLetterId } from "./ulid.js";

const TOYS: readonly (readonly [name: string, description: string, price: number])[] = [
  ["Wooden train", "A locomotive and three waggons of beech, with a magnet between each two.", 3450],
  ["Kite", "Of red ripstop with a long tail. It flies in little wind.", 1890],
  ["Teddy bear", "Mohair, with arms and legs that turn. It growls when it bows.", 4200],
  ["Building blocks", "A hundred blocks of maple and walnut, in a bag of linen.", 3900],
  ["Music box", "Turns a small skater, and plays three songs.", 2750],
  ["Spinning top", "Of tin, with stars. It hums.", 1250],
  ["Box of paints", "Twelve colours, two brushes and a pad of paper.", 1680],
  ["Sledge", "Ash wood on steel runners, for two.", 7900],
  ["Telescope", "Shows the rings of Saturn in a clear night.", 8600],
  ["Puzzle of the world", "A thousand pieces, with every island that has a name.", 2400],
  ["Glass marbles", "Thirty of them, no two alike, in a tin.", 980],
  ["Storybook", "Twenty-four tales, one for each evening.", 2150],
];

const LETTERS: readonly (readonly [
  child: string,
  address: string,
  day: string,
  wishes: Readonly<Record<string, number>>,
])[] = [
  [
    "Mia Halvorsen",
    "Storgata 12\nTromsø, Norway",
    "2026-11-02",
    { sledge: 1, "box-of-paints": 1, "glass-marbles": 2 },
  ],
  ["Kofi Mensah", "14 Ring Road\nAccra, Ghana", "2026-11-05", { telescope: 1, kite: 2 }],
  [
    "Lucía Fernández",
    "Calle Mayor 3\nSalamanca, Spain",
    "2026-11-09",
    { "music-box": 1, storybook: 1, "teddy-bear": 1 },
  ],
  [
    "Haruto Tanaka",
    "2-8-1 Nishi\nSapporo, Japan",
    "2026-11-11",
    { "wooden-train": 1, "building-blocks": 2, kite: 1 },
  ],
  [
    "Anna and Jakob Weber",
    "Lindenweg 7\nFreiburg, Germany",
    "2026-11-14",
    { sledge: 1, kite: 2, "spinning-top": 2 },
  ],
  [
    "Zoë de Wit",
    "Prinsengracht 81\nAmsterdam, Netherlands",
    "2026-11-16",
    { "puzzle-of-the-world": 1, "box-of-paints": 2 },
  ],
  ["Amara Okafor", "5 Palm Avenue\nLagos, Nigeria", "2026-11-18", { kite: 1, "teddy-bear": 1, storybook: 2 }],
  ["Noah Tremblay", "220 rue Saint-Jean\nQuébec, Canada", "2026-11-20", { sledge: 2, "wooden-train": 1 }],
];

/** Fills an empty workshop. One that has a toy stays as it is. */
export async function seed(santa: SantaClient): Promise<boolean> {
  if ((await santa.toys().first()) !== undefined) return false;
  for (const [name, description, price] of TOYS) await createToy(santa, { name, description, price });
  for (const [child, address, day, asked] of LETTERS) {
    const receivedAt = `${day}T09:00:00.000Z`;
    const wishes = Object.entries(asked).map(([toyId, quantity]) => ({ toyId: ToyId(toyId), quantity }));
    await createLetter(santa, {
      letterId: newLetterId(Date.parse(receivedAt)),
      child,
      address,
      receivedAt,
      wishes,
    });
  }
  // A price that rose after the letters came, to be seen in their history.
  await reprice(santa, ToyId("kite"), { seen: 1890, price: 2150 });
  return true;
}
