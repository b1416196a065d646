/**
 * Numbers: the library `cel.lib.ext.math`. The reference's environments do not have it.
 */
import type { Expr } from '../ast.ts';
import type { FunctionDeclaration, Library, Macro, MacroContext, Overload } from '../library.ts';
import { callAt, listAt } from '../parse/nodes.ts';
import { compareValues } from '../runtime/equality.ts';
import { intOf, uintOf } from '../runtime/integers.ts';
import { itemsOf } from '../runtime/native-values.ts';
import { type BasicType, BOOL, DOUBLE, DYN, INT, listOf, UINT } from '../types.ts';
import { CelDouble, CelError, type CelInt, type CelList, CelUint, type Value } from '../values.ts';
import { declare, overload } from './declare.ts';

const NUMBERS: readonly BasicType[] = [DOUBLE, INT, UINT];

// ── math.least, math.greatest ──────────────────────────────────────────────────────────────────────────────────────────────────────

function isNumericArg(arg: Expr): boolean {
  if (arg.kind === 'literal') return ['double', 'int', 'uint'].includes(arg.literal.type);
  return arg.kind !== 'list' && arg.kind !== 'map' && arg.kind !== 'struct';
}

function expandExtreme(
  context: MacroContext,
  name: string,
  to: string,
  target: Expr,
  args: readonly Expr[],
): Expr | undefined {
  const fail = (at: number, message: string): undefined => {
    context.issue({ message: `math.${name}() ${message}`, at });
    return undefined;
  };
  const [first] = args;
  if (first === undefined) return fail(target.at, 'requires at least one argument');
  if (args.length === 1) {
    const isList = first.kind === 'list' && first.elements.length > 0 && first.elements.every(isNumericArg);
    return isList || isNumericArg(first)
      ? callAt(context.at, to, first)
      : fail(first.at, 'invalid single argument value');
  }
  const bad = args.find((arg) => !isNumericArg(arg));
  if (bad !== undefined) return fail(bad.at, 'simple literal arguments must be numeric');
  return args.length === 2 ? callAt(context.at, to, ...args) : callAt(context.at, to, listAt(context.at, ...args));
}

function extremeMacro(name: string, to: string): Macro {
  return {
    name,
    member: true,
    args: undefined,
    expand(context, target, args) {
      if (target?.kind !== 'ident' || target.name !== 'math') return undefined;
      return expandExtreme(context, name, to, target, args);
    },
  };
}

type Choice = (a: Value, b: Value) => Value;

function extremeOverloads(id: string, choose: Choice): Overload[] {
  const ofList = (list: Value): Value => {
    const [first, ...rest] = itemsOf(list as CelList);
    if (first === undefined) throw new CelError(`${id.replace('_', '.')}(list) argument must not be empty`);
    return rest.reduce(choose, first);
  };
  const pairs = NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b] as const));
  return [
    ...NUMBERS.map((type) => overload(`${id}_${type.name}`, [type], type, (value) => value as Value)),
    ...pairs.map(([a, b]) => overload(`${id}_${a.name}_${b.name}`, [a, b], a === b ? a : DYN, choose)),
    ...NUMBERS.map((type) => overload(`${id}_list_${type.name}`, [listOf(type)], type, ofList)),
  ];
}

// ── Functions of one number ────────────────────────────────────────────────────────────────────────────────────────────────────────

function ofDouble(name: string, compute: (value: number) => number): FunctionDeclaration {
  const evaluate = (value: Value): Value => new CelDouble(compute((value as CelDouble).value));
  return declare(`math.${name}`, overload(`math_${name}_double`, [DOUBLE], DOUBLE, evaluate));
}

function testDouble(name: string, test: (value: number) => boolean): FunctionDeclaration {
  const evaluate = (value: Value): Value => test((value as CelDouble).value);
  return declare(`math.${name}`, overload(`math_${name}_double`, [DOUBLE], BOOL, evaluate));
}

