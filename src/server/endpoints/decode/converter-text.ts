/**
 * The error messages of the reference's unstructured converter. Strategic merge patches are decoded by it instead of
 * the JSON decoder.
 *
 * One case differs from the reference: for a fraction in place of a string its converter prints `unrecognized type`.
 */

const MISMATCH = /^json: cannot unmarshal (\w+)( \S+)? into Go (?:struct field \S+|value) of type (.+)$/;

/** The converter's name of a JSON type. */
const KINDS: Readonly<Record<string, string>> = { string: 'string', bool: 'bool', array: 'slice', object: 'map' };

/**
 * Translates a message of the JSON decoder: `json: cannot unmarshal number into Go struct field ConfigMap.data of type
 * string` becomes `cannot convert int64 to string`. Returns other messages unchanged.
 */
export function converterText(message: string): string {
  const match = MISMATCH.exec(message);
  if (match === null) return message;
  const [, json = '', literal = '', target = ''] = match;
  const number = /[.eE]/.test(literal) ? 'float64' : 'int64';
  const kind = KINDS[json] ?? number;
  if (target.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (target.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (target.includes('.')) return `cannot restore struct from: ${kind}`;
  // The converter tries to convert numbers to strings and to other numbers. For other types it reports an unrecognized
  // type.
  const isTried = json === 'number' && target !== 'bool';
  return isTried ? `cannot convert ${number} to ${target}` : `unrecognized type: ${target}`;
}
