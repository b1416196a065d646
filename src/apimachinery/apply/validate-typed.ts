/**
 * Validation of a value against its merge type. All other functions of this folder require values that passed this
 * validation. A valid value costs no allocation beyond the keys of its associative lists.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../base/json-value.ts';
import { formatElement, IndexElement, type PathElement } from '../field-set/path-element.ts';
import { formatJson } from '../go-format.ts';
import { type ItemKey, itemElement, itemKey, itemProblem, KeyIndex } from './list-items.ts';
import {
  DEDUCED,
  kindOf,
  LIST,
  type ListType,
  MAP,
  type MapType,
  type MergeType,
  type ScalarKind,
} from './merge-type.ts';
import type { PendingIssue, TypedIssue, TypedIssueKind } from './typed-issue.ts';

/** The deepest nesting that is valid. Types may be recursive, and no real object is nested this deep. */
export const MAX_TYPED_DEPTH = 1000;

export interface ValidateOptions {
  /** True: associative lists may hold several items with one key, as objects from storage may. Default false. */
  readonly allowDuplicates?: boolean;
}

/**
 * Returns the issues; undefined if the value has the type. Does not validate the items of a list in which an item has
 * no key.
 */
export function validateTyped(
  value: JsonValue,
  type: MergeType,
  { allowDuplicates = false }: ValidateOptions = {},
): readonly TypedIssue[] | undefined {
  return validate(value, type, allowDuplicates, 0);
}

type Issues = PendingIssue[] | undefined;

function validate(value: JsonValue, type: MergeType, allowDuplicates: boolean, depth: number): Issues {
  if (value === null) return undefined;
  if (depth > MAX_TYPED_DEPTH) return issue('depth', `nested more than ${MAX_TYPED_DEPTH} levels deep`);
  switch (kindOf(type, value)) {
    case MAP:
      return validateMap(value, type.map as MapType, allowDuplicates, depth);
    case LIST:
      return validateList(value, type.list as ListType, allowDuplicates, depth);
    default:
      return validateScalar(value, type.scalar as ScalarKind);
  }
}

function validateMap(value: JsonValue, type: MapType, allowDuplicates: boolean, depth: number): Issues {
  if (typeof value !== 'object' || Array.isArray(value)) return wrong('map', value);
  const object = value as JsonObject;
  let issues: Issues;
  for (const key in object) {
    const field = type.typeOf(key);
    const child = object[key] as JsonValue;
    let found: Issues;
    if (field === undefined) found = issue('undeclared', 'field not declared in schema');
    // Scalars of deduced types are always valid: only the depth counts.
    else if (typeof child !== 'object' && field === DEDUCED) continue;
    else found = validate(child, field, allowDuplicates, depth + 1);
    if (found !== undefined) issues = collect(issues, key, found);
  }
  return issues;
}

function validateList(value: JsonValue, type: ListType, allowDuplicates: boolean, depth: number): Issues {
  if (!Array.isArray(value)) return wrong('list', value);
  return type.relation === 'atomic'
    ? validateItems(value, type, allowDuplicates, depth)
    : validateAssociative(value, type, allowDuplicates, depth);
}

function validateItems(items: JsonArray, type: ListType, allowDuplicates: boolean, depth: number): Issues {
  let issues: Issues;
  for (let i = 0; i < items.length; i++) {
    const found = validate(items[i] as JsonValue, type.items, allowDuplicates, depth + 1);
    if (found !== undefined) issues = collect(issues, new IndexElement(i), found);
  }
  return issues;
}

function validateAssociative(items: JsonArray, type: ListType, allowDuplicates: boolean, depth: number): Issues {
  let issues: Issues;
  const keys: ItemKey[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as JsonValue;
    const key = itemKey(type, item);
    if (key === undefined) return [...(issues ?? []), pending('keyless', `element ${i}: ${itemProblem(type, item)}`)];
    keys.push(key);
    const found = validate(item, type.items, allowDuplicates, depth + 1);
    if (found !== undefined) issues = collect(issues, itemElement(type, item), found);
  }
  return allowDuplicates ? issues : withDuplicates(issues, items, type, keys);
}

function withDuplicates(issues: Issues, items: JsonArray, type: ListType, keys: readonly ItemKey[]): Issues {
  const index = new KeyIndex(keys);
  const repeated = index.duplicates();
  if (repeated === undefined) return issues;
  const found = Array.from(repeated, (key) => {
    const element = itemElement(type, items[index.find(key)] as JsonValue);
    return pending('duplicate', `duplicate entries for key ${formatElement(element)}`);
  });
  return [...(issues ?? []), ...found];
}

function validateScalar(value: JsonValue, kind: ScalarKind): Issues {
  const given = typeof value;
  switch (kind) {
    case 'numeric':
      return given === 'number' || given === 'bigint' ? undefined : wrong('numeric (int or float)', value);
    case 'string':
      return given === 'string' ? undefined : wrong('string', value);
    case 'boolean':
      return given === 'boolean' ? undefined : wrong('boolean', value);
    case 'untyped':
      return given === 'object' ? wrong('any scalar', value) : undefined;
  }
}

function wrong(expected: string, value: JsonValue): Issues {
  return [{ kind: 'type', path: [], message: `expected ${expected}, got ${formatJson(value)}`, value }];
}

function issue(kind: TypedIssueKind, message: string): PendingIssue[] {
  return [pending(kind, message)];
}

function pending(kind: TypedIssueKind, message: string): PendingIssue {
  return { kind, path: [], message };
}

function collect(issues: Issues, element: PathElement, found: PendingIssue[]): PendingIssue[] {
  for (const { path } of found) path.unshift(element);
  if (issues === undefined) return found;
  for (const item of found) issues.push(item);
  return issues;
}
