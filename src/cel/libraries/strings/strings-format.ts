/**
 * The function `'...'.format([...])` with the clauses `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`. The formatting of
 * values is a parameter, so that the static check of calls uses the same parser of clauses.
 */
import { CelError, type CelList, type Value } from '../../values.ts';
import { checkTextLength } from '../call-limits.ts';

export type ClauseLetter = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';

/** The formatting function of each clause. Throws CelError for a value of a type that the clause does not accept. */
export type Clauses = Readonly<Record<ClauseLetter, (value: Value, precision: number) => string>>;

/** A clause in the text. */
export interface Clause {
  readonly letter: ClauseLetter;
  readonly precision: number;
}

const DEFAULT_PRECISION = 6;
/** The maximum precision. */
const PRECISION_MAX = 100_000;

/**
 * Parses a text. Calls `plain` for the text between clauses, `argument` before and `clause` after parsing a clause,
 * with the index of its argument. Throws CelError if there are fewer than `count` arguments, and for an invalid clause.
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

/** cel-go reads bytes: of a character of several bytes the message contains the first. */
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

/** Adds the context to the message of a CelError. */
export function whileFormatting<T>(format: () => T): T {
  try {
    return format();
  } catch (caught) {
    if (caught instanceof CelError) throw new CelError(`error during formatting: ${caught.message}`);
    throw caught;
  }
}
