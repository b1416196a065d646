/**
 * FieldsV1, the JSON form of field sets in managedFields. Writing gives the keys in the order of structured-merge-diff,
 * so that the bytes equal those of the reference.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { findElementOf, findTextOf } from './element-table.ts';
import { asMember, EMPTY_SET, FieldSet, LEAF } from './field-set.ts';
import { compareElements, type PathElement } from './path-element.ts';

/** Sets are walked by recursion. No type of an API is nested this deep. */
const MAX_DEPTH = 1000;

export type FieldsV1ReadResult =
  | { readonly ok: true; readonly set: FieldSet }
  /** The problem, for people. */
  | { readonly ok: false; readonly message: string };

/**
 * The set of a FieldsV1 value. Kinds of elements that are not known are dropped with everything below them. Never
 * throws.
 */
export function readFieldsV1(value: JsonValue): FieldsV1ReadResult {
  try {
    const { elements, children } = readNode(value, 0);
    return { ok: true, set: elements.length === 0 ? EMPTY_SET : new FieldSet(false, elements, children) };
  } catch (caught) {
    if (caught instanceof Malformed) return { ok: false, message: caught.message };
    throw caught;
  }
}

/** Unwinds the recursion of one read; it never leaves this file. */
class Malformed {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function readNode(value: JsonValue, depth: number): FieldSet {
  if (value === null) return LEAF;
  if (!isJsonObject(value)) throw new Malformed(`expected an object, got ${JSON.stringify(value) ?? typeof value}`);
  if (depth > MAX_DEPTH) throw new Malformed(`nested more than ${MAX_DEPTH} levels deep`);
  const elements: PathElement[] = [];
  const children: FieldSet[] = [];
  let isMember = false;
  // The keys of everything that a server wrote are in order.
  let isSorted = true;
  for (const key in value) {
    if (key === '.') {
      isMember = true;
      continue;
    }
    const read = findElementOf(key);
    if (!read.ok) {
      if (read.unknown) continue;
      throw new Malformed(read.message);
    }
    const last = elements.length - 1;
    if (last >= 0 && compareElements(elements[last] as PathElement, read.element) >= 0) isSorted = false;
    elements.push(read.element);
    children.push(readNode(value[key] as JsonValue, depth + 1));
  }
  if (elements.length === 0) return LEAF;
  return isSorted ? new FieldSet(isMember, elements, children) : sortedNode(isMember, elements, children);
}

/** Sorts, and joins two spellings of one element: both count as members, and the children of the later one are kept. */
function sortedNode(isMember: boolean, elements: PathElement[], children: FieldSet[]): FieldSet {
  const order = Array.from(elements.keys()).sort(
    (a, b) => compareElements(elements[a] as PathElement, elements[b] as PathElement) || a - b,
  );
  const sorted: PathElement[] = [];
  const nodes: FieldSet[] = [];
  for (const at of order) {
    const [element, child] = [elements[at] as PathElement, children[at] as FieldSet];
    const last = sorted.length - 1;
    if (last < 0 || compareElements(sorted[last] as PathElement, element) !== 0) {
      sorted.push(element);
      nodes.push(child);
      continue;
    }
    const known = nodes[last] as FieldSet;
    const kept = child.elements.length === 0 ? known : child;
    nodes[last] = known.isMember || child.isMember ? asMember(kept) : kept;
  }
  return new FieldSet(isMember, sorted, nodes);
}

/** The object at the end of every path. All paths share it, so it must not be modified. */
export const NOTHING_BELOW: JsonObject = Object.freeze({});

/** The FieldsV1 value of a set. Not to be modified: parts of it are shared. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const out: JsonObject = {};
  if (set.isMember) out['.'] = NOTHING_BELOW;
  for (let i = 0; i < set.elements.length; i++) {
    const child = set.children[i] as FieldSet;
    out[findTextOf(set.elements[i] as PathElement)] =
      child.elements.length === 0 ? NOTHING_BELOW : writeFieldsV1(child);
  }
  return out;
}
