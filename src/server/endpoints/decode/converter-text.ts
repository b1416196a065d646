/**
 * The words of the reference's converter from plain values to types, which strategic merges go through instead of the
 * JSON decoder. Invariant: a text that is not about a wrong type comes back as it is. Not told apart: a fraction where
 * a text belongs, of which the converter says that it does not know texts.
 */

const MISMATCH = /^json: cannot unmarshal (\w+)( \S+)? into Go (?:struct field \S+|value) of type (.+)$/;

/** How the converter calls the kind of a JSON value. */
const KINDS: Readonly<Record<string, string>> = { string: 'string', bool: 'bool', array: 'slice', object: 'map' };

/**
 * `json: cannot unmarshal number into Go struct field ConfigMap.data of type string` becomes `cannot convert int64 to
 * string`.
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
  // Go converts integers to texts and fractions to integers, which JSON does not; anything else it does not even try.
  const isTried = json === 'number' && target !== 'bool';
  return isTried ? `cannot convert ${number} to ${target}` : `unrecognized type: ${target}`;
}
