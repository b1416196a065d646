/** The part of a header's name that is a key of a user's extra (`x-remote-extra-scopes`). */
import { decodeUtf8 } from '../../../base/bytes.ts';

/** Percent escapes decoded, `+` kept; a key with a malformed escape stays as it is. */
export function unescapeExtraKey(text: string): string {
  if (!text.includes('%') || /%(?![0-9a-fA-F]{2})/.test(text)) return text;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => {
    const bytes = new Uint8Array(run.length / 3);
    for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(run.slice(i * 3 + 1, i * 3 + 3), 16);
    return decodeUtf8(bytes);
  });
}
