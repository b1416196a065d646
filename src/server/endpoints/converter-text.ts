/**
 * The words of the reference's converter from plain values to types, which strategic merges go through instead of the JSON decoder. Invariant: a text that is not
 * about a wrong type comes back as it is.
 */

const MISMATCH = /^json: cannot unmarshal (\w+)( \S+)? into Go (?:struct field \S+|value) of type (.+)$/;

/** How the converter calls a JSON value: its Go type, and what kind of type that is. */
const SOURCES: Readonly<Record<string, readonly [type: string, kind: string]>> = {
  string: ['string', 'string'],
  bool: ['bool', 'bool'],
  array: ['[]interface {}', 'slice'],
  object: ['map[string]interface {}', 'map'],
};

/** `json: cannot unmarshal number into Go struct field ConfigMap.data of type string` becomes `cannot convert int64 to string`. */
export function converterText(message: string): string {
  const match = MISMATCH.exec(message);
  if (match === null) return message;
  const [, json = '', literal = '', target = ''] = match;
  const number = /[.eE]/.test(literal) ? 'float64' : 'int64';
  const [type, kind] = SOURCES[json] ?? [number, number];
  if (target.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (target.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (/^v\d\w*\.[A-Z]/.test(target)) return `cannot restore struct from: ${kind}`;
  return `cannot convert ${type} to ${target}`;
}
