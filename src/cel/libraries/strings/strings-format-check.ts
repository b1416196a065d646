/**
 * The static check of calls of `format` with a literal text and a literal list. It reports what would fail at run time,
 * with the same messages.
 */
import type { CallExpr, CelIssue, Expr } from '../../ast.ts';
import type { ValidatedExpression } from '../../library.ts';
import { visitExpr } from '../../parse/nodes.ts';
import { runtimeTypeName } from '../../runtime/type-of-value.ts';
import { type CelType, DYN } from '../../types.ts';
import { CelError } from '../../values.ts';
import { type ClauseLetter, walkFormat } from './strings-format.ts';

interface ClauseRule {
  /** The run-time names of the allowed types. */
  readonly types: ReadonlySet<string>;
  readonly rule: string;
}

const STRINGABLE =
  'list map int uint double bool string google.protobuf.Timestamp bytes google.protobuf.Duration type null_type';
const INTEGERS = 'int uint';
/** Includes strings, because of `NaN` and `Infinity`. */
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

/** The message about a value of a type that a clause does not accept. */
export function clauseFault(letter: ClauseLetter, type: string): string {
  return `${RULES[letter].rule}, was given ${type}`;
}

/** The validator of the strings library. */
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

/** The argument that the clause does not accept; for `%s` also an element of a literal in it. */
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