/** Halves go away from zero. */
function round(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

function absInt(value: Value): CelInt {
  const int = value as CelInt;
  return int >= 0 ? int : intOf(-BigInt(int));
}

function numberOf(value: Value): number {
  return value instanceof CelDouble ? value.value : Number(value instanceof CelUint ? value.value : (value as CelInt));
}

const SIGNS: readonly Overload[] = [
  overload('math_sign_double', [DOUBLE], DOUBLE, (value) => new CelDouble(Math.sign((value as CelDouble).value) + 0)),
  overload('math_sign_int', [INT], INT, (value) => ((value as CelInt) > 0 ? 1 : (value as CelInt) < 0 ? -1 : 0)),
  overload('math_sign_uint', [UINT], UINT, (value) => new CelUint((value as CelUint).value > 0n ? 1n : 0n)),
];

// ── Bits ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function signed(bits: bigint): CelInt {
  return intOf(BigInt.asIntN(64, bits));
}

function unsigned(bits: bigint): CelUint {
  return uintOf(BigInt.asUintN(64, bits));
}

type Bits = (a: bigint, b: bigint) => bigint;

function bitwise(name: string, compute: Bits): FunctionDeclaration {
  return declare(
    `math.${name}`,
    overload(`math_${name}_int_int`, [INT, INT], INT, (a, b) =>
      signed(compute(BigInt(a as CelInt), BigInt(b as CelInt))),
    ),
    overload(`math_${name}_uint_uint`, [UINT, UINT], UINT, (a, b) =>
      unsigned(compute((a as CelUint).value, (b as CelUint).value)),
    ),
  );
}

/** Ints are shifted as the bits that they are; all are gone from 64 on. */
function shift(name: string, compute: Bits): FunctionDeclaration {
  const bits = (value: bigint, offset: Value): bigint => {
    if ((offset as CelInt) < 0) throw new CelError(`math.${name}() negative offset: ${offset}`);
    return (offset as CelInt) >= 64 ? 0n : compute(BigInt.asUintN(64, value), BigInt(offset as CelInt));
  };
  return declare(
    `math.${name}`,
    overload(`math_${name}_int_int`, [INT, INT], INT, (a, b) => signed(bits(BigInt(a as CelInt), b as Value))),
    overload(`math_${name}_uint_int`, [UINT, INT], UINT, (a, b) => unsigned(bits((a as CelUint).value, b as Value))),
  );
}

export const MATH_LIBRARY: Library = {
  name: 'cel.lib.ext.math',
  macros: [extremeMacro('least', 'math.@min'), extremeMacro('greatest', 'math.@max')],
  functions: [
    declare('math.@min', ...extremeOverloads('math_@min', (a, b) => (compareValues(a, b) > 0 ? b : a))),
    declare('math.@max', ...extremeOverloads('math_@max', (a, b) => (compareValues(a, b) < 0 ? b : a))),
    ofDouble('ceil', Math.ceil),
    ofDouble('floor', Math.floor),
    ofDouble('round', round),
    ofDouble('trunc', Math.trunc),
    testDouble('isInf', (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
    testDouble('isNaN', Number.isNaN),
    testDouble('isFinite', Number.isFinite),
    declare(
      'math.abs',
      overload('math_abs_double', [DOUBLE], DOUBLE, (value) => new CelDouble(Math.abs((value as CelDouble).value))),
      overload('math_abs_int', [INT], INT, absInt),
      overload('math_abs_uint', [UINT], UINT, (value) => value as Value),
    ),
    declare('math.sign', ...SIGNS),
    declare(
      'math.sqrt',
      ...NUMBERS.map((type) =>
        overload(
          `math_sqrt_${type.name}`,
          [type],
          DOUBLE,
          (value) => new CelDouble(Math.sqrt(numberOf(value as Value))),
        ),
      ),
    ),
    bitwise('bitAnd', (a, b) => a & b),
    bitwise('bitOr', (a, b) => a | b),
    bitwise('bitXor', (a, b) => a ^ b),
    declare(
      'math.bitNot',
      overload('math_bitNot_int_int', [INT], INT, (value) => signed(~BigInt(value as CelInt))),
      overload('math_bitNot_uint_uint', [UINT], UINT, (value) => unsigned(~(value as CelUint).value)),
    ),
    shift('bitShiftLeft', (value, by) => value << by),
    shift('bitShiftRight', (value, by) => value >> by),
  ],
};
