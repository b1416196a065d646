import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { ListPage } from '../resource/resource-store.ts';
import {
  at,
  complaint,
  deletion,
  type ListQuery,
  made,
  parse,
  query,
  refused,
  type Things,
  thing,
  things,
  v2,
} from './thing.fixtures.ts';

/** Things a to e in `ns`, at revisions 2 to 6, and one in another namespace, at 7. */
async function six(): Promise<Things> {
  const world = await things();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await made(world.store, thing(name, { spec: { color: name < 'c' ? 'red' : 'blue' } }, { labels: { name } }));
  await made(world.store, thing('z'), at('', 'other'));
  return world;
}

function list({ store }: Things, options: ListQuery = {}, context = at('')): Promise<ListPage> {
  return Promise.resolve(store.list(context, query(options)));
}

function names(page: ListPage): string {
  return page.items.map((bytes) => parse(bytes).metadata.name).join('');
}

function token(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

describe('a list', () => {
  it('shows a namespace or all of them, in order, at the revision of the store, synchronously', async () => {
    const world = await six();
    const page = world.store.list(at(''), query());
    expect(page).not.toBeInstanceOf(Promise);
    expect(page).toMatchObject({ resourceVersion: '7', continueToken: '', remaining: undefined });
    expect(names(page as ListPage)).toBe('abcde');
    expect(names(await list(world, {}, at('', '')))).toBe('abcdez');
    expect(names(await list(world, {}, at('', 'nowhere')))).toBe('');
  });

  it('selects by labels, by fields of the requested version, and by name and namespace', async () => {
    const world = await six();
    expect(names(await list(world, { labels: 'name in (a,d)' }))).toBe('ad');
    expect(names(await list(world, { fields: 'spec.color=red' }))).toBe('ab');
    expect(names(await list(world, { fields: 'spec.hue=red' }, at('', 'ns', v2)))).toBe('ab');
    expect(names(await list(world, { fields: 'metadata.name=b' }))).toBe('b');
    expect(names(await list(world, { fields: 'metadata.name!=b' }))).toBe('acde');
    expect(names(await list(world, { fields: 'metadata.name=b', labels: 'name=c' }))).toBe('');
    expect(names(await list(world, { fields: 'metadata.namespace=other' }, at('', '')))).toBe('z');
    expect(names(await list(world, { fields: 'metadata.namespace=other,metadata.name=z' }, at('', '')))).toBe('z');
    expect(names(await list(world, { fields: 'metadata.namespace=other' }))).toBe('');
  });

  it('shows items in the version of the request', async () => {
    const page = await list(await six(), { limit: 1 }, at('', 'ns', v2));
    expect(page.items.map(parse)).toMatchObject([{ apiVersion: 'example.test/v2', spec: { hue: 'red', size: 1 } }]);
  });

  it('has pages of one revision, whatever is written meanwhile', async () => {
    const world = await six();
    const first = await list(world, { limit: 2 });
    expect([names(first), first.remaining, first.resourceVersion]).toEqual(['ab', 3, '7']);
    expect(JSON.parse(atob(first.continueToken))).toEqual({ v: 'meta.k8s.io/v1', rv: 7, start: 'c' });
    await world.store.delete(at('d'), deletion());
    await made(world.store, thing('ca'));
    const second = await list(world, { limit: 2, continueToken: first.continueToken });
    expect([names(second), second.remaining, second.resourceVersion]).toEqual(['cd', 1, '7']);
    const third = await list(world, { limit: 2, continueToken: second.continueToken });
    expect([names(third), third.remaining, third.resourceVersion, third.continueToken]).toEqual([
      'e',
      undefined,
      '7',
      '',
    ]);
    expect(names(await list(world))).toBe('abccae');
  });

  it('counts the remaining objects only without a selector', async () => {
    const world = await six();
    const page = await list(world, { limit: 1, labels: 'name!=b' });
    expect([names(page), page.remaining]).toEqual(['a', undefined]);
    expect(names(await list(world, { limit: 1, labels: 'name!=b', continueToken: page.continueToken }))).toBe('c');
  });

  it("continues with kube-apiserver's token: the last key and a zero byte", async () => {
    const world = await six();
    const token = JSON.stringify({ v: 'meta.k8s.io/v1', rv: 7, start: 'b\0' });
    expect(names(await list(world, { continueToken: Buffer.from(token).toString('base64url') }))).toBe('cde');
  });

  it('continues over all namespaces', async () => {
    const world = await six();
    const page = await list(world, { limit: 5 }, at('', ''));
    expect(JSON.parse(atob(page.continueToken)).start).toBe('other/z');
    expect(names(await list(world, { limit: 5, continueToken: page.continueToken }, at('', '')))).toBe('z');
  });

  it('ignores a limit at resourceVersion 0, and one that is not positive', async () => {
    const world = await six();
    expect(names(await list(world, { limit: 2, resourceVersion: '0' }))).toBe('abcde');
    expect(names(await list(world, { limit: -1 }))).toBe('abcde');
    const { continueToken } = await list(world, { limit: 1 });
    expect(names(await list(world, { limit: 1, resourceVersion: '0', continueToken }))).toBe('bcde');
  });

  it('shows exactly a revision with resourceVersionMatch=Exact, or with a limit', async () => {
    const world = await six();
    expect(names(await list(world, { resourceVersion: '4', resourceVersionMatch: 'Exact' }))).toBe('abc');
    const legacy = await list(world, { resourceVersion: '4', limit: 2 });
    expect([names(legacy), legacy.resourceVersion, legacy.remaining]).toEqual(['ab', '4', 1]);
    const page = await list(world, { resourceVersion: '4' });
    expect([names(page), page.resourceVersion]).toEqual(['abcde', '7']);
    expect(names(await list(world, { resourceVersion: '4', resourceVersionMatch: 'NotOlderThan', limit: 2 }))).toBe(
      'ab',
    );
  });

  it('reads a revision that the cache no longer knows from storage', async () => {
    const world = await six();
    // The cache begins at the store's horizon. Older revisions are read from the store.
    for (let i = 0; i < 3; i++) await made(world.store, thing(`n${i}`), at('', 'fill'));
    const late = await things({}, {}, world.storage);
    const options = { resourceVersion: '4', resourceVersionMatch: 'Exact' } as const;
    expect(names(await list(late, options))).toBe('abc');
    expect(names(await list(late, { ...options, fields: 'metadata.name=c' }))).toBe('c');
  });

  it('waits for a revision that does not exist yet, then answers 504', async () => {
    const world = await six();
    for (const options of [
      { resourceVersion: '99' },
      { resourceVersion: '99', resourceVersionMatch: 'Exact' },
      { resourceVersion: '99', resourceVersionMatch: 'NotOlderThan' },
    ]) {
      const asked = refused(() => list(world, options));
      await world.clock.advance(3000);
      const status = await asked;
      expect([status.code, status.reason, status.message]).toEqual([
        504,
        'Timeout',
        'Timeout: Too large resource version: 99, current: 7',
      ]);
      expect(status.details).toEqual({
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      });
    }
    const reached = list(world, { resourceVersion: '8' });
    await made(world.store, thing('f'));
    expect(names(await reached)).toBe('abcdef');
  });

  it('answers 410 to a revision that was compacted', async () => {
    const world = await six();
    await world.storage.compact(6);
    expect(await complaint(() => list(world, { resourceVersion: '3', resourceVersionMatch: 'Exact' }))).toEqual([
      410,
      'Expired',
      'The resourceVersion for the provided list is too old.',
    ]);
  });

  it('answers 410 with a token for an inconsistent continuation when a page is too old', async () => {
    const world = await six();
    const { continueToken } = await list(world, { limit: 2 });
    await made(world.store, thing('f'));
    await world.storage.compact(8);
    const status = await refused(() => list(world, { limit: 2, continueToken }));
    expect([status.code, status.reason]).toEqual([410, 'Expired']);
    expect(status.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result\. /,
    );
    const onward = status.metadata.continue ?? '';
    expect(JSON.parse(atob(onward))).toEqual({ v: 'meta.k8s.io/v1', rv: -1, start: 'c' });
    const page = await list(world, { continueToken: onward });
    expect([names(page), page.resourceVersion]).toEqual(['cdef', '8']);
  });

  it.each([
    ['abc', "invalid character 'i' looking for beginning of value"],
    ['!!', 'illegal base64 data at input byte 0'],
    ['abcde', 'illegal base64 data at input byte 4'],
    [token({}), 'server does not recognize this encoded version '],
    [token(null), 'server does not recognize this encoded version '],
    [token(3), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    [token({ v: 'v2', rv: 5, start: 'a' }), 'server does not recognize this encoded version v2'],
    [token({ v: 'meta.k8s.io/v1' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token({ v: 'meta.k8s.io/v1', rv: 5 }), 'encoded start key empty (version meta.k8s.io/v1)'],
    [
      token({ v: 'meta.k8s.io/v1', rv: 'x', start: 'a' }),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      token({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a' }),
      'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
    ],
    [token({ v: 'meta.k8s.io/v1', rv: 5, start: '../a' }), '../a'],
    [token({ v: 'meta.k8s.io/v1', rv: 5, start: 'a//b' }), 'a//b'],
  ])('refuses the token %s', async (continueToken, why) => {
    const world = await six();
    expect(await complaint(() => list(world, { limit: 1, continueToken }))).toEqual([
      400,
      'BadRequest',
      `invalid continue token: continue key is not valid: ${why}`,
    ]);
  });

  it('refuses a token together with a resourceVersion, and a malformed resourceVersion', async () => {
    const world = await six();
    const { continueToken } = await list(world, { limit: 2 });
    expect(await complaint(() => list(world, { continueToken, resourceVersion: '5' }))).toEqual([
      400,
      'BadRequest',
      'specifying resource version is not allowed when using continue',
    ]);
    expect(names(await list(world, { continueToken, resourceVersion: '0' }))).toBe('cde');
    expect(await complaint(() => list(world, { resourceVersion: 'abc' }))).toEqual([
      400,
      'BadRequest',
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ]);
  });

  it('returns the bytes of the cache', async () => {
    const world = await six();
    const page = await list(world);
    expect(page.items[0]).toBe(await world.store.get(at('a'), { resourceVersion: '' }));
    expect(decodeUtf8(page.items[0] as Uint8Array)).toContain('"metadata":{"resourceVersion":"2","name":"a"');
  });
});
