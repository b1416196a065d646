/** The selection of fields, entries and items: `.field` and `[key]`. */
import { CelDouble, CelError, CelList, CelMap, CelObject, CelUint, type Value } from '../values.ts';
import { formatPlain } from './format-value.ts';
import type { Result } from './frame.ts';
import { runtimeTypeName, typeOfValue } from './type-of-value.ts';

/** `holder[key]`; undefined if there is no such field, entry or item. An error for a key that a list cannot have. */
export function find(holder: Value, key: Value): Result | undefined {
  if (holder instanceof CelObject) return typeof key === 'string' ? holder.get(key) : undefined;
  if (holder instanceof CelMap) return holder.get(key);
  if (!(holder instanceof CelList)) return undefined;
  const index = indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < holder.size ? holder.at(index) : undefined;
}

/** `holder[key]`; an error if there is no such field, entry or item. */
export function qualify(holder: Value, key: Value): Result {
  const found = find(holder, key);
  if (found !== undefined) return found;
  const message = holder instanceof CelList ? 'index out of bounds' : 'no such key';
  return new CelError(`${message}: ${formatPlain(key)}`);
}

function indexOf(key: Value): number | CelError {
  if (typeof key === 'number') return key;
  if (typeof key === 'bigint') return -1;
  if (key instanceof CelUint && key.value < 2n ** 63n) return Number(key.value);
  if (key instanceof CelDouble && Number.isSafeInteger(key.value)) return key.value;
  if (key instanceof CelUint || key instanceof CelDouble)
    return new CelError(`unsupported index value ${formatPlain(key)} in list`);
  return new CelError(`unsupported index type '${runtimeTypeName(typeOfValue(key))}' in list`);
}

/** The error for a value that cannot be a key; undefined for valid keys. */
export function invalidKey(key: Value): CelError | undefined {
  switch (typeof key) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return undefined;
  }
  if (key instanceof CelUint || key instanceof CelDouble) return undefined;
  return new CelError(`invalid qualifier type: ${runtimeTypeName(typeOfValue(key))}`);
}
