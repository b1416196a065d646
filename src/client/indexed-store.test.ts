import { describe, expect, it } from 'vitest';
import { IndexedStore } from './indexed-store.ts';
import type { Stored } from './object-types.ts';
import type { Thing } from './simulated-source.fixtures.ts';

interface Parts {
  readonly namespace?: string;
  readonly rv?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly value?: number;
}

function thing(name: string, { namespace = 'default', rv = '1', uid = name, labels = {}, value = 0 }: Parts = {}) {
  const metadata = { name, namespace, uid, resourceVersion: rv, labels };
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata, value } as Stored<Thing>;
}

function storeOf(...objects: Stored<Thing>[]): IndexedStore<Thing> {
  const store = new IndexedStore<Thing>(() => undefined);
  store.replace(new Map(objects.map((object) => [`default/${object.metadata.name}`, object])), '10');
  return store;
}

function names(objects: readonly Stored<Thing>[]): string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

describe('a store', () => {
  it('hands out objects that are frozen throughout', () => {
    const store = storeOf(thing('a', { labels: { app: 'web' } }), thing('b'), thing('c'));
    store.addIndex('all', () => ['x']);
    const handedOut = [
      store.get('a', 'default'),
      store.getByKey('default/b'),
      ...store.list(),
      ...store.byIndex('all', 'x'),
    ];
    for (const object of handedOut) {
      expect(Object.isFrozen(object)).toBe(true);
      expect(Object.isFrozen(object?.metadata.labels)).toBe(true);
    }
    expect(() => {
      (store.get('a', 'default') as { value: number }).value = 1;
    }).toThrow(TypeError);
  });

  it('hands frozen objects to index functions, too', () => {
    const failures: string[] = [];
    const store = new IndexedStore<Thing>((error) => failures.push(error.constructor.name));
    store.addIndex('bad', (object) => {
      (object as { value?: number }).value = 1;
      return [];
    });
    store.apply(thing('a'));
    expect(failures).toEqual(['TypeError']);
  });

  it('finds objects by key, namespace and labels', () => {
    const store = storeOf();
    store.apply(thing('a', { labels: { app: 'web' } }));
    expect(store.list({ namespace: 'other' })).toEqual([]);
    store.apply(thing('b', { namespace: 'other', labels: { app: 'web' } }));
    store.apply(thing('c', { namespace: 'other' }));
    expect(names(store.list({ namespace: 'other' }))).toEqual(['b', 'c']);
    expect(names(store.list({ labelSelector: 'app in (web)' }))).toEqual(['a', 'b']);
    expect(names(store.list({ namespace: 'other', labelSelector: '!app' }))).toEqual(['c']);
    expect(store.get('b')).toBeUndefined();
    expect([...store.keys()].sort()).toEqual(['default/a', 'other/b', 'other/c']);
    expect(store.size).toBe(3);
    store.delete(thing('b', { namespace: 'other' }));
    expect(names(store.list({ namespace: 'other' }))).toEqual(['c']);
    expect(() => store.list({ labelSelector: 'a in' })).toThrow(/label selector "a in" is malformed/);
  });

  it('keeps indexes equal to its objects through every change', () => {
    const store = storeOf(thing('a', { value: 1 }));
    store.addIndex('value', (object) => [String(object.value)]);
    expect(names(store.byIndex('value', '1'))).toEqual(['a']);
    store.apply(thing('b', { value: 1 }));
    store.apply(thing('a', { value: 2, rv: '2' }));
    expect(names(store.byIndex('value', '1'))).toEqual(['b']);
    expect(names(store.byIndex('value', '2'))).toEqual(['a']);
    store.delete(thing('b'));
    expect(store.byIndex('value', '1')).toEqual([]);
    store.replace(new Map([['default/c', thing('c', { value: 2 })]]), '20');
    expect(names(store.byIndex('value', '2'))).toEqual(['c']);
    expect(() => store.byIndex('none', '1')).toThrow(/no index "none"/);
    expect(() => store.addIndex('value', () => [])).toThrow(/index "value" already/);
  });

  it('reports an index function that throws, and stores the object', () => {
    const failures: string[] = [];
    const store = new IndexedStore<Thing>((error) => failures.push(error.message));
    store.addIndex('bad', (object) => {
      if (object.metadata.name === 'a') throw new TypeError('bad');
      return ['x'];
    });
    store.apply(thing('a'));
    store.apply(thing('b'));
    store.delete(thing('a'));
    expect(failures).toEqual(['bad']);
    expect(names(store.byIndex('bad', 'x'))).toEqual(['b']);
  });

  it('returns the differences when its contents are replaced', () => {
    const same = thing('same');
    const store = storeOf(same, thing('gone'), thing('changed'), thing('again', { uid: 'old' }));
    const changes = store.replace(
      new Map([
        ['default/same', thing('same')],
        ['default/changed', thing('changed', { rv: '2' })],
        ['default/again', thing('again', { uid: 'new', rv: '3' })],
        ['default/new', thing('new', { rv: '4' })],
      ]),
      '30',
    );
    expect(changes.map(({ type, key }) => `${type} ${key}`)).toEqual([
      'delete default/gone',
      'delete default/again',
      'update default/changed',
      'add default/again',
      'add default/new',
    ]);
    expect(changes[0]).toMatchObject({ isFinal: false });
    expect(changes[4]).toMatchObject({ isInitial: false });
    expect(store.getByKey('default/same')).toBe(same);
    expect(store.resourceVersion).toBe('30');
  });

  it('ignores a state that it has, and a deletion of an object that it does not have', () => {
    const first = thing('a');
    const store = storeOf(first);
    expect(store.apply(thing('a'))).toBeUndefined();
    expect(store.get('a', 'default')).toBe(first);
    expect(store.delete(thing('b', { rv: '99' }))).toBeUndefined();
    expect(store.resourceVersion).toBe('99');
  });

  it('knows the newest revision of objects and bookmarks', () => {
    const store = new IndexedStore<Thing>(() => undefined);
    expect(store.resourceVersion).toBe('');
    store.replace(new Map(), '9');
    store.apply(thing('a', { rv: '10' }));
    expect(store.resourceVersion).toBe('10');
    store.advance('9');
    expect(store.resourceVersion).toBe('10');
    store.advance('100');
    expect(store.resourceVersion).toBe('100');
    // A server that was restored from a backup.
    store.replace(new Map(), '50');
    expect(store.resourceVersion).toBe('50');
  });
});
