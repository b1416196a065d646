/** The decision whether text for people is coloured, and the codes of terminals for colours. */

/**
 * FORCE_COLOR decides if it is set: `0` and `false` mean no, anything else yes. Otherwise a NO_COLOR that is not empty
 * means no (https://no-color.org), as does TERM=dumb. Otherwise a terminal gets colours and a file or a pipe does not.
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: terminal } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return isTerminal && terminal !== 'dumb';
}

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey' | 'bold';

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  grey: [90, 39],
  bold: [1, 22],
};

export function paint(colour: Colour, text: string): string {
  const [on, off] = CODES[colour];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
