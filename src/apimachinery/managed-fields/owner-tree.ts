/**
 * The owners of the fields of an object, as a tree. Invariants: every field of the object is in the tree, but for those
 * that no manager can own; every path that a manager owns is in the tree, also if the object does not have it.
 *
 * managedFields do not say how a list or object merges. A list or object has children in the tree if a manager owns a
 * part of it, and is one value otherwise.
 */
import { equalJson, getField, isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import type { FieldSet } from '../field-set/field-set.ts';
import { readFieldsV1 } from '../field-set/fields-v1.ts';
import { formatElement, KeyElement, type PathElement, ValueElement } from '../field-set/path-element.ts';
import { managedFieldsOf } from './object-managed-fields.ts';

/** An entry of managedFields, as it is written there. Missing fields are ''. */
export interface FieldOwner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string;
  readonly apiVersion: string;
  readonly time: string;
}

export interface OwnerNode {
  /** The step from the parent: `.replicas`, `[name="web"]`. '' for the root. */
  readonly step: string;
  /** The steps from the root. */
  readonly path: string;
  /** Undefined if the object does not have the field. */
  readonly value: JsonValue | undefined;
  /** The owners of this field, in the order of managedFields. Those of a field inside are not repeated here. */
  readonly owners: readonly FieldOwner[];
  /** Empty for a scalar, and for a list or object that is one value. */
  readonly children: readonly OwnerNode[];
}

export interface OwnerTree {
  readonly owners: readonly FieldOwner[];
  readonly root: OwnerNode;
}

export type OwnerTreeResult =
  | { readonly ok: true; readonly tree: OwnerTree }
  /** The problem of managedFields, for people. */
  | { readonly ok: false; readonly message: string };

/** Returns the tree. An object without managedFields has a tree without owners. Does not modify the object. */
export function ownerTree(object: JsonObject): OwnerTreeResult {
  const entries = managedFieldsOf(object) ?? [];
  if (!Array.isArray(entries)) return { ok: false, message: 'metadata.managedFields is not a list' };
  const owned: OwnedSet[] = [];
  for (const [i, entry] of entries.entries()) {
    if (!isJsonObject(entry)) return { ok: false, message: `metadata.managedFields[${i}] is not an object` };
    const read = readFieldsV1(getField(entry, 'fieldsV1') ?? {});
    if (!read.ok) return { ok: false, message: `metadata.managedFields[${i}].fieldsV1: ${read.message}` };
    owned.push({ owner: ownerOf(entry), set: read.set });
  }
  const root = nodeOf('', '', withoutSystemFields(object), owned);
  return { ok: true, tree: { owners: owned.map(({ owner }) => owner), root } };
}

/** Calls `visit` for each node, parents first. */
export function visitNodes(node: OwnerNode, visit: (node: OwnerNode) => void): void {
  visit(node);
  for (const child of node.children) visitNodes(child, visit);
}

/** Returns the tree with only those nodes that pass the test and the nodes above them; undefined if none does. */
export function filterNodes(node: OwnerNode, test: (node: OwnerNode) => boolean): OwnerNode | undefined {
  const children = node.children.flatMap((child) => filterNodes(child, test) ?? []);
  return children.length > 0 || test(node) ? { ...node, children } : undefined;
}

interface OwnedSet {
  readonly owner: FieldOwner;
  readonly set: FieldSet;
}

function ownerOf(entry: JsonObject): FieldOwner {
  const text = (name: string): string => {
    const value = getField(entry, name);
    return typeof value === 'string' ? value : '';
  };
  return {
    manager: text('manager'),
    operation: text('operation'),
    subresource: text('subresource'),
    apiVersion: text('apiVersion'),
    time: text('time'),
  };
}

/** The fields of metadata that the server sets: they are never in managedFields (`stripMeta`). */
const SYSTEM_METADATA: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'selfLink',
  'managedFields',
]);

function withoutSystemFields({ apiVersion: _, kind: __, metadata, ...rest }: JsonObject): JsonObject {
  if (!isJsonObject(metadata)) return rest;
  const kept = Object.entries(metadata).filter(([name]) => !SYSTEM_METADATA.has(name));
  return kept.length === 0 ? rest : { metadata: Object.fromEntries(kept), ...rest };
}

/** `owned` are the sets below the path of this node. */
function nodeOf(path: string, step: string, value: JsonValue | undefined, owned: readonly OwnedSet[]): OwnerNode {
  const owners = owned.filter(({ set }) => set.isMember).map(({ owner }) => owner);
  const isWhole = path !== '' && owned.every(({ set }) => set.elements.length === 0);
  const children = isWhole ? [] : childrenOf(path, value, owned);
  return { step, path, value, owners, children };
}

function childrenOf(path: string, value: JsonValue | undefined, owned: readonly OwnedSet[]): readonly OwnerNode[] {
  const rest = new Rest(owned);
  const children: OwnerNode[] = [];
  const add = (step: string, child: JsonValue | undefined, below: readonly OwnedSet[]): void => {
    children.push(nodeOf(`${path}${step}`, step, child, below));
  };
  if (isJsonObject(value))
    for (const [name, child] of Object.entries(value))
      add(
        `.${name}`,
        child,
        rest.take((element) => element === name),
      );
  else if (Array.isArray(value) && owned.some(({ set }) => set.elements.length > 0))
    for (const [i, item] of value.entries()) {
      const below = rest.take((element) => isItem(element, item, i));
      add(rest.lastTaken === undefined ? `[${i}]` : formatElement(rest.lastTaken), item, below);
    }
  for (const [element, below] of rest.groups()) add(formatElement(element), undefined, below);
  return children;
}

function isItem(element: PathElement, item: JsonValue, index: number): boolean {
  if (typeof element === 'string') return false;
  if (element instanceof KeyElement)
    return (
      isJsonObject(item) &&
      element.names.every((name, i) => {
        const value = getField(item, name);
        return value !== undefined && equalJson(value, element.values[i] as JsonValue);
      })
    );
  return element instanceof ValueElement ? equalJson(item, element.value) : element.index === index;
}

/** The elements of several sets that no child of the value has taken yet. */
class Rest {
  /** The last element that `take` found; undefined if it found none. */
  lastTaken: PathElement | undefined;
  readonly #owned: readonly OwnedSet[];
  readonly #taken: Set<number>[];

  constructor(owned: readonly OwnedSet[]) {
    this.#owned = owned;
    this.#taken = owned.map(() => new Set<number>());
  }

  /** Takes the elements that pass the test, and returns the sets below them. */
  take(test: (element: PathElement) => boolean): readonly OwnedSet[] {
    this.lastTaken = undefined;
    return this.#owned.flatMap(({ owner, set }, n) => {
      const taken = this.#taken[n] as Set<number>;
      return set.elements.flatMap((element, i): OwnedSet[] => {
        if (taken.has(i) || !test(element)) return [];
        taken.add(i);
        this.lastTaken = element;
        return [{ owner, set: set.children[i] as FieldSet }];
      });
    });
  }

  /** Returns what is left: each element once, with the sets below it. */
  groups(): readonly (readonly [PathElement, readonly OwnedSet[]])[] {
    const groups = new Map<string, [PathElement, OwnedSet[]]>();
    for (const [n, { owner, set }] of this.#owned.entries())
      for (const [i, element] of set.elements.entries()) {
        if (this.#taken[n]?.has(i)) continue;
        const key = formatElement(element);
        const group = groups.get(key) ?? [element, []];
        group[1].push({ owner, set: set.children[i] as FieldSet });
        groups.set(key, group);
      }
    return [...groups.values()];
  }
}
