import { describe, expect, it } from 'vitest';
import { ObjectKeys } from './object-keys.ts';

describe('keys of objects', () => {
  it("have kube-apiserver's layout below the scope", () => {
    const keys = new ObjectKeys('registry', 'rbac.authorization.k8s.io/roles', 'Namespaced');
    expect(keys.key('ns', 'system:a')).toBe('registry/rbac.authorization.k8s.io/roles/ns/system:a');
    expect([keys.prefix('ns'), keys.prefix('')]).toEqual([
      'registry/rbac.authorization.k8s.io/roles/ns/',
      'registry/rbac.authorization.k8s.io/roles/',
    ]);
    const cluster = new ObjectKeys('registry', 'namespaces', 'Cluster');
    expect([cluster.key('ignored', 'a'), cluster.prefix('ignored')]).toEqual([
      'registry/namespaces/a',
      'registry/namespaces/',
    ]);
  });

  it.each(['a', 'a/b', '..', '%', '%002f', 'ü\u{1f600}', '\u0000'])(
    'give back the name %j and its namespace',
    (name) => {
      for (const scope of ['Namespaced', 'Cluster'] as const) {
        const keys = new ObjectKeys('w', 'things', scope);
        const key = keys.key('n/s', name);
        const namespace = scope === 'Namespaced' ? 'n/s' : '';
        expect([keys.name(key), keys.namespace(key), key.startsWith(keys.prefix('n/s'))]).toEqual([
          name,
          namespace,
          true,
        ]);
        expect(['metadata.name', 'metadata.namespace', 'spec.x'].map((field) => keys.fieldOfKey(key, field))).toEqual([
          name,
          namespace,
          undefined,
        ]);
      }
    },
  );
});
