/** The type of functions that convert JSON to CEL values. `adapt-value` creates them. */
import type { JsonValue } from '../../base/json-value.ts';
import type { Value } from '../../cel/values.ts';

/** Converts a JSON value. Throws CelError if the value does not fit the schema. */
export type Adapter = (value: JsonValue) => Value;
