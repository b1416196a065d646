/** Parses `Warning` headers (RFC 7234, section 5.5). The API uses the code 299. */
import type { HttpHeaders } from '../apimachinery/http/transport.ts';
import { decodeUtf8 } from '../base/bytes.ts';

const WARNING = /^\s*(\d{3}) \S+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/;

/** Calls `onWarning` with the text of each warning. A malformed warning, and the rest of its header, is ignored. */
export function readWarnings(headers: HttpHeaders, onWarning: (text: string) => void): void {
  const value = headers['warning'];
  if (value === undefined) return;
  for (const line of typeof value === 'string' ? [value] : value) {
    let rest = line;
    for (let match = WARNING.exec(rest); match !== null && rest !== ''; match = WARNING.exec(rest)) {
      if (match[1] === '299') onWarning(unescapeText(match[2] as string));
      rest = rest.slice(match[0].length);
    }
  }
}

/** Decodes a quoted text. Each character of a header is a byte of the UTF-8 text. */
function unescapeText(quoted: string): string {
  const text = quoted.replace(/\\(.)/g, '$1');
  if (!/[\x80-\xff]/.test(text) || /[^\x00-\xff]/.test(text)) return text;
  return decodeUtf8(Uint8Array.from(text, (c) => c.charCodeAt(0)));
}
