/**
 * The mutation of valid objects to unusual and invalid ones, one change each. Invariants: the mutations depend only on
 * the object, not on a schema, so that rules which our tables do not know are tested too; the original is not modified.
 */
import { HEADS, literal } from '../crds/mutate.ts';
import { isDict, type JsonDict, type Step, withAt } from '../crds/schema.ts';
import type { Json } from '../diff/normalise.ts';

export interface Mutation {
  readonly title: string;
  readonly object: JsonDict;
}

interface Site {
  readonly path: readonly Step[];
  readonly value: Json;
}

/** The title of a change and the new value; undefined removes it. */
type Change = readonly [string, Json | undefined];

/** Fields of the root that have changes of their own. */
const HEAD_FIELDS = ['apiVersion', 'kind', 'metadata', 'status'];
const LONG = 300;

/**
 * Returns all mutations of a new object. `roots` restricts them to these fields of the root. Default: all but metadata
 * and status.
 */
export function invalidate(object: JsonDict, roots?: readonly string[]): Mutation[] {
  const heads = roots === undefined ? Object.entries(HEADS) : [];
  return [
    ...heads.map(([title, change]) => ({ title, object: change(structuredClone(object)) })),
    ...sitesOf(object, roots).flatMap((site) => changed(object, site, invalidChanges(site.value))),
  ];
}

/**
 * Returns the changes that an update may make to each field of a stored object: another value, none, an empty one, and
 * fewer, more and reordered items.
 */
export function edit(object: JsonDict, roots?: readonly string[]): Mutation[] {
  const metadata = isDict(object['metadata']) ? object['metadata'] : {};
  const withMetadata = (fields: JsonDict): JsonDict => ({ ...object, metadata: { ...metadata, ...fields } });
  const heads: Mutation[] =
    roots === undefined
      ? [
          { title: 'label added', object: withMetadata({ labels: { edited: 'yes' } }) },
          { title: 'other name', object: withMetadata({ name: 'other-name' }) },
          { title: 'other uid', object: withMetadata({ uid: '00000000-0000-0000-0000-000000000000' }) },
          { title: 'old revision', object: withMetadata({ resourceVersion: '1' }) },
          { title: 'creation time changed', object: withMetadata({ creationTimestamp: '2001-01-01T00:00:00Z' }) },
          { title: 'generation changed', object: withMetadata({ generation: 77 }) },
          { title: 'finalizer added', object: withMetadata({ finalizers: ['example.com/kept'] }) },
        ]
      : [];
  return [...heads, ...sitesOf(object, roots).flatMap((site) => changed(object, site, editChanges(site.value)))];
}

/** Returns mutations that add one field each of those that the sample has and the object has not. */
export function addFrom(object: JsonDict, sample: JsonDict, roots?: readonly string[]): Mutation[] {
  const result: Mutation[] = [];
  const visit = (value: Json, golden: Json | undefined, path: readonly Step[]): void => {
    if (Array.isArray(value)) {
      const first = Array.isArray(golden) ? golden[0] : undefined;
      value.forEach((item, i) => {
        visit(item, first, [...path, i]);
      });
    } else if (isDict(value) && isDict(golden)) {
      for (const [key, added] of Object.entries(golden)) {
        if (path.length === 0 && !(roots?.includes(key) ?? !HEAD_FIELDS.includes(key))) continue;
        const here = [...path, key];
        if (!(key in value))
          result.push({ title: `${show(here)} added`, object: withAt(object, here, added) as JsonDict });
        else visit(value[key] as Json, added, here);
      }
    }
  };
  visit(object, sample, []);
  return result;
}

function changed(object: JsonDict, { path }: Site, changes: readonly Change[]): Mutation[] {
  return changes.map(([title, value]) => ({
    title: `${show(path)} ${title}`,
    object: withAt(object, path, value) as JsonDict,
  }));
}

function invalidChanges(value: Json): Change[] {
  if (typeof value === 'string') return [['removed', undefined], ['as a number', 7], ...textChanges(value)];
  if (typeof value === 'number')
    return [
      ['removed', undefined],
      ['as text', 'text'],
      ['0', 0],
      ['negative', -1],
      ['large', 70_000],
      ['beyond int32', literal('2147483648')],
      ['a fraction', value + 0.5],
    ];
  if (typeof value === 'boolean')
    return [
      ['removed', undefined],
      ['as text', 'true'],
      ['the other way', !value],
    ];
  if (Array.isArray(value)) return listChanges(value);
  if (!isDict(value)) return [];
  return [
    ['removed', undefined],
    ['null', null],
    ['empty', {}],
    ['as text', 'text'],
    ['with an unknown field', { ...value, unknownField: 'x' }],
    ['with a key of odd letters', { ...value, 'not a key!': 'x' }],
  ];
}

