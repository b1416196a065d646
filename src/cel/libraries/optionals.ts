/** The library `cel.lib.optional`, version 2: optional values. */
import type { Expr } from '../ast.ts';
import type { Library, Macro } from '../library.ts';
import { callAt, comprehensionAt, identAt, listAt, literalAt, memberCallAt } from '../parse/nodes.ts';
import { NONE } from '../runtime/attributes.ts';
import { formatPlain } from '../runtime/format-value.ts';
import { NativeList } from '../runtime/native-values.ts';
import { isZeroValue } from '../runtime/zero-value.ts';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, paramType, STRING, typeOf } from '../types.ts';
import { CelError, type CelList, CelOptional, CelTypeValue, type Value } from '../values.ts';
import { declare, member, overload } from './declare.ts';

const K = paramType('K');
const V = paramType('V');
const OPTIONAL_V = optionalOf(V);
const LIST_V = listOf(V);
const MAP_KV = mapOf(K, V);

function valueOfOptional(optional: Value): Value {
  const { value } = optional as CelOptional;
  if (value === undefined) throw new CelError('optional.none() dereference');
  return value;
}

function itemAt(list: CelList, index: number): CelOptional {
  return list.size === 0 ? NONE : new CelOptional(list.at(index));
}

function unwrap(optionals: Value): Value {
  const list = optionals as CelList;
  const values: Value[] = [];
  for (let index = 0; index < list.size; index++) {
    const item = list.at(index);
    if (!(item instanceof CelOptional)) throw new CelError(`value ${formatPlain(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new NativeList(values);
}

/** The variable of a comprehension without iterations. Expressions cannot contain this name. */
const UNUSED = '#unused';

/** `target.name(variable, transform)`: `transform` with the value of the target, or `optional.none()`. */
function mapping(name: string, wrap: (at: number, mapped: Expr) => Expr): Macro {
  return {
    name,
    member: true,
    args: 2,
    expand(context, target, [variable, transform]) {
      if (target === undefined || variable === undefined || transform === undefined) return undefined;
      const { at } = context;
      if (variable.kind !== 'ident') {
        context.issue({ message: `${name}() variable name must be a simple identifier`, at: variable.at });
        return undefined;
      }
      const mapped = comprehensionAt(at, {
        range: listAt(at),
        variable: UNUSED,
        accumulator: variable.name,
        init: memberCallAt(at, 'value', context.copy(target)),
        condition: literalAt(at, { type: 'bool', value: false }),
        step: identAt(at, variable.name),
        result: transform,
      });
      return callAt(at, '_?_:_', memberCallAt(at, 'hasValue', target), wrap(at, mapped), callAt(at, 'optional.none'));
    },
  };
}

export const OPTIONALS_LIBRARY: Library = {
  name: 'cel.lib.optional',
  optionalSyntax: true,
  macros: [
    mapping('optMap', (at, mapped) => callAt(at, 'optional.of', mapped)),
    mapping('optFlatMap', (_, mapped) => mapped),
  ],
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [V], OPTIONAL_V, (value) => new CelOptional(value)),
    ),
    declare(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', [V], OPTIONAL_V, (value) =>
        isZeroValue(value as Value) ? NONE : new CelOptional(value),
      ),
    ),
    declare(
      'optional.none',
      overload('optional_none', [], OPTIONAL_V, () => NONE),
    ),
    declare(
      'value',
      member('optional_value', [OPTIONAL_V], V, (optional) => valueOfOptional(optional as Value)),
    ),
    declare(
      'hasValue',
      member('optional_hasValue', [OPTIONAL_V], BOOL, (optional) => (optional as CelOptional).value !== undefined),
    ),
    // The evaluator implements these five: they do not always evaluate all their arguments.
    declare('or', member('optional_or_optional', [OPTIONAL_V, OPTIONAL_V], OPTIONAL_V)),
    declare('orValue', member('optional_orValue_value', [OPTIONAL_V, V], V)),
    declare('_?._', overload('select_optional_field', [DYN, STRING], OPTIONAL_V)),
    declare(
      '_[?_]',
      overload('list_optindex_optional_int', [LIST_V, INT], OPTIONAL_V),
      overload('optional_list_optindex_optional_int', [optionalOf(LIST_V), INT], OPTIONAL_V),
      overload('map_optindex_optional_value', [MAP_KV, K], OPTIONAL_V),
      overload('optional_map_optindex_optional_value', [optionalOf(MAP_KV), K], OPTIONAL_V),
    ),
    declare(
      '_[_]',
      overload('optional_list_index_int', [optionalOf(LIST_V), INT], OPTIONAL_V),
      overload('optional_map_index_value', [optionalOf(MAP_KV), K], OPTIONAL_V),
    ),
    declare(
      'last',
      member('list_last', [LIST_V], OPTIONAL_V, (list) => itemAt(list as CelList, (list as CelList).size - 1)),
    ),
    declare(
      'first',
      member('list_first', [LIST_V], OPTIONAL_V, (list) => itemAt(list as CelList, 0)),
    ),
    declare(
      'optional.unwrap',
      overload('optional_unwrap', [listOf(OPTIONAL_V)], LIST_V, (list) => unwrap(list as Value)),
    ),
    declare(
      'unwrapOpt',
      member('optional_unwrapOpt', [listOf(OPTIONAL_V)], LIST_V, (list) => unwrap(list as Value)),
    ),
  ],
  constants: [{ name: 'optional_type', type: typeOf(optionalOf(DYN)), value: new CelTypeValue(optionalOf(DYN)) }],
};
