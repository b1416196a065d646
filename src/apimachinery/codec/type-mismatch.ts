/**
 * The check of a JSON value against its type, with the messages of Go's typed decoder, which the reference uses for
 * built-in kinds. It visits each value once and does not recurse. Null fits every type and means absent.
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
 * Returns the message with which decoding `value` into `view` fails; undefined if it fits. A quantity, time or duration
 * that cannot be parsed takes precedence over an earlier wrong type, as in the reference.
 *
 * Go type names of scalars, maps and lists (`v1.RestartPolicy`, `v1.ResourceList`) and embedded structs come from
 * `FieldView.goType` and `goInline` only. The package of a struct is that of its name (`core/v1.PodSpec` prints as
 * `v1.PodSpec`).
 *
 * Known differences, because a JsonValue does not keep the literal: `1.0` and `1e3` equal integers here and are refused
 * by Go, and messages print numbers in another notation. Not covered: `kind` and `apiVersion` at the root, which are
 * read before the type is known, and the merging of duplicate fields, of which only the last is present.
 */
export function findTypeMismatch(value: JsonValue, view: StructView): string | undefined {
  return new TypeWalk().run(value, view);
}

/** The names of fields from the root. */
interface Path {
  readonly parent: Path | undefined;
  readonly name: string;
}

/** A field, for messages about its content. */
interface Place {
  readonly struct: string;
  readonly path: Path;
  /** True inside a type that decodes itself: the path continues, the struct stays. */
  readonly isInside?: boolean;
}

/** An open container and the position in it. */
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

  /** A duration that is not a pointer reads null as the empty string. */
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

  /**
   * Checks a type that decodes itself. Problems inside are reported with the path from the root and the enclosing
   * struct.
   */
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

/** The Go type of the elements, as far as that of the container determines it. */
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
