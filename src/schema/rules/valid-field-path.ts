/**
 * The parser of `fieldPath` of a rule and `jsonPath` of a selectable field: names after dots and quoted subscripts.
 *
 * Invariant: a parsed path leads to a node of the schema.
 */
import { childPath, type FieldPath, keyPath } from '../../apimachinery/validation/field-path.ts';
import type { StructuralSchema } from '../structural/structural.ts';

export type FieldPathResult =
  | { readonly ok: true; readonly path: FieldPath | undefined; readonly schema: StructuralSchema }
  | { readonly ok: false; readonly message: string };

interface Place {
  readonly path: FieldPath | undefined;
  readonly schema: StructuralSchema;
}

/**
 * Parses a path such as `.a.b['c']` below a schema. `subscripts: false` refuses brackets. Messages are
 * kube-apiserver's.
 */
export function validFieldPath(
  text: string,
  schema: StructuralSchema,
  options: { readonly subscripts?: boolean } = {},
): FieldPathResult {
  const tokens = tokenize(text);
  let place: Place = { path: undefined, schema };
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i] as string;
    if (token === '.') {
      const name = tokens[i + 1];
      if (name === undefined) return failed('unexpected end of JSON path');
      const next = enter(place, name);
      if (next === undefined) return failed('does not refer to a valid field');
      place = next;
      i += 2;
    } else if (token === '[') {
      if (options.subscripts === false) return failed('array notation is not allowed');
      const subscript = readSubscript(tokens, i + 1);
      if ('message' in subscript) return failed(subscript.message);
      const next = enter(place, subscript.name);
      if (next === undefined) return failed('does not refer to a valid field');
      if (tokens[i + 2] === undefined) return failed('unexpected end of JSON path');
      if (tokens[i + 2] !== ']') return failed(`expected ] but got ${tokens[i + 2]}`);
      place = next;
      i += 3;
    } else return failed(`expected [ or . but got: ${token}`);
  }
  return { ok: true, ...place };
}

function failed(message: string): FieldPathResult {
  return { ok: false, message };
}

function enter({ path, schema }: Place, name: string): Place | undefined {
  if (schema.properties.size > 0) {
    const property = schema.properties.get(name);
    return property === undefined ? undefined : { path: childPath(path, name), schema: property };
  }
  const { additionalProperties: values } = schema;
  return typeof values === 'object' ? { path: keyPath(path, name), schema: values } : undefined;
}

function readSubscript(
  tokens: readonly string[],
  at: number,
): { readonly name: string } | { readonly message: string } {
  const token = tokens[at];
  if (token === undefined) return { message: 'unexpected end of JSON path' };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return { message: `expected single quoted string but got ${token}` };
  return unescapeQuoted(token.slice(1, -1));
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function unescapeQuoted(text: string): { readonly name: string } | { readonly message: string } {
  let bad: string | undefined;
  const name = text.replace(/\\./g, (escaped) => {
    const replaced = ESCAPES[escaped[1] as string];
    bad ??= replaced === undefined ? escaped : undefined;
    return replaced ?? '';
  });
  return bad === undefined ? { name } : { message: `invalid string literal: invalid escape char ${bad}` };
}

/** Tokens are dots, brackets, quoted strings, and the texts between them. */
function tokenize(text: string): string[] {
  return text.match(/'(?:[^']|(?<=\\)')*'|[.[\]]|[^.[\]]+/g) ?? [];
}
