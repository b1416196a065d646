/**
 * The fields of an object that its type does not have or that have a wrong type. The server reports the first wrong
 * type in the words of Go's decoder; this reports all of them in words of our own. Invariant: a wrong type is reported
 * if and only if `normalizeTyped` refuses the object.
 */
import { checkScalar } from '../apimachinery/codec/typed-scalar.ts';
import type { AnyView, FieldView, ScalarType, StructView, TypeView } from '../apimachinery/type-view.ts';
import { FieldPath } from '../apimachinery/validation/field-path.ts';
import { isJsonObject, type JsonValue } from '../base/json-value.ts';
import { nearestName } from '../base/nearest-name.ts';

export interface DecodeProblem {
  /** Undefined for the whole object. */
  readonly path: FieldPath | undefined;
  readonly message: string;
  /** True for an unknown field, false for a wrong type. */
  readonly unknown: boolean;
}

/** Returns the problems in the order of the fields of the object. */
export function decodeProblems(value: JsonValue, view: StructView, at?: FieldPath): readonly DecodeProblem[] {
  const problems: DecodeProblem[] = [];
  visit(value, view, at, problems);
  return problems;
}

function visit(value: JsonValue, type: TypeView, at: FieldPath | undefined, problems: DecodeProblem[]): void {
  if (value === null) return;
  switch (type.kind) {
    case 'scalar':
      if (checkScalar(type.scalar, value) !== undefined) add(problems, at, EXPECTED[type.scalar], value);
      return;
    case 'any':
      visitAny(value, type, at, problems);
      return;
    case 'list':
      if (!Array.isArray(value)) add(problems, at, 'a list', value);
      else
        for (const [i, item] of value.entries())
          visit(item, type.items, at?.index(i) ?? FieldPath.ofIndex(i), problems);
      return;
    case 'map':
      if (!isJsonObject(value)) add(problems, at, 'an object', value);
      else
        for (const [key, item] of Object.entries(value))
          visit(item, type.values, at?.key(key) ?? FieldPath.ofKey(key), problems);
      return;
    case 'struct':
      if (!isJsonObject(value)) add(problems, at, 'an object', value);
      else
        for (const [name, item] of Object.entries(value))
          visitField(item, name, type, at?.child(name) ?? FieldPath.of(name), problems);
  }
}

function visitField(
  value: JsonValue,
  name: string,
  struct: StructView,
  at: FieldPath,
  problems: DecodeProblem[],
): void {
  const field = struct.field(name);
  if (field === undefined) {
    if (struct.preserveUnknown) return;
    const near = nearestName(
      name,
      Array.from(struct.fields(), (known) => known.name),
    );
    const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
    problems.push({ path: at, message: `unknown field ${JSON.stringify(at.toString())}${hint}`, unknown: true });
  } else if (value === null && refusesNull(field)) add(problems, at, EXPECTED.duration, null);
  else visit(value, field.type, at, problems);
}

/** A duration that is not a pointer reads null as the empty string. */
function refusesNull({ type, wire }: FieldView): boolean {
  return type.kind === 'scalar' && type.scalar === 'duration' && wire?.pointer === false;
}

/** An either-or type of JSON schemas: checks the form that the value has. */
function visitAny(value: JsonValue, { message }: AnyView, at: FieldPath | undefined, problems: DecodeProblem[]): void {
  if (message === undefined) return;
  const fields = message.toFields(value);
  if (fields === undefined) {
    add(problems, at, 'a schema or a boolean', value);
    return;
  }
  for (const [name, item] of Object.entries(fields)) {
    const field = message.view().field(name);
    if (field !== undefined) visit(item, field.type, at, problems);
  }
}

const EXPECTED: Readonly<Record<ScalarType, string>> = {
  string: 'a string',
  boolean: 'a boolean',
  int32: 'an integer of 32 bits',
  int64: 'an integer of 64 bits',
  uint32: 'a non-negative integer of 32 bits',
  uint64: 'a non-negative integer of 64 bits',
  float: 'a number',
  double: 'a number',
  bytes: 'base64',
  quantity: 'a quantity such as "100m" or "1Gi"',
  'int-or-string': 'an integer of 32 bits or a string',
  time: 'a time such as "2006-01-02T15:04:05Z"',
  'micro-time': 'a time such as "2006-01-02T15:04:05.000000Z"',
  duration: 'a duration such as "1h30m"',
};

function add(problems: DecodeProblem[], path: FieldPath | undefined, expected: string, value: JsonValue): void {
  const place = path === undefined ? '' : `${path}: `;
  problems.push({ path, message: `${place}must be ${expected}, not ${shown(value)}`, unknown: false });
}

const MAX_SHOWN = 60;

function shown(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  if (typeof value === 'string') {
    const cut = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}...` : value;
    return `the string ${JSON.stringify(cut)}`;
  }
  if (value === null) return 'null';
  return `the ${typeof value === 'boolean' ? 'boolean' : 'number'} ${value}`;
}
