import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json-value.ts';
import type { AdmissionAttributes, Operation } from '../server/admission.ts';
import type { Lister } from '../server/own/lister.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

const NAMESPACES: Readonly<Record<string, JsonObject>> = {
  live: { status: { phase: 'Active' } },
  going: { status: { phase: 'Terminating' } },
};

function plugin(fresh: () => Promise<void> | undefined = () => undefined) {
  const lister: Lister = {
    fresh,
    get: (_namespace, name) => NAMESPACES[name],
    list: () => Object.values(NAMESPACES),
    subscribe: () => ({ stop: () => undefined }),
  };
  return namespaceLifecycle(lister);
}

function attributes(
  operation: Operation,
  namespace: string,
  more: Partial<AdmissionAttributes> = {},
): AdmissionAttributes {
  return {
    operation,
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    subresource: '',
    name: '',
    namespace,
    user: { name: '', uid: '', groups: [], extra: {} },
    dryRun: false,
    object: { metadata: { generateName: 'gen-' } },
    oldObject: undefined,
    options: {},
    deadline: Number.POSITIVE_INFINITY,
    versions: [],
    convert: (converted) => converted,
    namespaceObject: () => undefined,
    state: (_key, create) => create(),
    warn: () => undefined,
    annotate: () => undefined,
    ...more,
  };
}

describe('NamespaceLifecycle', () => {
  const admit = (given: AdmissionAttributes) => plugin().admit?.(given);

  test('lets objects into a living namespace at once', () => {
    expect(admit(attributes('CREATE', 'live'))).toBeUndefined();
  });

  test('refuses what is created in a namespace on its way out, under the name it would begin with', () => {
    expect(() => admit(attributes('CREATE', 'going'))).toThrow(
      'configmaps "gen-" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    expect(() => admit(attributes('CREATE', 'going', { object: undefined }))).toThrow(
      'configmaps "Unknown" is forbidden',
    );
  });

  test('lets what is there be updated and deleted while the namespace goes', () => {
    expect(admit(attributes('UPDATE', 'going'))).toBeUndefined();
    expect(admit(attributes('DELETE', 'going'))).toBeUndefined();
  });

  test('refuses to create and to update where there is no namespace, not to delete', () => {
    expect(() => admit(attributes('CREATE', 'none'))).toThrow('namespaces "none" not found');
    expect(() => admit(attributes('UPDATE', 'none'))).toThrow('namespaces "none" not found');
    expect(admit(attributes('DELETE', 'none'))).toBeUndefined();
  });

  test('does not look at objects outside of namespaces, nor at reviews of access', () => {
    expect(admit(attributes('CREATE', ''))).toBeUndefined();
    const resource = { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' };
    expect(admit(attributes('CREATE', 'none', { resource }))).toBeUndefined();
  });

  test('keeps the namespaces that every server needs and no others', () => {
    const kind = { group: '', version: 'v1', kind: 'Namespace' };
    const remove = (name: string) => admit(attributes('DELETE', name, { kind, name }));
    expect(() => remove('kube-public')).toThrow(
      'namespaces "kube-public" is forbidden: this namespace may not be deleted',
    );
    expect(remove('kube-node-lease')).toBeUndefined();
    expect(admit(attributes('UPDATE', 'default', { kind, name: 'default' }))).toBeUndefined();
  });

  test('waits until it knows what was acknowledged', async () => {
    let release = (): void => undefined;
    const fresh = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = plugin(() => fresh).admit?.(attributes('CREATE', 'none'));
    release();
    await expect(answer).rejects.toThrow('namespaces "none" not found');
  });

  test('has nothing to do with connections', () => {
    expect(plugin().handles('CONNECT')).toBe(false);
  });
});
