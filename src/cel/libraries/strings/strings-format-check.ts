/**
 * Checks calls of `format` whose text and arguments are written out, before they run. Invariant: it complains of what would fail while running, in the same words.
 */
import type { CallExpr, CelIssue, Expr } from '../../ast.ts';
import type { ValidatedExpression } from '../../library.ts';
import { runtimeTypeName } from '../../runtime/type-of-value.ts';
import { type CelType, DYN } from '../../types.ts';
import { CelError } from '../../values.ts';
import { visitExpr } from '../visit.ts';
import { type ClauseLetter, walkFormat } from './strings-format.ts';

interface ClauseRule {
  /** Names of the types, as they are while running. */
  readonly types: ReadonlySet<string>;
  readonly rule: string;
}

const STRINGABLE =
  'list map int uint double bool string google.protobuf.Timestamp bytes google.protobuf.Duration type null_type';
const INTEGERS = 'int uint';
/** Texts too, because of `NaN` and `Infinity`. */
const DOUBLES = 'double string';
const HEXABLE = 'int uint string bytes';
const HEX_RULE = 'only integers, byte buffers, and strings can be formatted as hex';

function rule(types: string, text: string): ClauseRule {
  return { types: new Set(types.split(' ')), rule: text };
}

const RULES: Readonly<Record<ClauseLetter, ClauseRule>> = {
  s: rule(
    STRINGABLE,
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  ),
  d: rule(INTEGERS, 'decimal clause can only be used on integers'),
  f: rule(DOUBLES, 'fixed-point clause can only be used on doubles'),
  e: rule(DOUBLES, 'scientific clause can only be used on doubles'),
  b: rule(`${INTEGERS} bool`, 'only integers and bools can be formatted as binary'),
  x: rule(HEXABLE, HEX_RULE),
  X: rule(HEXABLE, HEX_RULE),
  o: rule(INTEGERS, 'octal clause can only be used on integers'),
};

/** What is said of a value that a clause is not for. */
export function clauseFault(letter: ClauseLetter, type: string): string {
  return `${RULES[letter].rule}, was given ${type}`;
}

/** For the library. */
export function validateFormatCalls(checked: ValidatedExpression, issue: (issue: CelIssue) => void): void {
  visitExpr(checked.expr, (expr) => {
    if (isFormatCall(expr, checked)) checkCall(expr, checked, issue);
  });
}

function isFormatCall(expr: Expr, { references }: ValidatedExpression): expr is CallExpr {
  if (expr.kind !== 'call' || expr.name !== 'format' || expr.target === undefined) return false;
  const reference = references.get(expr);
  return reference?.overloads?.some(({ id }) => id === 'string_format') === true;
}

function checkCall(call: CallExpr, checked: ValidatedExpression, issue: (issue: CelIssue) => void): void {
  const [text, list] = [call.target, call.args[0]];
  if (text?.kind !== 'literal' || text.literal.type !== 'string' || list?.kind !== 'list') return;
  const args = list.elements;
  let asked = 0;
  let place = call.at;
  try {
    walkFormat(
      text.literal.value,
      args.length,
      () => {},
      ({ letter }, index) => {
        const bad = findMisfit(args[index] as Expr, letter, checked);
        if (bad === undefined) return;
        place = bad.at;
        const type = checked.types.get(bad) ?? DYN;
        throw new CelError(`error during formatting: ${clauseFault(letter, runtimeTypeName(type))}`);
      },
      () => asked++,
    );
  } catch (caught) {
    if (!(caught instanceof CelError)) throw caught;
    issue({ message: caught.message, at: place });
    return;
  }
  if (args.length > asked)
    issue({
      message: `too many arguments supplied to string.format (expected ${asked}, got ${args.length})`,
      at: call.at,
    });
}

/** The argument, or for `%s` what is written inside of it, that the clause is not for. */
function findMisfit(arg: Expr, letter: ClauseLetter, checked: ValidatedExpression): Expr | undefined {
  if (!fits(checked.types.get(arg) ?? DYN, letter)) return arg;
  if (letter !== 's') return undefined;
  let parts: readonly Expr[] = [];
  if (arg.kind === 'list') parts = arg.elements;
  else if (arg.kind === 'map') parts = arg.entries.flatMap(({ key, value }) => [key, value]);
  for (const part of parts) {
    const misfit = findMisfit(part, letter, checked);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function fits(type: CelType, letter: ClauseLetter): boolean {
  return type === DYN || RULES[letter].types.has(runtimeTypeName(type));
}
