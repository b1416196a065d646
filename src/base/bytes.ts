/**
 * Allocation, encoding and comparison of bytes that may be kept for long. Invariant: nothing returned here lies in a
 * shared pool, unless the caller gives an `allocate` that cuts from one. A 1 KB value that pins an 8 KB slab would make
 * a cache several times larger than its contents.
 *
 * Code on hot paths reads `length` of byte arrays: V8 does not inline `byteLength`, which takes ten times as long.
 */

interface NodeBytes extends Uint8Array {
  utf8Write(text: string, offset: number): number;
  latin1Write(text: string, offset: number): number;
}

interface NodeBuffer {
  allocUnsafeSlow(size: number): NodeBytes;
  byteLength(text: string): number;
  concat(chunks: readonly Uint8Array[]): Uint8Array;
  compare(a: Uint8Array, b: Uint8Array): number;
}

const nodeBuffer = (globalThis as unknown as { Buffer?: NodeBuffer }).Buffer;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** `size` bytes of unspecified content. The caller must write all of them. */
export function allocateBytes(size: number): Uint8Array {
  return nodeBuffer === undefined ? new Uint8Array(size) : nodeBuffer.allocUnsafeSlow(size);
}

/** Returns bytes of unspecified content, which are a Buffer on Node.js. */
export type Allocate = (size: number) => Uint8Array;

/** Returns the UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encodeUtf8In(text, allocateBytes);
}

/** `encodeUtf8` into bytes of `allocate`. */
export function encodeUtf8In(text: string, allocate: Allocate): Uint8Array {
  if (nodeBuffer === undefined) return encoder.encode(text);
  const bytes = allocate(nodeBuffer.byteLength(text)) as NodeBytes;
  // Equal counts mean ASCII, which latin1Write copies without conversion.
  if (bytes.length === text.length) bytes.latin1Write(text, 0);
  else bytes.utf8Write(text, 0);
  return bytes;
}

/** Returns the number of bytes that `encodeUtf8` makes of a text. */
export function encodedSize(text: string): number {
  return nodeBuffer === undefined ? encoder.encode(text).byteLength : nodeBuffer.byteLength(text);
}

/** Writes the `size` UTF-8 bytes of a text, as `encodedSize` counts them, into bytes of `allocateBytes`. */
export function encodeUtf8Into(text: string, size: number, into: Uint8Array, at: number): void {
  if (nodeBuffer === undefined) encoder.encodeInto(text, into.subarray(at, at + size));
  else if (size === text.length) (into as NodeBytes).latin1Write(text, at);
  else (into as NodeBytes).utf8Write(text, at);
}

/** Returns the UTF-8 bytes of two texts with other bytes between them, in one allocation. */
export function encodeUtf8Around(
  before: string,
  between: Uint8Array,
  after: string,
  allocate: Allocate = allocateBytes,
): Uint8Array {
  if (nodeBuffer === undefined) return concatBytes([encoder.encode(before), between, encoder.encode(after)]);
  const at = nodeBuffer.byteLength(before);
  const next = at + between.length;
  const size = next + nodeBuffer.byteLength(after);
  const bytes = allocate(size) as NodeBytes;
  if (at === before.length) bytes.latin1Write(before, 0);
  else bytes.utf8Write(before, 0);
  bytes.set(between, at);
  if (size - next === after.length) bytes.latin1Write(after, next);
  else bytes.utf8Write(after, next);
  return bytes;
}

/** Returns the text of UTF-8 bytes. Malformed sequences become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Returns the text of UTF-8 bytes, or undefined if they are malformed. */
export function decodeUtf8Strict(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns all chunks in one new array. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const bytes = allocateBytes(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Returns a copy. For bytes in a buffer of another owner that the caller will keep. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  const copy = allocateBytes(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Returns the bytes themselves, or a copy if they are a part of a larger buffer, which they would keep in memory. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : copyBytes(bytes);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  if (nodeBuffer !== undefined) return nodeBuffer.compare(a, b) === 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Returns the bytes in lower-case hexadecimal. */
export function formatHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
