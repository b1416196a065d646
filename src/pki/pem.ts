/**
 * The PEM reader and writer (RFC 7468). Reading takes linear time and ignores text between blocks and malformed blocks.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts';

export interface PemBlock {
  /** The label after BEGIN, such as `CERTIFICATE`. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The block has header lines (`Key: value`) before the base64. Default false. */
  readonly hasHeaders?: boolean;
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/**
 * Parses the blocks of a text in their order. Ignores blocks that are incomplete, malformed, or encrypted according to
 * their headers.
 */
export function parsePem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let type: string | undefined;
  let body: string[] = [];
  let encrypted = false;
  let hasHeaders = false;
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    if (line.startsWith(BEGIN) && line.endsWith(DASHES) && line.length >= BEGIN.length + DASHES.length) {
      type = line.slice(BEGIN.length, -DASHES.length);
      body = [];
      encrypted = false;
      hasHeaders = false;
    } else if (type === undefined) continue;
    else if (line.startsWith(END)) {
      const bytes = line === `${END}${type}${DASHES}` && !encrypted ? decodeBase64(body.join('')) : undefined;
      if (bytes !== undefined) blocks.push(hasHeaders ? { type, bytes, hasHeaders } : { type, bytes });
      type = undefined;
    } else if (line.includes(':')) {
      hasHeaders = true;
      encrypted ||= line.startsWith('Proc-Type:');
    } else body.push(line.trim());
  }
  return blocks;
}

/** Formats one block, with lines of 64 characters and a newline at the end. */
export function formatPem(type: string, bytes: Uint8Array): string {
  const text = encodeBase64(bytes);
  const lines: string[] = [];
  for (let i = 0; i < text.length; i += 64) lines.push(text.slice(i, i + 64));
  return [`${BEGIN}${type}${DASHES}`, ...lines, `${END}${type}${DASHES}`, ''].join('\n');
}
