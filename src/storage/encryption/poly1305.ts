/**
 * The Poly1305 authenticator (RFC 8439, section 2.5). Numbers are split into limbs of 13 bits, so that sums of products
 * are exact in doubles.
 */

const LIMBS = 10;
const BITS = 13;
const MASK = 0x1fff;
const BLOCK = 16;

/** Returns the 16 bytes of the tag. `key` has 32 bytes and must be used for one message only. */
export function poly1305(key: Uint8Array, message: Uint8Array): Uint8Array {
  const r = limbsOf(clamped(key.subarray(0, 16)), 0);
  const sum = new Array<number>(LIMBS).fill(0);
  for (let at = 0; at < message.byteLength; at += BLOCK) {
    const part = message.subarray(at, at + BLOCK);
    const block = limbsOf(part, part.byteLength * 8);
    for (let i = 0; i < LIMBS; i++) sum[i]! += block[i]!;
    multiply(sum, r);
  }
  return tagOf(sum, key.subarray(16));
}

function clamped(bytes: Uint8Array): Uint8Array {
  const r = Uint8Array.from(bytes);
  for (const i of [3, 7, 11, 15]) r[i]! &= 15;
  for (const i of [4, 8, 12]) r[i]! &= 252;
  return r;
}

/** Returns the limbs of a little-endian number. `top` is the position of one more bit to set; 0: none. */
function limbsOf(bytes: Uint8Array, top: number): number[] {
  const limbs = new Array<number>(LIMBS).fill(0);
  for (let i = 0; i < bytes.byteLength; i++) addBits(limbs, i * 8, bytes[i]!);
  if (top > 0) addBits(limbs, top, 1);
  return limbs;
}

function addBits(limbs: number[], at: number, value: number): void {
  const limb = Math.floor(at / BITS);
  const shifted = value << (at % BITS);
  limbs[limb]! += shifted & MASK;
  if (shifted > MASK) limbs[limb + 1]! += shifted >>> BITS;
}

/** sum = sum * r modulo 2^130 - 5. 2^130 is 5, so limbs above the tenth are added to the lower ones, times 5. */
function multiply(sum: number[], r: readonly number[]): void {
  const product = new Array<number>(LIMBS).fill(0);
  for (let i = 0; i < LIMBS; i++)
    for (let j = 0; j < LIMBS; j++) {
      const k = i + j;
      if (k < LIMBS) product[k]! += sum[i]! * r[j]!;
      else product[k - LIMBS]! += 5 * sum[i]! * r[j]!;
    }
  carry(product);
  carry(product);
  for (let i = 0; i < LIMBS; i++) sum[i] = product[i]!;
}

function carry(limbs: number[]): void {
  let over = 0;
  for (let i = 0; i < LIMBS; i++) {
    const value = limbs[i]! + over;
    over = Math.floor(value / (MASK + 1));
    limbs[i] = value - over * (MASK + 1);
  }
  limbs[0]! += over * 5;
}

/** Returns `sum` modulo 2^130 - 5, plus the second half of the key, modulo 2^128. */
function tagOf(sum: readonly number[], addend: Uint8Array): Uint8Array {
  let value = sum.reduceRight((total, limb) => (total << BigInt(BITS)) + BigInt(limb), 0n) % PRIME;
  for (let i = 0; i < addend.byteLength; i++) value += BigInt(addend[i]!) << BigInt(8 * i);
  const tag = new Uint8Array(BLOCK);
  for (let i = 0; i < BLOCK; i++) tag[i] = Number((value >> BigInt(8 * i)) & 0xffn);
  return tag;
}

const PRIME = (1n << 130n) - 5n;
