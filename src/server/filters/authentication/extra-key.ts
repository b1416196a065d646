/** Keys of a user's extra in the names of headers (`x-remote-extra-scopes`). */
import { decodeUtf8, encodeUtf8 } from '../../../base/bytes.ts';

/** Decodes percent escapes and keeps `+`. A key with a malformed escape is returned unchanged. */
export function unescapeExtraKey(text: string): string {
  if (!text.includes('%') || /%(?![0-9a-fA-F]{2})/.test(text)) return text;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    const bytes = new Uint8Array(run.length / 3);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(run.slice(i * 3 + 1, i * 3 + 3), 16);
    return decodeUtf8(bytes);
  });
}

/** Escapes each byte that a header name cannot contain, and `%`. `unescapeExtraKey` reverts it. */
export function escapeExtraKey(key: string): string {
  return key.replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]+/g, (run) => {
    let escaped = '';
    for (const byte of encodeUtf8(run)) escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    return escaped;
  });
}
