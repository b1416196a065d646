/** The page `/flagz`: the flags of the command line and their values, defaults included. */
import { compareUtf8 } from '../../base/utf8.ts';
import type { ZPage } from './zpage.ts';

/** `flags` are the values as the command line would write them. */
export function flagzPage(flags: Readonly<Record<string, string>>): ZPage {
  const sorted = Object.entries(flags).sort(([a], [b]) => compareUtf8(a, b));
  return {
    name: 'flagz',
    kind: 'Flagz',
    text: () => sorted.map(([name, value]) => `${name}=${value}\n`).join(''),
    fields: () => ({ flags: Object.fromEntries(sorted) }),
  };
}
