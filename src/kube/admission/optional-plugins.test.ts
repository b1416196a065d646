import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { attributesFor, listerOf, podWith, verdict } from './admission.fixtures.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-plugins.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references.ts';
import { podNodeSelector, podTolerationRestriction } from './pod/namespace-scheduling.ts';
import { alwaysPullImages, extendedResourceToleration, limitPodHardAntiAffinityTopology } from './pod/pod-policies.ts';

function specOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

describe('plugins that are disabled by default', () => {
  test('AlwaysPullImages changes only pods with new images', () => {
    const pod = podWith({ volumes: [{ name: 'v', image: { reference: 'r' } }] });
    expect(verdict(alwaysPullImages(), attributesFor('CREATE', 'pods', pod))).toBeUndefined();
    expect(objectsAt(pod, 'spec', 'containers')[0]).toMatchObject({ imagePullPolicy: 'Always' });
    expect(objectsAt(pod, 'spec', 'volumes')[0]).toMatchObject({ image: { pullPolicy: 'Always' } });
    const same = podWith();
    verdict(alwaysPullImages(), attributesFor('UPDATE', 'pods', same, { oldObject: podWith() }));
    expect(same).toEqual(podWith());
    expect(() => alwaysPullImages().validate?.(attributesFor('CREATE', 'pods', podWith()))).toThrow(
      'pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "": supported values: "Always"',
    );
  });

  test('LimitPodHardAntiAffinityTopology allows only the hostname as topology key', () => {
    const pod = podWith({
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] },
      },
    });
    expect(verdict(limitPodHardAntiAffinityTopology(), attributesFor('CREATE', 'pods', pod))).toBe(
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
    );
  });

  test('ExtendedResourceToleration adds tolerations for requested extended resources', () => {
    const pod = podWith({
      containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1', cpu: '1' } } }],
      tolerations: [{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 4 }],
    });
    verdict(extendedResourceToleration(), attributesFor('CREATE', 'pods', pod));
    expect(specOf(pod)['tolerations']).toEqual([{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
  });

  test('DenyServiceExternalIPs refuses new addresses and keeps existing ones', () => {
    const service = (...externalIPs: string[]): JsonObject => ({ metadata: { name: 's' }, spec: { externalIPs } });
    const update = (object: JsonObject, oldObject: JsonObject): string | undefined =>
      verdict(denyServiceExternalIps(), attributesFor('UPDATE', 'services', object, { oldObject }));
    expect(update(service('1.1.1.1'), service('1.1.1.1', '2.2.2.2'))).toBeUndefined();
    expect(update(service('3.3.3.3'), service('1.1.1.1'))).toBe(
      'services "s" is forbidden: Use of external IPs is denied by admission control',
    );
  });

  test('PodNodeSelector adds the node selector of the namespace, or refuses a conflict', () => {
    const plugin = (text: string) =>
      podNodeSelector(
        listerOf({ metadata: { name: 'ns', annotations: { 'scheduler.alpha.kubernetes.io/node-selector': text } } }),
      );
    const pod = podWith({ nodeSelector: { disk: 'ssd' } });
    expect(verdict(plugin('zone=a, team = b'), attributesFor('CREATE', 'pods', pod))).toBeUndefined();
    expect(specOf(pod)['nodeSelector']).toEqual({ zone: 'a', team: 'b', disk: 'ssd' });
    expect(verdict(plugin('disk=hdd'), attributesFor('CREATE', 'pods', pod))).toBe(
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
    expect(verdict(plugin('nonsense'), attributesFor('CREATE', 'pods', pod))).toBe('invalid selector: [nonsense]');
  });

  test('PodTolerationRestriction adds the default tolerations of the namespace and refuses those that are not in its list', () => {
    const annotations = {
      'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"a","operator":"Exists"}]',
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '[{"key":"a","operator":"Exists"}]',
    };
    const plugin = podTolerationRestriction(listerOf({ metadata: { name: 'ns', annotations } }));
    const pod = podWith();
    expect(verdict(plugin, attributesFor('CREATE', 'pods', pod))).toBeUndefined();
    expect(specOf(pod)['tolerations']).toEqual([{ key: 'a', operator: 'Exists' }]);
    const other = podWith({ tolerations: [{ key: 'b', operator: 'Exists' }] });
    expect(verdict(plugin, attributesFor('CREATE', 'pods', other))).toBe(
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    );
  });

  test('OwnerReferencesPermissionEnforcement requires permission to delete, and to block the deletion of owners', async () => {
    const asked: string[] = [];
    const plugin = ownerReferencesPermissionEnforcement(
      ({ kind }) => (kind === 'Deployment' ? { plural: 'deployments', namespaced: true } : undefined),
      {
        authorize: ({ verb, resource, subresource, namespace }) => {
          asked.push(`${verb} ${namespace}/${resource}/${subresource}`);
          return { decision: verb === 'delete' ? 'allow' : 'no-opinion', reason: 'no', error: '' };
        },
      },
    );
    const owned = (kind: string, blockOwnerDeletion: boolean): JsonObject => ({
      metadata: {
        name: 'c',
        ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'd', uid: 'u', blockOwnerDeletion }],
      },
    });
    const write = (object: JsonObject, oldObject?: JsonObject) =>
      plugin.validate?.(
        attributesFor(oldObject === undefined ? 'CREATE' : 'UPDATE', 'configmaps', object, { oldObject }),
      );
    await write(owned('Deployment', false));
    expect(write(owned('Deployment', true), owned('Deployment', true))).toBeUndefined();
    await write(owned('Deployment', false), { metadata: { name: 'c' } });
    expect(asked).toEqual(['delete ns/configmaps/']);
    await expect(write(owned('Deployment', true))).rejects.toThrow(
      `configmaps "c" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>`,
    );
    expect(asked.slice(1)).toEqual(['update /*/finalizers', 'update ns/deployments/finalizers']);
    await expect(write(owned('Thing', true))).rejects.toThrow(
      'cannot find RESTMapping for APIVersion apps/v1 Kind Thing: no matches for kind "Thing" in version "apps/v1"',
    );
  });

  test('NamespaceExists refuses a missing namespace, NamespaceAutoProvision creates it', async () => {
    const there = listerOf({ metadata: { name: 'ns' } });
    const attributes = attributesFor('CREATE', 'configmaps', { metadata: { name: 'c' } });
    expect(verdict(namespaceExists(there), attributes)).toBeUndefined();
    expect(verdict(namespaceExists(listerOf()), attributes)).toBe('namespaces "ns" not found');
    const made: string[] = [];
    const provision = namespaceAutoProvision(listerOf(), async (name) => void made.push(name));
    await provision.admit?.(attributes);
    await provision.admit?.({ ...attributes, dryRun: true });
    await namespaceAutoProvision(there, async (name) => void made.push(name)).admit?.(attributes);
    expect(made).toEqual(['ns']);
  });

  test('PodNodeSelector has a default and allowed labels of its configuration', () => {
    const configured = new Map([
      ['clusterDefaultNodeSelector', { zone: 'a' }],
      ['ns', { zone: 'a', disk: 'ssd' }],
    ]);
    const plugin = podNodeSelector(listerOf({ metadata: { name: 'ns' } }), configured);
    const pod = podWith();
    expect(verdict(plugin, attributesFor('CREATE', 'pods', pod))).toBeUndefined();
    expect(specOf(pod)['nodeSelector']).toEqual({ zone: 'a' });
    expect(verdict(plugin, attributesFor('CREATE', 'pods', podWith({ nodeSelector: { zone: 'b' } })))).toBe(
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
    expect(verdict(plugin, attributesFor('CREATE', 'pods', podWith({ nodeSelector: { cpu: 'x' } })))).toBe(
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    );
  });

  test('PodTolerationRestriction uses its configuration for namespaces without annotations', () => {
    const configured = {
      defaults: [{ key: 'a', operator: 'Exists' }],
      allowed: [
        { key: 'a', operator: 'Exists' },
        { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' },
      ],
    };
    const create = (annotations: JsonObject, spec: JsonObject = {}) => {
      const plugin = podTolerationRestriction(listerOf({ metadata: { name: 'ns', annotations } }), configured);
      const pod = podWith(spec);
      return verdict(plugin, attributesFor('CREATE', 'pods', pod)) ?? specOf(pod)['tolerations'];
    };
    expect(create({})).toEqual([{ key: 'a', operator: 'Exists' }]);
    expect(create({ 'scheduler.alpha.kubernetes.io/defaultTolerations': '' })).toBeUndefined();
    expect(create({}, { tolerations: [{ key: 'b', operator: 'Exists' }] })).toBe(
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist',
    );
  });
});
