/** HTTP/2 frames (RFC 9113, section 6): types, flags, error codes, settings, and encoders of control frames. */

/** The connection preface that a client sends before its first frame. */
export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export const FRAME_HEADER = 9;
/** The largest payload of a frame. Both roles keep the default of SETTINGS_MAX_FRAME_SIZE in both directions. */
export const FRAME_LIMIT = 16_384;
export const WINDOW_LIMIT = 0x7fff_ffff;
/** The initial flow-control window of a connection, and of a stream unless SETTINGS change it. */
export const FIRST_WINDOW = 65_535;

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const CODE = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  connectError: 10,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
  http11Required: 13,
} as const;

const CODE_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(CODE).map(([name, code]) => [code, name.replace(/[A-Z]|11/g, '_$&').toUpperCase()]),
);

/** Returns the name of an error code as in RFC 9113, section 7: `PROTOCOL_ERROR`. */
export function codeName(code: number): string {
  return CODE_NAMES.get(code) ?? `unknown error code ${code}`;
}

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** A protocol violation that is a connection error. */
export interface Violation {
  readonly code: number;
  readonly why: string;
}

export function violation(code: number, why: string): Violation {
  return { code, why };
}

export function writeFrameHead(
  into: Uint8Array,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): void {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  writeUint32(into, at + 5, stream);
}

export function writeUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! * 0x100_0000 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!)) >>> 0;
}

/** Reads 31 bits and ignores the reserved one. */
export function readUint31(bytes: Uint8Array, at: number): number {
  return readUint32(bytes, at) & 0x7fff_ffff;
}

function frame(type: number, flags: number, stream: number, length: number): Uint8Array {
  const bytes = new Uint8Array(FRAME_HEADER + length);
  writeFrameHead(bytes, 0, length, type, flags, stream);
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Uint8Array {
  const bytes = frame(FRAME.settings, 0, 0, settings.length * 6);
  for (const [i, [id, value]] of settings.entries()) {
    bytes[FRAME_HEADER + i * 6 + 1] = id;
    writeUint32(bytes, FRAME_HEADER + i * 6 + 2, value);
  }
  return bytes;
}

export function settingsAck(): Uint8Array {
  return frame(FRAME.settings, FLAG.ack, 0, 0);
}

export function ping(payload: Uint8Array): Uint8Array {
  const bytes = frame(FRAME.ping, 0, 0, 8);
  bytes.set(payload, FRAME_HEADER);
  return bytes;
}

export function pingAck(payload: Uint8Array): Uint8Array {
  const bytes = frame(FRAME.ping, FLAG.ack, 0, 8);
  bytes.set(payload, FRAME_HEADER);
  return bytes;
}

export function windowUpdate(stream: number, increment: number): Uint8Array {
  const bytes = frame(FRAME.windowUpdate, 0, stream, 4);
  writeUint32(bytes, FRAME_HEADER, increment);
  return bytes;
}

export function resetStream(stream: number, code: number): Uint8Array {
  const bytes = frame(FRAME.resetStream, 0, stream, 4);
  writeUint32(bytes, FRAME_HEADER, code);
  return bytes;
}

export function goaway(lastStream: number, code: number): Uint8Array {
  const bytes = frame(FRAME.goaway, 0, 0, 8);
  writeUint32(bytes, FRAME_HEADER, lastStream);
  writeUint32(bytes, FRAME_HEADER + 4, code);
  return bytes;
}
