/**
 * The shapes of schemas: interfaces without names. Invariant: two object schemas have the same shape if and only if the
 * same interface can be written for both, comments included. The description of a field belongs to the shape that has
 * the field, because it is about the field and not about its type.
 */
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.ts';
import { singularOf, typeNameOf } from './type-names.ts';

export type TypeExpression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'shape'; readonly shape: Shape }
  | { readonly kind: 'list'; readonly items: TypeExpression }
  | { readonly kind: 'map'; readonly values: TypeExpression }
  | { readonly kind: 'nullable'; readonly type: TypeExpression };

export interface ShapeField {
  readonly name: string;
  readonly isOptional: boolean;
  /** '' for none. */
  readonly description: string;
  readonly type: TypeExpression;
}

export interface Shape {
  /** Unique within a ShapeSet. */
  readonly id: number;
  readonly fields: readonly ShapeField[];
  /** Whether it is a whole resource, with `apiVersion`, `kind` and `metadata`. */
  readonly isEmbedded: boolean;
  readonly keepsUnknown: boolean;
  /** Where it occurs: the name of the kind, then the names of the fields. */
  readonly paths: (readonly string[])[];
}

const TYPE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The shapes of one file. */
export class ShapeSet {
  readonly #byKey = new Map<string, Shape>();
  #keepsAll = false;

  /** The shapes in the order in which they were first found: a shape comes after those in its fields. */
  get shapes(): Iterable<Shape> {
    return this.#byKey.values();
  }

  /**
   * Returns the fields of a kind beside `apiVersion`, `kind` and `metadata`. `keepsAll`: unknown fields are kept at
   * every level, as `spec.preserveUnknownFields` of a definition says.
   */
  kindFields(schema: JsonObject, path: readonly string[], keepsAll: boolean): readonly ShapeField[] {
    this.#keepsAll = keepsAll;
    return this.#fields(schema, path, TYPE_FIELDS);
  }

  #fields(schema: JsonObject, path: readonly string[], without: ReadonlySet<string>): readonly ShapeField[] {
    const required = getField(schema, 'required');
    return propertiesOf(schema)
      .filter(([name]) => !without.has(name))
      .map(([name, property]) => ({
        name,
        // A required field that has a default may be absent in what a client sends.
        isOptional:
          !(Array.isArray(required) && required.includes(name)) || getField(property, 'default') !== undefined,
        description: descriptionOf(property),
        type: this.#type(property, [...path, typeNameOf(name)]),
      }));
  }

  /** `keeps`: unknown fields are kept although the schema itself does not say so. */
  #type(schema: JsonObject, path: readonly string[], keeps: boolean = this.#keepsAll): TypeExpression {
    const type = this.#plainType(schema, path, keeps || keepsUnknown(schema));
    const isNullable = getField(schema, 'nullable') === true && !(type.kind === 'text' && type.text === 'unknown');
    return isNullable ? { kind: 'nullable', type } : type;
  }

  #plainType(schema: JsonObject, path: readonly string[], keeps: boolean): TypeExpression {
    if (getField(schema, 'x-kubernetes-int-or-string') === true) return { kind: 'text', text: 'number | string' };
    const literals = literalsOf(getField(schema, 'enum'));
    if (literals !== undefined) return { kind: 'text', text: literals };
    switch (getField(schema, 'type')) {
      case 'string':
        return { kind: 'text', text: 'string' };
      case 'integer':
      case 'number':
        return { kind: 'text', text: 'number' };
      case 'boolean':
        return { kind: 'text', text: 'boolean' };
      case 'array': {
        const items = getField(schema, 'items');
        // A list that keeps unknown fields keeps those of its items.
        return { kind: 'list', items: isJsonObject(items) ? this.#type(items, inside(path), keeps) : UNKNOWN };
      }
      case 'object':
        return this.#objectType(schema, path, keeps);
      default:
        return UNKNOWN;
    }
  }

  #objectType(schema: JsonObject, path: readonly string[], keeps: boolean): TypeExpression {
    const isEmbedded = getField(schema, 'x-kubernetes-embedded-resource') === true;
    if (isEmbedded || propertiesOf(schema).length > 0) {
      const fields = this.#fields(schema, path, isEmbedded ? TYPE_FIELDS : new Set());
      return { kind: 'shape', shape: this.#shape({ fields, isEmbedded, keepsUnknown: keeps }, path) };
    }
    const values = getField(schema, 'additionalProperties');
    if (isJsonObject(values)) return { kind: 'map', values: this.#type(values, inside(path)) };
    return { kind: 'map', values: keeps || values === true ? UNKNOWN : NEVER };
  }

  #shape(parts: Pick<Shape, 'fields' | 'isEmbedded' | 'keepsUnknown'>, path: readonly string[]): Shape {
    const fields = parts.fields.map(({ name, isOptional, description, type }) => [
      name,
      isOptional,
      description,
      keyOf(type),
    ]);
    const key = JSON.stringify([parts.isEmbedded, parts.keepsUnknown, fields]);
    let shape = this.#byKey.get(key);
    if (shape === undefined) {
      shape = { id: this.#byKey.size, ...parts, paths: [] };
      this.#byKey.set(key, shape);
    }
    shape.paths.push(path);
    return shape;
  }
}

const UNKNOWN: TypeExpression = { kind: 'text', text: 'unknown' };
const NEVER: TypeExpression = { kind: 'text', text: 'never' };

/** Returns the path of the items of a list or the values of a map: the last name in the singular. */
function inside(path: readonly string[]): readonly string[] {
  return [...path.slice(0, -1), singularOf(path.at(-1) as string)];
}

function keyOf(type: TypeExpression): unknown {
  switch (type.kind) {
    case 'text':
      return type.text;
    case 'shape':
      return type.shape.id;
    case 'list':
      return ['list', keyOf(type.items)];
    case 'map':
      return ['map', keyOf(type.values)];
    case 'nullable':
      return ['nullable', keyOf(type.type)];
  }
}

/** Returns the union of the values of an enumeration. Undefined if one of them is not a scalar. */
function literalsOf(values: JsonValue | undefined): string | undefined {
  if (!Array.isArray(values) || values.length === 0 || values.some((value) => !isLiteral(value))) return undefined;
  return [...new Set(values.map((value) => JSON.stringify(value)))].join(' | ');
}

function isLiteral(value: JsonValue): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether the schema has `x-kubernetes-preserve-unknown-fields`. */
export function keepsUnknown(schema: JsonObject): boolean {
  return getField(schema, 'x-kubernetes-preserve-unknown-fields') === true;
}

/** The description without white space around it; '' for none. */
export function descriptionOf(schema: JsonObject): string {
  const description = getField(schema, 'description');
  return typeof description === 'string' ? description.trim() : '';
}

function propertiesOf(schema: JsonObject): (readonly [string, JsonObject])[] {
  const properties = getField(schema, 'properties');
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
}
