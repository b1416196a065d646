/**
 * `'...'.format([...])`: the text with its clauses, `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`. Invariant: what a clause makes of a value is said elsewhere, so that the
 * same walk checks a call before it runs.
 */
import { CelError, type CelList, type Value } from '../../values.ts';
import { checkTextLength } from '../call-limits.ts';

export type ClauseLetter = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

/** Makes text of a value. Throws CelError for a value of a type that it is not for. */
export type Clauses = Readonly<Record<ClauseLetter, (value: Value, precision: number) => string>>;

/** A clause as it stands in the text. */
export interface Clause {
  readonly letter: ClauseLetter;
  readonly precision: number;
}

const DEFAULT_PRECISION = 6;
/** More digits are asked for by mistake or malice only. */
const PRECISION_MAX = 100_000;

/**
 * Walks along a text: `plain` gets what stands between clauses, `clause` each clause with the index of its argument. Throws CelError where there are fewer than `count`
 * arguments, and for a clause that is none.
 */
export function walkFormat(
  text: string,
  count: number,
  plain: (text: string) => void,
  clause: (clause: Clause, index: number) => void,
  argument: (index: number) => void = () => {},
): void {
  let index = 0;
  for (let at = 0; at < text.length; ) {
    const percent = text.indexOf('%', at);
    if (percent !== at) {
      plain(percent < 0 ? text.slice(at) : text.slice(at, percent));
      at = percent < 0 ? text.length : percent;
    } else if (text[at + 1] === '%') {
      plain('%');
      at += 2;
    } else {
      argument(index);
      if (at + 1 >= text.length) throw new CelError('unexpected end of string');
      if (index >= count) throw new CelError(`index ${index} out of range`);
      const read = readClause(text.slice(at + 1));
      clause(read.clause, index++);
      at += 1 + read.length;
    }
  }
}

function readClause(text: string): { clause: Clause; length: number } {
  const fail = (message: string): never => {
    throw new CelError(`could not parse formatting clause: ${message}`);
  };
  let precision = DEFAULT_PRECISION;
  let length = 0;
  if (text.startsWith('.')) {
    const digits = (/^\.([0-9]*)/.exec(text) as RegExpExecArray)[1] as string;
    length = digits.length + 1;
    if (length >= text.length) fail('error while parsing precision: could not find end of precision specifier');
    const reason = atoiFault(digits);
    if (reason !== undefined)
      fail(`error while parsing precision: error while converting precision to integer: ${reason}`);
    precision = Number(digits);
  }
  const letter = text[length] as string;
  if (!'sdfebxXo'.includes(letter)) fail(`unrecognized formatting clause "${firstByte(letter)}"`);
  return { clause: { letter: letter as ClauseLetter, precision }, length: length + 1 };
}

function atoiFault(digits: string): string | undefined {
  if (digits === '') return 'strconv.Atoi: parsing "": invalid syntax';
  if (BigInt(digits) < 2n ** 63n) return undefined;
  return `strconv.Atoi: parsing "${digits}": value out of range`;
}

/** The reference looks at bytes, and shows the first of a character of several. */
function firstByte(char: string): string {
  const [byte = 0] = new TextEncoder().encode(char);
  return String.fromCharCode(byte);
}

export function formatText(text: string, args: CelList, clauses: Clauses): string {
  let formatted = '';
  const add = (part: string): void => {
    checkTextLength(part.length);
    formatted += part;
  };
  walkFormat(
    text,
    args.size,
    add,
    ({ letter, precision }, index) => {
      if (precision > PRECISION_MAX) checkTextLength(Number.POSITIVE_INFINITY);
      add(whileFormatting(() => clauses[letter](args.at(index), precision)));
    },
    (index) => {
      if (index >= args.size) throw new CelError(`index ${index} out of range`);
    },
  );
  return formatted;
}

export function whileFormatting<T>(format: () => T): T {
  try {
    return format();
  } catch (caught) {
    if (caught instanceof CelError) throw new CelError(`error during formatting: ${caught.message}`);
    throw caught;
  }
}
