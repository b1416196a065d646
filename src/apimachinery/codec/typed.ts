/**
 * Finds the first value whose JSON type does not fit its type, in the words of Go's typed decoder, which the reference uses for built-in
 * kinds. Invariant: no recursion and one visit to each value; null fits everything and means absent.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { jsonKind } from '../go-json.ts';
import type {
  AnyMessage,
  AnyView,
  FieldView,
  ListView,
  MapView,
  ScalarType,
  StructView,
  TypeView,
} from '../type-view.ts';
import { checkScalar, type TypedProblem } from './typed-scalar.ts';

/**
 * The message that decoding `value` into `view` fails with; undefined if it fits. Where a quantity, a time or a duration cannot be read,
 * that is the message even if a wrong type precedes it, as in the reference.
 *
 * What a view does not tell and the message therefore has from `FieldView.goType` and `goInline` only: named types of scalars, maps and
 * lists (`v1.RestartPolicy`, `v1.ResourceList`) and embedded structs. The package of a struct is that of its name (`core/v1.PodSpec` prints
 * as `v1.PodSpec`). Not told apart, because a JsonValue does not: `1.0` and `1e3` from the integers they equal (Go refuses them), and the
 * digits of a number as they were written. Left to others: `kind` and `apiVersion` at the root, which are read before the type is known;
 * and merging of fields that are given twice, of which only the last is here.
 */
export function findTypeMismatch(value: JsonValue, view: StructView): string | undefined {
  return new TypeWalk().run(value, view);
}

/** Names of fields from the root. */
interface Path {
  readonly parent: Path | undefined;
  readonly name: string;
}

/** A field, for messages about what is in it. */
interface Place {
  readonly struct: string;
  readonly path: Path;
  /** Inside a type that decodes itself: the path goes on, the struct stays. */
  readonly isInside?: boolean;
}

/** An open container and how far it has been walked. */
interface Frame {
  readonly value: JsonObject | JsonArray;
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly view: StructView | MapView | ListView;
  readonly goType: string | undefined;
  readonly place: Place | undefined;
  next: number;
}

class TypeWalk {
  readonly #frames: Frame[] = [];
  #found: string | undefined;
  #isFinal = false;

  run(value: JsonValue, view: StructView): string | undefined {
    this.#visit(value, view, undefined, undefined);
    for (let frame = this.#frames.at(-1); frame !== undefined && !this.#isFinal; frame = this.#frames.at(-1)) {
      if (frame.next === (frame.keys ?? (frame.value as JsonArray)).length) this.#frames.pop();
      else this.#step(frame);
    }
    return this.#found;
  }

  #step(frame: Frame): void {
    const at = frame.next++;
    const { view, keys, place } = frame;
    if (keys === undefined) {
      this.#visit((frame.value as JsonArray)[at] as JsonValue, (view as ListView).items, elementType(frame), place);
      return;
    }
    const key = keys[at] as string;
    const value = (frame.value as JsonObject)[key] as JsonValue;
    if (view.kind === 'map') {
      this.#visit(value, view.values, elementType(frame), place);
      return;
    }
    const field = (view as StructView).field(key);
    if (field === undefined) return;
    if (value === null) this.#visitNull(field);
    else this.#visit(value, field.type, field.goType, placeOf(view as StructView, field, place));
  }

  /** A duration that is no pointer reads null as the empty text. */
  #visitNull({ type, wire }: FieldView): void {
    if (type.kind === 'scalar' && type.scalar === 'duration' && wire?.pointer === false)
      this.#report(checkScalar('duration', ''), type, undefined, undefined);
  }

  #visit(value: JsonValue, view: TypeView, goType: string | undefined, place: Place | undefined): void {
    if (value === null) return;
    if (view.kind === 'any') {
      if (view.message !== undefined) this.#visitMessage(value, view, view.message, place);
      return;
    }
    if (view.kind === 'scalar') {
      this.#report(checkScalar(view.scalar, value), view, goType, place);
      return;
    }
    const isArray = Array.isArray(value);
    if (typeof value !== 'object' || isArray !== (view.kind === 'list')) {
      this.#report({ what: jsonKind(value), final: false }, view, goType, place);
      return;
    }
    this.#frames.push({ value, keys: isArray ? undefined : Object.keys(value), view, goType, place, next: 0 });
  }

  /** A type that decodes itself. What is found inside is told with the path from the root and the struct around it. */
  #visitMessage(value: JsonValue, view: AnyView, message: AnyMessage, place: Place | undefined): void {
    const fields = message.toFields(value);
    if (fields === undefined) {
      const expected = message.expected ?? `json: cannot unmarshal ${jsonKind(value)} into Go value`;
      this.#report({ message: expected, final: true }, view, undefined, place);
      return;
    }
    const inside = place === undefined ? undefined : { ...place, isInside: true };
    for (const name of Object.keys(fields)) {
      const field = message.view().field(name);
      if (field !== undefined) this.#visit(fields[name] as JsonValue, field.type, field.goType, inside);
    }
  }

  #report(
    problem: TypedProblem | undefined,
    view: TypeView,
    goType: string | undefined,
    place: Place | undefined,
  ): void {
    if (problem === undefined || (this.#found !== undefined && !problem.final)) return;
    this.#isFinal = problem.final;
    if ('message' in problem) {
      this.#found = problem.message;
      return;
    }
    const where = place === undefined ? 'value' : `struct field ${place.struct}.${formatPath(place.path)}`;
    const type = problem.type ?? goType ?? goTypeOf(view);
    this.#found = `json: cannot unmarshal ${problem.what} into Go ${where} of type ${type}`;
  }
}

function placeOf(view: StructView, field: FieldView, outer: Place | undefined): Place {
  let path = outer?.path;
  for (const name of field.goInline ?? []) path = { parent: path, name };
  path = { parent: path, name: field.name };
  if (outer?.isInside === true) return { ...outer, path };
  return { struct: view.name.slice(view.name.lastIndexOf('.') + 1), path };
}

function formatPath(path: Path): string {
  const names: string[] = [];
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) names.push(at.name);
  return names.reverse().join('.');
}

const CONTAINER_TYPE = /^(?:\[\]|map\[[^\]]*\])(.*)$/;

/** The Go type of the elements, as far as that of the container says it. */
function elementType({ goType }: Frame): string | undefined {
  const element = goType === undefined ? undefined : CONTAINER_TYPE.exec(goType)?.[1];
  if (element === undefined) return undefined;
  return element.startsWith('*') ? element.slice(1) : element;
}

const GO_SCALARS: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  uint32: 'uint32',
  uint64: 'uint64',
  float: 'float32',
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
  time: 'v1.Time',
  'micro-time': 'v1.MicroTime',
  duration: 'v1.Duration',
};

const GO_ANY = { json: 'interface {}', 'raw-extension': 'runtime.RawExtension', 'fields-v1': 'v1.FieldsV1' } as const;

function goTypeOf(view: TypeView): string {
  switch (view.kind) {
    case 'scalar':
      return GO_SCALARS[view.scalar];
    case 'struct':
      return view.name.slice(view.name.lastIndexOf('/') + 1);
    case 'map':
      return `map[string]${goTypeOf(view.values)}`;
    case 'list':
      return `[]${goTypeOf(view.items)}`;
    case 'any':
      return view.name?.split('.').slice(-2).join('.') ?? GO_ANY[view.raw];
  }
}
