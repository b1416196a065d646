/** The JSON output of `keelson who`, and the functions over the owner tree that it shares with the text output. */

import {
  type FieldOwner,
  filterNodes,
  type OwnerNode,
  type OwnerTree,
  visitNodes,
} from '../apimachinery/managed-fields/owner-tree.ts';
import { textAt } from '../apimachinery/meta/object-fields.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';

export function objectName(object: JsonObject): string {
  const kind = textAt(object, 'kind') || 'an object';
  const name = textAt(object, 'metadata', 'name') || '(no name)';
  const namespace = textAt(object, 'metadata', 'namespace');
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Returns the tree with only the fields of one manager. Their other owners stay. */
export function treeOfManager({ owners, root }: OwnerTree, manager: string): OwnerTree {
  const isOwn = (node: OwnerNode): boolean => node.owners.some((owner) => owner.manager === manager);
  const filtered = filterNodes(root, isOwn) ?? { ...root, children: [] };
  const shown = new Set(fieldsOf(filtered).flatMap((node) => node.owners));
  return { owners: owners.filter((owner) => shown.has(owner)), root: filtered };
}

/**
 * Returns the nodes that have an owner, and the leaves without an owner. Objects and lists without an owner are left
 * out.
 */
export function fieldsOf(root: OwnerNode): readonly OwnerNode[] {
  const fields: OwnerNode[] = [];
  visitNodes(root, (node) => {
    if (node.path !== '' && (node.owners.length > 0 || node.children.length === 0)) fields.push(node);
  });
  return fields;
}

export function treeJson(object: JsonObject, { owners, root }: OwnerTree): Record<string, unknown> {
  const fields = fieldsOf(root);
  return {
    apiVersion: textAt(object, 'apiVersion'),
    kind: textAt(object, 'kind'),
    ...optional('namespace', textAt(object, 'metadata', 'namespace')),
    name: textAt(object, 'metadata', 'name'),
    managers: owners.map((owner) => ({
      ...ownerJson(owner),
      apiVersion: owner.apiVersion,
      ...optional('time', owner.time),
      fields: fields.filter((node) => node.owners.includes(owner)).length,
    })),
    fields: fields.map((node) => ({
      path: node.path,
      ...(node.children.length > 0 || node.value === undefined ? {} : { value: plain(node.value) }),
      owners: node.owners.map(ownerJson),
    })),
  };
}

function ownerJson({ manager, operation, subresource }: FieldOwner): Record<string, unknown> {
  return { manager, operation, ...optional('subresource', subresource) };
}

function optional(name: string, text: string): Record<string, string> {
  return text === '' ? {} : { [name]: text };
}

/** Converts bigints to numbers, because JSON.stringify throws on bigints. */
function plain(value: JsonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
