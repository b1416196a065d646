/** The problems of an apply configuration that an expression returned, in kube-apiserver's words. */
import { itemElement, itemKey } from '../../apimachinery/apply/list-items.ts';
import { kindOf, LIST, MAP, type MergeType } from '../../apimachinery/apply/merge-type.ts';
import { formatTypedIssues, type TypedIssue } from '../../apimachinery/apply/typed-issue.ts';
import { type ValidateOptions, validateTyped } from '../../apimachinery/apply/validate-typed.ts';
import { formatPath, IndexElement, type Path, type PathElement } from '../../apimachinery/field-set/path-element.ts';
import { decodedType, formatDecoded } from '../../apimachinery/go-decoded.ts';
import { formatNumber, quote } from '../../apimachinery/go-format.ts';
import { isJsonObject, type JsonValue } from '../../base/json-value.ts';
import type { ForeignValue, NativeValue } from './native-value.ts';

/** Returns the problems of a configuration that does not have the type; undefined if it has. */
export function configurationProblem({ json, foreign }: NativeValue, type: MergeType): string | undefined {
  const issues = foreign.flatMap((value) => foreignIssue(value, json, type) ?? []);
  return issues.length > 0 ? formatTypedIssues(issues) : objectProblem(json, type);
}

/** Returns the problems of an object that does not have the type; undefined if it has. */
export function objectProblem(object: JsonValue, type: MergeType, options: ValidateOptions = {}): string | undefined {
  const issues = validateTyped(object, type, options);
  return issues && formatTypedIssues(issues.map(goIssue));
}

/** Returns the issue with the value as Go prints it. */
function goIssue(issue: TypedIssue): TypedIssue {
  const expected = /^expected .+, got /.exec(issue.message)?.[0];
  if (issue.kind !== 'type' || expected === undefined || issue.value === undefined) return issue;
  const { value } = issue;
  const texts = { type: decodedType(value), plain: formatDecoded(value), sharp: sharpText(value) };
  return { ...issue, message: expected + gotText(expected, texts) };
}

function gotText(expected: string, { type, plain, sharp }: Pick<ForeignValue, 'type' | 'plain' | 'sharp'>): string {
  if (expected.startsWith('expected numeric')) return type;
  return expected.startsWith('expected string') ? `&value.valueUnstructured{Value:${sharp}}` : `&{${plain}}`;
}

/** Returns a value as Go's `%#v` prints it. */
function sharpText(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(sharpText).join(', ')}}`;
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${quote(key)}:${sharpText(value[key] as JsonValue)}`);
  return `map[string]interface {}{${fields.join(', ')}}`;
}

/** Returns undefined for a value under a field that the type does not have: that field is the problem. */
function foreignIssue(foreign: ForeignValue, root: JsonValue, rootType: MergeType): TypedIssue | undefined {
  const path: PathElement[] = [];
  let [value, type]: [JsonValue, MergeType | undefined] = [root, rootType];
  for (const [i, key] of foreign.path.entries()) {
    if (typeof key === 'string') {
      path.push(key);
      value = isJsonObject(value) ? (value[key] ?? null) : null;
      type = type.map?.typeOf(key);
    } else {
      const list = type.list;
      value = Array.isArray(value) ? (value[key] ?? null) : null;
      const isLast = i === foreign.path.length - 1;
      if (isLast && list?.relation === 'map') {
        const message = `element ${key}: associative list with keys may not have non-map elements`;
        return { kind: 'keyless', path, message };
      }
      if (isLast && list?.relation === 'set') {
        // The item has no JSON that could name it.
        const expected = `expected ${expectedKind(list.items)}, got `;
        const message = `${formatPath(path)}[={{undefined}}]: ${expected}${gotText(expected, foreign)}`;
        return { kind: 'type', path: [], message };
      }
      const isKeyed = list?.relation === 'map' && itemKey(list, value) !== undefined;
      path.push(isKeyed ? itemElement(list, value) : new IndexElement(key));
      type = list?.items;
    }
    if (type === undefined) return undefined;
  }
  const expected = `expected ${expectedKind(type)}, got `;
  return { kind: 'type', path, message: expected + gotText(expected, foreign) };
}

const SCALARS = { numeric: 'numeric (int or float)', string: 'string', boolean: 'boolean', untyped: 'any scalar' };

function expectedKind(type: MergeType): string {
  if (type.fallback === MAP) return 'map';
  return type.fallback === LIST || type.scalar === undefined ? 'list' : SCALARS[type.scalar];
}

/** Returns the paths of atomic values in a configuration. Merging them would drop the fields that it does not have. */
export function atomicsOf(value: JsonValue, type: MergeType, path: Path = []): readonly string[] {
  const kind = kindOf(type, value);
  if (kind === MAP && isJsonObject(value)) {
    const { map } = type;
    const own = map?.atomic === true ? [formatPath(path)] : [];
    const below = Object.keys(value).flatMap((key) => {
      const field = map?.fields.get(key);
      return field === undefined ? [] : atomicsOf(value[key] as JsonValue, field.type, [...path, key]);
    });
    return [...own, ...below];
  }
  if (kind !== LIST || !Array.isArray(value) || type.list === undefined) return [];
  const { relation, items } = type.list;
  const own = relation === 'atomic' ? [formatPath(path)] : [];
  return [...own, ...value.flatMap((item, i) => atomicsOf(item, items, [...path, new IndexElement(i)]))];
}
