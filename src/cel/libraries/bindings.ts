/**
 * The library `cel.lib.ext.cel.bindings`, version 0: `cel.bind(name, value, expression)`. Like in cel-go it expands to
 * a comprehension over an empty list.
 */
import type { Library } from '../library.ts';
import { comprehensionAt, identAt, listAt, literalAt } from '../parse/nodes.ts';

export const BINDINGS_LIBRARY: Library = {
  name: 'cel.lib.ext.cel.bindings',
  functions: [],
  macros: [
    {
      name: 'bind',
      member: true,
      args: 3,
      expand(context, target, [variable, init, result]) {
        if (target?.kind !== 'ident' || target.name !== 'cel') return undefined;
        if (variable === undefined || init === undefined || result === undefined) return undefined;
        if (variable.kind !== 'ident') {
          context.issue({ message: 'cel.bind() variable names must be simple identifiers', at: variable.at });
          return undefined;
        }
        const { at } = context;
        return comprehensionAt(at, {
          range: listAt(at),
          variable: '#unused',
          accumulator: variable.name,
          init,
          condition: literalAt(at, { type: 'bool', value: false }),
          step: identAt(at, variable.name),
          result,
        });
      },
    },
  ],
};
