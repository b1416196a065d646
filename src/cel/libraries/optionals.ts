/**
 * Optional values: what may be missing, and what to do then. The functions of version 2 of cel-go's library, which the reference's environments have.
 */
import type { Library } from '../library.ts';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, paramType, STRING, typeOf } from '../types.ts';
import { CelTypeValue } from '../values.ts';
import { declare, member, overload } from './declare.ts';

const K = paramType('K');
const V = paramType('V');
const OPTIONAL_V = optionalOf(V);
const LIST_V = listOf(V);
const MAP_KV = mapOf(K, V);

export const OPTIONALS: Library = {
  name: 'cel.lib.optional',
  optionalSyntax: true,
  functions: [
    declare('optional.of', overload('optional_of', [V], OPTIONAL_V)),
    declare('optional.ofNonZeroValue', overload('optional_ofNonZeroValue', [V], OPTIONAL_V)),
    declare('optional.none', overload('optional_none', [], OPTIONAL_V)),
    declare('value', member('optional_value', [OPTIONAL_V], V)),
    declare('hasValue', member('optional_hasValue', [OPTIONAL_V], BOOL)),
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
    declare('last', member('list_last', [LIST_V], OPTIONAL_V)),
    declare('first', member('list_first', [LIST_V], OPTIONAL_V)),
    declare('optional.unwrap', overload('optional_unwrap', [listOf(OPTIONAL_V)], LIST_V)),
    declare('unwrapOpt', member('optional_unwrapOpt', [listOf(OPTIONAL_V)], LIST_V)),
  ],
  constants: [{ name: 'optional_type', type: typeOf(optionalOf(DYN)), value: new CelTypeValue(optionalOf(DYN)) }],
};
