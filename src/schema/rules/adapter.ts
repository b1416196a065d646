/** How JSON becomes a CEL value; see `adapt-value`. */
import type { JsonValue } from '../../base/json-value.ts';
import type { Value } from '../../cel/values.ts';

/** Makes the CEL value of a JSON value. Throws CelError for one that does not fit. */
export type Adapter = (value: JsonValue) => Value;
