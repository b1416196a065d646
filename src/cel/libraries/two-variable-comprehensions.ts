/**
 * The library `cel.lib.ext.comprev2`: macros with two variables, such as `all(k, v, ...)` and `transformMap(k, v,
 * ...)`. They expand to the same trees as in cel-go.
 */
import type { Expr } from '../ast.ts';
import type { Library, Macro, MacroContext } from '../library.ts';
import { accumulatorAt, callAt, comprehensionAt, identAt, listAt, literalAt } from '../parse/nodes.ts';
import { type Fold, foldAll, foldExists, foldExistsOne, isAllowedVariable } from '../parse/standard-macros.ts';
import { entriesOf, insertEntry } from '../runtime/native-values.ts';
import { mapOf, paramType } from '../types.ts';
import type { CelMap, Value } from '../values.ts';
import { declare, overload } from './declare.ts';

const K = paramType('K');
const V = paramType('V');
const MAP_KV = mapOf(K, V);

const INSERT = 'cel.@mapInsert';

/** The names of the two variables; undefined after reporting an issue. */
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
  if (!isAllowedVariable(context, first) || !isAllowedVariable(context, second)) return undefined;
  return [first.name, second.name];
}

/** Creates the comprehension. `key` is the first variable; `rest` are the arguments after the variables. */
type FoldArgs = (at: number, key: string, rest: readonly Expr[]) => Fold | undefined;

function macro(name: string, args: number, fold: FoldArgs): Macro {
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

/** A macro with a predicate as its third argument. */
function predicateMacro(fold: (at: number, predicate: Expr) => Fold): FoldArgs {
  return (at, _, [predicate]) => predicate && fold(at, predicate);
}

/**
 * Collects with `add`, starting with `init`. The last argument is the transformation; an argument before it is a
 * filter.
 */
function collecting(init: (at: number) => Expr, add: (at: number, key: string, transform: Expr) => Expr): FoldArgs {
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
    macro('all', 3, predicateMacro(foldAll)),
    macro('exists', 3, predicateMacro(foldExists)),
    macro('existsOne', 3, predicateMacro(foldExistsOne)),
    macro('exists_one', 3, predicateMacro(foldExistsOne)),
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
