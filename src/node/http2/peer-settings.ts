/** What the client's SETTINGS say (RFC 9113, section 6.5). */
import { CODE, readUint32, SETTING, type Violation, violation, WINDOW_LIMIT } from './frames.ts';

export interface SettingsChange {
  /** All of them: the smallest matters to the next header block, as well as the last. */
  readonly tableSizes: number[];
  initialWindowSize?: number;
}

const ENTRY_BYTES = 6;
/** A client that sends more has something else in mind. */
const MOST_ENTRIES = 32;

/** The values of the settings that concern us; a violation if one is not allowed. */
export function readSettings(payload: Uint8Array): SettingsChange | Violation {
  if (payload.length % ENTRY_BYTES !== 0) return violation(CODE.frameSizeError, 'SETTINGS of a broken length');
  if (payload.length > MOST_ENTRIES * ENTRY_BYTES) return violation(CODE.enhanceYourCalm, 'too many SETTINGS');
  const change: SettingsChange = { tableSizes: [] };
  for (let at = 0; at < payload.length; at += ENTRY_BYTES) {
    const id = (payload[at]! << 8) | payload[at + 1]!;
    const value = readUint32(payload, at + 2);
    if (id === SETTING.headerTableSize) change.tableSizes.push(value);
    else if (id === SETTING.enablePush && value > 1) return violation(CODE.protocolError, 'ENABLE_PUSH is not 0 or 1');
    else if (id === SETTING.initialWindowSize) {
      if (value > WINDOW_LIMIT) return violation(CODE.flowControlError, 'INITIAL_WINDOW_SIZE is too large');
      change.initialWindowSize = value;
    } else if (id === SETTING.maxFrameSize && (value < 16_384 || value > 0xff_ffff))
      return violation(CODE.protocolError, 'MAX_FRAME_SIZE is out of bounds');
  }
  return change;
}
