/** The SETTINGS of both roles (RFC 9113, 6.5): the first frames of each, and the parser. */
import { concatBytes } from '../../base/bytes.ts';
import type { ListenerLimits } from '../limits.ts';
import {
  CODE,
  FIRST_WINDOW,
  PREFACE,
  readUint32,
  SETTING,
  settingsFrame,
  type Violation,
  violation,
  WINDOW_LIMIT,
  windowUpdate,
} from './frames.ts';
import type { HeaderLimits } from './hpack-decoder.ts';

/**
 * The receive window of a whole connection. It is returned as data arrives, so it bounds bytes in flight, not bytes
 * held.
 */
export const CONNECTION_WINDOW: number = 4 * 1024 * 1024;

/** Encodes the server's first frames: SETTINGS, and the WINDOW_UPDATE to CONNECTION_WINDOW. */
export function serverPreface(limits: ListenerLimits): Uint8Array {
  const settings = settingsFrame([
    [SETTING.enablePush, 0],
    [SETTING.maxConcurrentStreams, limits.maxStreams],
    [SETTING.initialWindowSize, limits.streamWindowBytes],
    [SETTING.maxHeaderListSize, limits.maxHeaderBytes],
  ]);
  return concatBytes([settings, windowUpdate(0, CONNECTION_WINDOW - FIRST_WINDOW)]);
}

/** The receive windows and header limits of a client. */
export interface ClientSettings extends HeaderLimits {
  readonly streamWindowBytes: number;
}

/** Encodes the client's first bytes: the preface, SETTINGS, and the WINDOW_UPDATE to CONNECTION_WINDOW. */
export function clientPreface(settings: ClientSettings): Uint8Array {
  const first = settingsFrame([
    [SETTING.enablePush, 0],
    [SETTING.initialWindowSize, settings.streamWindowBytes],
    [SETTING.maxHeaderListSize, settings.maxHeaderBytes],
  ]);
  return concatBytes([PREFACE, first, windowUpdate(0, CONNECTION_WINDOW - FIRST_WINDOW)]);
}

export interface SettingsChange {
  /**
   * All values of HEADER_TABLE_SIZE in the frame: the next header block must signal the smallest and the last (RFC
   * 7541, 4.2).
   */
  readonly tableSizes: number[];
  initialWindowSize?: number;
  maxConcurrentStreams?: number;
  enablesPush?: boolean;
}

const ENTRY_BYTES = 6;
/** More entries than any client sends; beyond, the frame is treated as an attack. */
const MAX_ENTRIES = 32;

/** Returns the settings that a peer uses, or the violation if one has an invalid value. */
export function readSettings(payload: Uint8Array): SettingsChange | Violation {
  if (payload.length % ENTRY_BYTES !== 0) return violation(CODE.frameSizeError, 'SETTINGS of an invalid length');
  if (payload.length > MAX_ENTRIES * ENTRY_BYTES) return violation(CODE.enhanceYourCalm, 'too many SETTINGS');
  const change: SettingsChange = { tableSizes: [] };
  for (let at = 0; at < payload.length; at += ENTRY_BYTES) {
    const id = (payload[at]! << 8) | payload[at + 1]!;
    const value = readUint32(payload, at + 2);
    if (id === SETTING.headerTableSize) change.tableSizes.push(value);
    else if (id === SETTING.maxConcurrentStreams) change.maxConcurrentStreams = value;
    else if (id === SETTING.enablePush) {
      if (value > 1) return violation(CODE.protocolError, 'ENABLE_PUSH is not 0 or 1');
      change.enablesPush = value === 1;
    } else if (id === SETTING.initialWindowSize) {
      if (value > WINDOW_LIMIT) return violation(CODE.flowControlError, 'INITIAL_WINDOW_SIZE is too large');
      change.initialWindowSize = value;
    } else if (id === SETTING.maxFrameSize && (value < 16_384 || value > 0xff_ffff))
      return violation(CODE.protocolError, 'MAX_FRAME_SIZE is out of bounds');
  }
  return change;
}
