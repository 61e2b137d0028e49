/** SHA-256. That of WebCrypto has no synchronous form, and keys are made of it. */

const ROUNDS = /* @__PURE__ */ constants();

/** The fractional parts of the cube roots of the first 64 primes. */
function constants(): Uint32Array {
  const made = new Uint32Array(64);
  let count = 0;
  for (let number = 2; count < 64; number += 1) {
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) divisor += 1;
    if (divisor * divisor > number) {
      made[count] = (Math.cbrt(number) % 1) * 0x1_0000_0000;
      count += 1;
    }
  }
  return made;
}

const START: readonly number[] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** One block of 16 words into the state. Written without closures and arrays, which would cost more than the
 * rounds themselves: keys and signatures are made of it. */
function mix(state: Uint32Array, words: Uint32Array): void {
  for (let at = 16; at < 64; at += 1) {
    const early = words[at - 15] as number;
    const late = words[at - 2] as number;
    const one = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const two = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[at] = ((words[at - 16] as number) + one + (words[at - 7] as number) + two) | 0;
  }
  let a = (state[0] as number) | 0;
  let b = (state[1] as number) | 0;
  let c = (state[2] as number) | 0;
  let d = (state[3] as number) | 0;
  let e = (state[4] as number) | 0;
  let f = (state[5] as number) | 0;
  let g = (state[6] as number) | 0;
  let h = (state[7] as number) | 0;
  for (let at = 0; at < 64; at += 1) {
    const high = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + high + ((e & f) ^ (~e & g)) + (ROUNDS[at] as number) + (words[at] as number)) | 0;
    const low = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}

/** The SHA-256 of bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const length = (((bytes.length + 8) >> 6) + 1) << 6;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(length - 4, bytes.length << 3);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  for (let block = 0; block < length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = view.getUint32(block + 4 * at);
    mix(state, words);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (let at = 0; at < 8; at += 1) out.setUint32(4 * at, state[at] as number);
  return new Uint8Array(out.buffer);
}

const DIGITS: readonly string[] = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** Bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/** The first 32 hexadecimal digits of the SHA-256 of a text. */
export function digest(text: string): string {
  return hex(sha256(new TextEncoder().encode(text)).subarray(0, 16));
}
