/**
 * Shared FieldsV1 objects. Objects of one kind mostly have the same fields, so the creator of an object mostly owns the
 * same fields as the creator of an earlier one. A shape is a node of a trie over the elements of a FieldsV1 object in
 * their order, and holds the object that they make. Invariant: shared objects are frozen, and equal ones are the same
 * object until the trie is emptied.
 */
import type { JsonObject } from '../../base/json-value.ts';
import { findTextOf } from '../field-set/element-table.ts';
import { NOTHING_BELOW } from '../field-set/fields-v1.ts';
import type { PathElement } from '../field-set/path-element.ts';

/** The number of shapes at which the trie is emptied. A shape takes about 200 bytes. */
const MAX_SHAPES = 16_384;

/** The largest number of elements of a shared object. Larger objects are rarely equal. */
const MAX_SHARED = 64;

class FieldsShape implements ShapedFields {
  readonly isShared = true;
  readonly #parent: FieldsShape | undefined;
  readonly #element: PathElement;
  readonly #below: JsonObject;
  /** Shapes with one more element and nothing below it. */
  #leaves: Map<string, FieldsShape> | undefined;
  /** Shapes with one more element, by the shared object below it. */
  #branches: Map<JsonObject, Map<string, FieldsShape>> | undefined;
  #fields: JsonObject | undefined;
  /** The result of the last call of `with`: the next object mostly has the same fields. */
  #last: FieldsShape | undefined;

  constructor(parent: FieldsShape | undefined, element: PathElement, below: JsonObject) {
    this.#parent = parent;
    this.#element = element;
    this.#below = below;
  }

  with(element: PathElement, below: JsonObject): FieldsShape {
    const last = this.#last;
    if (last !== undefined && last.#element === element && last.#below === below) return last;
    const siblings = below === NOTHING_BELOW ? this.#leavesMap() : this.#branchesMap(below);
    // The elements of one object are all names, or all items of one list, so names do not need their prefix.
    const key = typeof element === 'string' ? element : findTextOf(element);
    let next = siblings.get(key);
    if (next === undefined) {
      next = new FieldsShape(this, element, below);
      siblings.set(key, next);
      shapes++;
    }
    this.#last = next;
    return next;
  }

  get fields(): JsonObject {
    this.#fields ??= Object.freeze(this.#write());
    return this.#fields;
  }

  /** Builds the FieldsV1 object. The element of a root is `.` if the value itself is owned. */
  #write(): JsonObject {
    if (this.#parent === undefined) return this.#element === '.' ? { '.': NOTHING_BELOW } : {};
    const out = this.#parent.#write();
    out[findTextOf(this.#element)] = this.#below;
    return out;
  }

  #leavesMap(): Map<string, FieldsShape> {
    this.#leaves ??= new Map();
    return this.#leaves;
  }

  #branchesMap(below: JsonObject): Map<string, FieldsShape> {
    this.#branches ??= new Map();
    let siblings = this.#branches.get(below);
    if (siblings === undefined) {
      siblings = new Map();
      this.#branches.set(below, siblings);
    }
    return siblings;
  }
}

type Roots = Readonly<Record<'map' | 'newMap' | 'newList', FieldsShape>>;

function createRoots(): Roots {
  return {
    map: new FieldsShape(undefined, '', NOTHING_BELOW),
    newMap: new FieldsShape(undefined, '.', NOTHING_BELOW),
    newList: new FieldsShape(undefined, '.', NOTHING_BELOW),
  };
}

let roots = createRoots();
let shapes = 0;

/** `map`: of an object that existed. `newMap`, `newList`: of a value that is owned itself, too. */
export type FieldsRoot = keyof Roots;

/** A FieldsV1 object and whether it is shared. */
export interface ShapedFields {
  readonly fields: JsonObject;
  readonly isShared: boolean;
}

/**
 * Collects the elements of one FieldsV1 object, in order. It is shared if all objects below it are and if it is not
 * large.
 */
export class FieldsBuilder {
  readonly #root: FieldsRoot;
  #shape: FieldsShape;
  /** Set once the object cannot be shared. */
  #out: JsonObject | undefined;
  #size = 0;

  constructor(root: FieldsRoot) {
    if (shapes >= MAX_SHAPES) {
      roots = createRoots();
      shapes = 0;
    }
    this.#root = root;
    this.#shape = roots[root];
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  add(element: PathElement, { fields, isShared }: ShapedFields): void {
    this.#size++;
    if (this.#out === undefined && isShared && this.#size <= MAX_SHARED) {
      this.#shape = this.#shape.with(element, fields);
      return;
    }
    this.#out ??= { ...this.#shape.fields };
    this.#out[findTextOf(element)] = fields;
  }

  /** A value that is owned itself and has nothing below it is the end of its path. */
  build(): ShapedFields {
    if (this.#out !== undefined) return { fields: this.#out, isShared: false };
    return this.#size === 0 && this.#root !== 'map' ? LEAF_FIELDS : this.#shape;
  }
}

/** The end of a path. */
export const LEAF_FIELDS: ShapedFields = { fields: NOTHING_BELOW, isShared: true };
