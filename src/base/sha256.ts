/**
 * A synchronous SHA-256 (FIPS 180-4) for hashes of contents, such as ETags and storage version hashes, where a promise
 * would make a whole call path asynchronous. It is not constant-time and not fast: secrets and large inputs belong to
 * the platform's crypto.
 */
import { encodeUtf8 } from './bytes.ts';

const ROUND_CONSTANTS = new Int32Array(64);
const START = new Uint32Array(8);
let ready = false;

/**
 * Computes the constants: the first 32 bits of the fractional parts of cube roots (rounds) and square roots (start) of
 * the first primes.
 */
function prepare(): void {
  let count = 0;
  for (let candidate = 2; count < 64; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    if (count < 8) START[count] = fraction(candidate ** (1 / 2));
    ROUND_CONSTANTS[count++] = fraction(candidate ** (1 / 3));
  }
  ready = true;
}

function fraction(value: number): number {
  return ((value - Math.floor(value)) * 0x1_0000_0000) >>> 0;
}

/** Returns the 32 bytes of the digest. */
export function sha256(message: Uint8Array): Uint8Array {
  if (!ready) prepare();
  const state = Uint32Array.from(START);
  const schedule = new Int32Array(64);
  const whole = message.length - (message.length % 64);
  for (let at = 0; at < whole; at += 64) compress(state, schedule, message, at);
  // The remaining bytes, a 1 bit, zeros and the length in bits take one block or two.
  const rest = message.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(message.subarray(whole));
  tail[rest] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, Math.floor(message.length / 0x2000_0000));
  view.setUint32(tail.length - 4, message.length << 3);
  for (let at = 0; at < tail.length; at += 64) compress(state, schedule, tail, at);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) out.setUint32(i * 4, state[i] as number);
  return digest;
}

/** Returns the digest as 64 upper-case hexadecimal digits, the form of the reference's hashes. */
export function sha256Hex(message: Uint8Array): string {
  let text = '';
  for (const byte of sha256(message)) text += (byte < 16 ? '0' : '') + byte.toString(16);
  return text.toUpperCase();
}

/**
 * Returns the digest of a text as kube-apiserver shows it in messages and labels of metrics: `sha256:` and lower-case
 * digits.
 */
export function sha256Label(text: string): string {
  return `sha256:${sha256Hex(encodeUtf8(text)).toLowerCase()}`;
}

function compress(state: Uint32Array, w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const p = at + i * 4;
    w[i] =
      ((bytes[p] as number) << 24) |
      ((bytes[p + 1] as number) << 16) |
      ((bytes[p + 2] as number) << 8) |
      (bytes[p + 3] as number);
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND_CONSTANTS[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
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
