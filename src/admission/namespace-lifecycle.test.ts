import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json-value.ts';
import { andThen } from '../base/maybe-promise.ts';
import type { AdmissionAttributes, Operation } from '../server/admission.ts';
import { attributesFor } from './attributes.fixtures.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

const NAMESPACES: Readonly<Record<string, JsonObject>> = {
  live: { status: { phase: 'Active' } },
  going: { status: { phase: 'Terminating' } },
};

function plugin(fresh: () => Promise<void> | undefined = () => undefined) {
  return namespaceLifecycle((name) => andThen(fresh(), () => NAMESPACES[name]));
}

function attributes(
  operation: Operation,
  namespace: string,
  more: Partial<AdmissionAttributes> = {},
): AdmissionAttributes {
  const object = { metadata: { generateName: 'gen-' } };
  return attributesFor(operation, 'configmaps', object, { namespace, ...more });
}

describe('NamespaceLifecycle', () => {
  const admit = (given: AdmissionAttributes) => plugin().admit?.(given);

  test('admits objects into an active namespace synchronously', () => {
    expect(admit(attributes('CREATE', 'live'))).toBeUndefined();
  });

  test('refuses creates in a terminating namespace, naming the object by its generateName', () => {
    expect(() => admit(attributes('CREATE', 'going'))).toThrow(
      'configmaps "gen-" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    expect(() => admit(attributes('CREATE', 'going', { object: undefined }))).toThrow(
      'configmaps "Unknown" is forbidden',
    );
  });

  test('admits updates and deletes in a terminating namespace', () => {
    expect(admit(attributes('UPDATE', 'going'))).toBeUndefined();
    expect(admit(attributes('DELETE', 'going'))).toBeUndefined();
  });

  test('refuses creates and updates in a missing namespace, but not deletes', () => {
    expect(() => admit(attributes('CREATE', 'none'))).toThrow('namespaces "none" not found');
    expect(() => admit(attributes('UPDATE', 'none'))).toThrow('namespaces "none" not found');
    expect(admit(attributes('DELETE', 'none'))).toBeUndefined();
  });

  test('ignores cluster-scoped objects and access reviews', () => {
    expect(admit(attributes('CREATE', ''))).toBeUndefined();
    const resource = { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' };
    expect(admit(attributes('CREATE', 'none', { resource }))).toBeUndefined();
  });

  test('refuses the deletion of the namespaces that every server needs, and of no others', () => {
    const kind = { group: '', version: 'v1', kind: 'Namespace' };
    const remove = (name: string) => admit(attributes('DELETE', name, { kind, name }));
    expect(() => remove('kube-public')).toThrow(
      'namespaces "kube-public" is forbidden: this namespace may not be deleted',
    );
    expect(remove('kube-node-lease')).toBeUndefined();
    expect(admit(attributes('UPDATE', 'default', { kind, name: 'default' }))).toBeUndefined();
  });

  test('waits until the lister is fresh', async () => {
    let release = (): void => undefined;
    const fresh = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = plugin(() => fresh).admit?.(attributes('CREATE', 'none'));
    release();
    await expect(answer).rejects.toThrow('namespaces "none" not found');
  });

  test('does not handle CONNECT', () => {
    expect(plugin().handles('CONNECT')).toBe(false);
  });
});
