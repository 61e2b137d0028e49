/** Compressed attributes: GZIP of their JSON. */

import { unknownAttribute } from "./error.js";
import type { Io } from "./io.js";
import type { AttributeValue } from "./plan.js";
import { base64Of, bytesOf } from "./value/base64.js";
import { jsonOf } from "./value/compare.js";

/** The most bytes that a compressed attribute may expand to: it protects memory from a crafted item. */
const INFLATED_BYTES_MAX = 64 * 1024 * 1024;

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  const sent = writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close());
  // The reader reports what is wrong with the bytes.
  sent.catch(() => undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    size += next.value.length;
    if (size > INFLATED_BYTES_MAX) throw new RangeError("too long");
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** A value as compressed bytes. */
export async function compress(io: Io, value: AttributeValue): Promise<AttributeValue> {
  const json = `{"v":${jsonOf(value)}}`;
  const known = io.packed.get(json);
  if (known !== undefined) return known;
  const bytes = await through(new TextEncoder().encode(json), new CompressionStream("gzip"));
  const packed = { B: base64Of(bytes) };
  io.packed.set(json, packed);
  return packed;
}

/** The value of compressed bytes. */
export async function expand(io: Io, name: string, value: AttributeValue): Promise<AttributeValue> {
  try {
    const bytes = await through(bytesOf(value.B ?? ""), new DecompressionStream("gzip"));
    const inside = (JSON.parse(new TextDecoder().decode(bytes)) as { v: AttributeValue }).v;
    io.packed.set(`{"v":${jsonOf(inside)}}`, value);
    return inside;
  } catch {
    throw unknownAttribute(`${name} is stored, but not as the model compresses it`, name);
  }
}
