/** Quoting of texts as in the errors of Go's time package: bytes beyond ASCII and controls are printed as `\xNN`. */
import { encodeUtf8 } from '../../base/bytes.ts';

const PLAIN = /^[ !#-[\]-\x7f]*$/;

export function quoteTimeText(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let out = '"';
  for (const byte of encodeUtf8(text)) {
    if (byte < 0x20 || byte > 0x7f) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    else out += byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte);
  }
  return `${out}"`;
}