function textChanges(value: string): Change[] {
  const changes: Change[] = [
    ['empty', ''],
    ['odd text', 'Not A_Valid/Value!'],
    ['another name', 'no-such-value'],
    ['too long', 'x'.repeat(LONG)],
  ];
  const lower = value.toLowerCase();
  if (lower !== value) changes.push(['in lower case', lower]);
  if (/^\d+(\.\d+)?(m|[KMGTP]i?|k)?$/.test(value))
    changes.push(['negative', '-1'], ['zero', '0'], ['a tiny part', '1n']);
  if (/^\d+%$/.test(value)) changes.push(['above all', '101%'], ['no per cent', '-1%']);
  if (/^\d+\.\d+\.\d+\.\d+|::/.test(value))
    changes.push(
      ['no address', '256.1.1.1'],
      ['with leading zeros', '010.000.000.001'],
      ['loopback', '127.0.0.1'],
      ['of IPv6', '2001:DB8::1'],
    );
  if (/^\d+\.\d+\.\d+\.\d+\/\d+$/.test(value))
    changes.push(['mask too long', '10.0.0.0/33'], ['bits beyond the mask', '10.1.2.3/8']);
  if (/^\//.test(value))
    changes.push(['relative', 'a/b'], ['going up', '/a/../b'], ['with a colon', '/a:b'], ['query', '/a?b=c']);
  if (/^\d{4}-\d\d-\d\dT/.test(value)) changes.push(['yesterday', '2001-02-30T00:00:00Z']);
  if (/^https?:/.test(value)) changes.push(['http', 'http://user@example.com/x#y'], ['no URL', '://']);
  if (/^[\w*/,-]+( [\w*/,-]+){4}$/.test(value))
    changes.push(
      ['too many parts', '* * * * * *'],
      ['macro', '@daily'],
      ['zone', 'TZ=UTC 0 0 * * *'],
      ['minute 61', '61 * * * *'],
    );
  return changes;
}

function listChanges(value: readonly Json[]): Change[] {
  const changes: Change[] = [
    ['removed', undefined],
    ['empty', []],
    ['as an object', {}],
    ['with null', [...value, null]],
  ];
  const [first, second] = value;
  if (first !== undefined) changes.push(['with an item twice', [...value, structuredClone(first)]]);
  if (isDict(first)) changes.push(['with an empty item', [...value, {}]]);
  if (isDict(first) && isDict(second))
    changes.push(['with two items mixed', [{ ...second, ...first }, ...value.slice(1)]]);
  return changes;
}

function editChanges(value: Json): Change[] {
  if (typeof value === 'string')
    return [
      ['changed', /^\d+$/.test(value) ? String(Number(value) + 1) : `${value}x`],
      ['removed', undefined],
    ];
  if (typeof value === 'number')
    return [
      ['raised', value + 1],
      ['lowered', value - 1],
      ['removed', undefined],
    ];
  if (typeof value === 'boolean')
    return [
      ['the other way', !value],
      ['removed', undefined],
    ];
  if (Array.isArray(value)) {
    const [first] = value;
    return [
      ['removed', undefined],
      ...(value.length > 1
        ? ([
            ['reversed', [...value].reverse()],
            ['without its first', value.slice(1)],
          ] as Change[])
        : []),
      ...(first === undefined ? [] : ([['with another item', [...value, otherOf(first)]]] as Change[])),
    ];
  }
  return isDict(value)
    ? [
        ['removed', undefined],
        ['with another key', { ...value, another: 'x' }],
      ]
    : [];
}

/** A copy with another name. */
function otherOf(item: Json): Json {
  if (typeof item === 'string') return `${item}-other`;
  if (!isDict(item)) return item;
  const key = ['name', 'key', 'type', 'ip', 'port'].find((one) => one in item);
  if (key === undefined) return item;
  const old = item[key] as Json;
  return { ...item, [key]: typeof old === 'number' ? old + 1 : `${String(old)}-other` };
}

/** Returns every place below the chosen roots. */
function sitesOf(object: JsonDict, roots?: readonly string[]): Site[] {
  const sites: Site[] = [];
  const visit = (value: Json, path: readonly Step[]): void => {
    sites.push({ path, value });
    if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, [...path, i]);
    else if (isDict(value)) for (const [key, child] of Object.entries(value)) visit(child, [...path, key]);
  };
  for (const [key, value] of Object.entries(object))
    if (roots?.includes(key) ?? !HEAD_FIELDS.includes(key)) visit(value, [key]);
  return sites;
}

function show(path: readonly Step[]): string {
  return path
    .map((step, i) =>
      typeof step === 'number' ? `[${step}]` : /^\w+$/.test(step) ? `${i === 0 ? '' : '.'}${step}` : `[${step}]`,
    )
    .join('');
}

/** Returns patches of three kinds with a similar effect, each with title, content type and body. */
export function patchesOf(object: JsonDict): { title: string; type: string; body: Json }[] {
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const json = 'application/json-patch+json';
  const patches: { title: string; type: string; body: Json }[] = [];
  for (const { path, value } of sitesOf(object)) {
    const nested = (leaf: Json): Json =>
      path.reduceRight<Json>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), leaf);
    const pointer = `/${path.map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
    const inList = path.some((step) => typeof step === 'number');
    if (!inList) {
      patches.push({ title: `${show(path)} null`, type: merge, body: nested(null) });
      if (typeof value === 'string')
        patches.push({ title: `${show(path)} other`, type: strategic, body: nested(`${value}x`) });
    }
    if (Array.isArray(value) && isDict(value[0]) && !inList) {
      const other = otherOf(value[0]);
      patches.push({ title: `${show(path)} item`, type: strategic, body: nested([other]) });
      patches.push({
        title: `${show(path)} item deleted`,
        type: strategic,
        body: nested([{ ...(value[0] as JsonDict), $patch: 'delete' }]),
      });
      patches.push({ title: `${show(path)} replaced`, type: strategic, body: nested([other, { $patch: 'replace' }]) });
      patches.push({
        title: `${show(path)} appended`,
        type: json,
        body: [{ op: 'add', path: `${pointer}/-`, value: other }],
      });
    }
    if (inList && !Array.isArray(value) && !isDict(value))
      patches.push({ title: `${show(path)} removed`, type: json, body: [{ op: 'remove', path: pointer }] });
  }
  return patches;
}
