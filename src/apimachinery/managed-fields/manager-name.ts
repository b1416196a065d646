/** The name of the field manager of a request. */
import { utf8Length } from '../../base/utf8.ts';
import { isPrintable } from '../go-format.ts';

const MAX_BYTES = 128;

/**
 * The `fieldManager` parameter, or the product of the User-Agent: what precedes its first slash, printable, at most 128
 * bytes.
 */
export function managerOrUserAgent(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  let name = '';
  let bytes = 0;
  for (const char of userAgent.split('/', 1)[0] ?? '') {
    if (!isPrintable(char)) continue;
    bytes += utf8Length(char);
    if (bytes > MAX_BYTES) break;
    name += char;
  }
  return name;
}
