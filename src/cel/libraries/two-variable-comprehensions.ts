/**
 * Comprehensions over keys and values at once: `all(k, v, ...)`, `transformMap(k, v, ...)` and the like. Invariant: each expands to the tree that cel-go makes of it.
 */
import type { Expr } from '../ast.ts';
import { ACCUMULATOR } from '../ast.ts';
import type { Library, Macro, MacroContext } from '../library.ts';
import { accumulatorAt, callAt, comprehensionAt, identAt, listAt, literalAt } from '../parse/nodes.ts';
import { entriesOf, insertEntry } from '../runtime/native-values.ts';
import { mapOf, paramType } from '../types.ts';
import type { CelMap, Value } from '../values.ts';
import { declare, overload } from './declare.ts';

const K = paramType('K');
const V = paramType('V');
const MAP_KV = mapOf(K, V);

const INSERT = 'cel.@mapInsert';

interface Parts {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** The two variables, or undefined with an issue. */
function variablesOf(context: MacroContext, first: Expr, second: Expr): readonly [string, string] | undefined {
  for (const arg of [first, second]) {
    if (arg.kind === 'ident') continue;
    context.issue({ message: 'argument must be a simple name', at: arg.at });
    return undefined;
  }
  if (first.kind !== 'ident' || second.kind !== 'ident') return undefined;
  if (first.name === second.name) {
    context.issue({ message: `duplicate variable name: ${first.name}`, at: second.at });
    return undefined;
  }
  for (const arg of [first, second]) {
    if (arg.name !== ACCUMULATOR && arg.name !== '__result__') continue;
    context.issue({ message: 'iteration variable overwrites accumulator variable', at: arg.at });
    return undefined;
  }
  return [first.name, second.name];
}

/** `rest` are the arguments after the two variables; `key` is the first of these. */
type Fold = (at: number, key: string, rest: readonly Expr[]) => Parts | undefined;

function macro(name: string, args: number, fold: Fold): Macro {
  return {
    name,
    member: true,
    args,
    expand(context, target, [first, second, ...rest]) {
      if (target === undefined || first === undefined || second === undefined) return undefined;
      const variables = variablesOf(context, first, second);
      if (variables === undefined) return undefined;
      const [variable, variable2] = variables;
      const parts = fold(context.at, variable, rest);
      return parts && comprehensionAt(context.at, { range: target, variable, variable2, ...parts });
    },
  };
}

const all: Fold = (at, _, [predicate]) =>
  predicate && {
    init: literalAt(at, { type: 'bool', value: true }),
    condition: callAt(at, '@not_strictly_false', accumulatorAt(at)),
    step: callAt(at, '_&&_', accumulatorAt(at), predicate),
    result: accumulatorAt(at),
  };

const exists: Fold = (at, _, [predicate]) =>
  predicate && {
    init: literalAt(at, { type: 'bool', value: false }),
    condition: callAt(at, '@not_strictly_false', callAt(at, '!_', accumulatorAt(at))),
    step: callAt(at, '_||_', accumulatorAt(at), predicate),
    result: accumulatorAt(at),
  };

function one(at: number): Expr {
  return literalAt(at, { type: 'int', value: 1n });
}

const existsOne: Fold = (at, _, [predicate]) =>
  predicate && {
    init: literalAt(at, { type: 'int', value: 0n }),
    condition: literalAt(at, { type: 'bool', value: true }),
    step: callAt(at, '_?_:_', predicate, callAt(at, '_+_', accumulatorAt(at), one(at)), accumulatorAt(at)),
    result: callAt(at, '_==_', accumulatorAt(at), one(at)),
  };

/** Collects into `init` by what `add` makes of the transformation; the last argument is that, one before it filters. */
function collecting(init: (at: number) => Expr, add: (at: number, key: string, transform: Expr) => Expr): Fold {
  return (at, key, rest) => {
    const transform = rest.at(-1);
    if (transform === undefined) return undefined;
    const filter = rest.length > 1 ? rest[0] : undefined;
    const added = add(at, key, transform);
    return {
      init: init(at),
      condition: literalAt(at, { type: 'bool', value: true }),
      step: filter === undefined ? added : callAt(at, '_?_:_', filter, added, accumulatorAt(at)),
      result: accumulatorAt(at),
    };
  };
}

function emptyMap(at: number): Expr {
  return { kind: 'map', at, entries: [] };
}

const transformList = collecting(listAt, (at, _, transform) =>
  callAt(at, '_+_', accumulatorAt(at), listAt(at, transform)),
);

const transformMap = collecting(emptyMap, (at, key, transform) =>
  callAt(at, INSERT, accumulatorAt(at), identAt(at, key), transform),
);

const transformMapEntry = collecting(emptyMap, (at, _, transform) => callAt(at, INSERT, accumulatorAt(at), transform));

function insertAll(map: CelMap, more: CelMap): CelMap {
  let grown = map;
  for (const [key, value] of entriesOf(more)) grown = insertEntry(grown, key, value);
  return grown;
}

export const TWO_VARIABLE_COMPREHENSIONS_LIBRARY: Library = {
  name: 'cel.lib.ext.comprev2',
  macros: [
    macro('all', 3, all),
    macro('exists', 3, exists),
    macro('existsOne', 3, existsOne),
    macro('exists_one', 3, existsOne),
    macro('transformList', 3, transformList),
    macro('transformList', 4, transformList),
    macro('transformMap', 3, transformMap),
    macro('transformMap', 4, transformMap),
    macro('transformMapEntry', 3, transformMapEntry),
    macro('transformMapEntry', 4, transformMapEntry),
  ],
  functions: [
    declare(
      INSERT,
      overload('@mapInsert_map_key_value', [MAP_KV, K, V], MAP_KV, (map, key, value) =>
        insertEntry(map as CelMap, key as Value, value as Value),
      ),
      overload('@mapInsert_map_map', [MAP_KV, MAP_KV], MAP_KV, (map, more) => insertAll(map as CelMap, more as CelMap)),
    ),
  ],
};
