import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { attributesFor, listerOf, podWith, readerOf, verdict } from './admission.fixtures.ts';
import { certificateApproval, certificateSigning } from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { denyServiceExternalIps } from './deny-service-external-ips.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-plugins.ts';
import { podNodeSelector, podTolerationRestriction } from './namespace-scheduling.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { nodeDeclaredFeatureValidator, podResizeValidator } from './pod-node-updates.ts';
import { alwaysPullImages, extendedResourceToleration, limitPodHardAntiAffinityTopology } from './pod-policies.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priority } from './priority.ts';
import { runtimeClass } from './runtime-class.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

function specOf(object: JsonObject): JsonObject {
  return objectAt(object, 'spec') ?? {};
}

describe('Priority', () => {
  const high = { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' };
  const usual = {
    metadata: { name: 'usual' },
    value: 7,
    globalDefault: true,
    preemptionPolicy: 'PreemptLowerPriority',
  };

  test('gives a pod the number and policy of its class, or of the default class', () => {
    const named = podWith({ priorityClassName: 'high' });
    expect(verdict(priority(listerOf(high, usual)), attributesFor('CREATE', 'pods', named))).toBeUndefined();
    expect(specOf(named)).toMatchObject({ priority: 1000, preemptionPolicy: 'Never' });
    const unnamed = podWith();
    verdict(priority(listerOf(high, usual)), attributesFor('CREATE', 'pods', unnamed));
    expect(specOf(unnamed)).toMatchObject({ priorityClassName: 'usual', priority: 7 });
    const plain = podWith();
    verdict(priority(listerOf(high)), attributesFor('CREATE', 'pods', plain));
    expect(specOf(plain)).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(specOf(plain)).not.toHaveProperty('priorityClassName');
  });

  test('refuses a class that is missing and a number that is not that of the class', () => {
    const create = (spec: JsonObject): string | undefined =>
      verdict(priority(listerOf(high)), attributesFor('CREATE', 'pods', podWith(spec)));
    expect(create({ priorityClassName: 'low' })).toBe(
      'pods "p" is forbidden: no PriorityClass with name low was found',
    );
    expect(create({ priorityClassName: 'high', priority: 5 })).toBe(
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    );
  });

  test('keeps what an update leaves out', () => {
    const pod = podWith();
    const oldObject = podWith({ priority: 3, preemptionPolicy: 'Never' });
    verdict(priority(listerOf()), attributesFor('UPDATE', 'pods', pod, { oldObject }));
    expect(specOf(pod)).toMatchObject({ priority: 3, preemptionPolicy: 'Never' });
  });

  test('lets one class be the default', () => {
    const write = (operation: 'CREATE' | 'UPDATE', name: string): string | undefined =>
      verdict(
        priority(listerOf(usual)),
        attributesFor(operation, 'priorityclasses.scheduling.k8s.io', { metadata: { name }, globalDefault: true }),
      );
    expect(write('CREATE', 'other')).toBe(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    );
    expect(write('UPDATE', 'usual')).toBeUndefined();
  });
});

describe('defaults of pods and nodes', () => {
  test('a pod tolerates nodes that are not ready or not reachable for a while, unless it says how long', () => {
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 };
    const pod = podWith({ tolerations: [own] });
    verdict(defaultTolerationSeconds({ unreachableSeconds: 60 }), attributesFor('CREATE', 'pods', pod));
    expect(specOf(pod)['tolerations']).toEqual([
      own,
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    ]);
    const all = podWith({ tolerations: [{ operator: 'Exists' }] });
    verdict(defaultTolerationSeconds(), attributesFor('CREATE', 'pods', all));
    expect(specOf(all)['tolerations']).toEqual([{ operator: 'Exists' }]);
  });

  test('a new node is tainted once', () => {
    const node: JsonObject = { metadata: { name: 'n' } };
    for (let i = 0; i < 2; i++) verdict(taintNodesByCondition(), attributesFor('CREATE', 'nodes', node));
    expect(specOf(node)['taints']).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  });

  test('a pod that begins on a node, or is bound to one, carries its zone and region', () => {
    const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'o' };
    const plugin = podTopologyLabels(readerOf({ metadata: { name: 'n', labels } }));
    const pod = podWith({ nodeName: 'n' });
    verdict(plugin, attributesFor('CREATE', 'pods', pod));
    const expected = { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'z' };
    expect(objectAt(pod, 'metadata', 'labels')).toEqual(expected);
    const binding: JsonObject = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    verdict(plugin, attributesFor('CREATE', 'pods', binding, { subresource: 'binding' }));
    expect(objectAt(binding, 'metadata', 'labels')).toEqual(expected);
    expect(verdict(plugin, attributesFor('CREATE', 'pods', podWith({ nodeName: 'gone' })))).toBeUndefined();
  });

  test('a pod gets the overhead, the selector and the tolerations of its runtime', () => {
    const gvisor = {
      metadata: { name: 'gvisor' },
      overhead: { podFixed: { cpu: '250m' } },
      scheduling: { nodeSelector: { runtime: 'gvisor' }, tolerations: [{ key: 'g', operator: 'Exists' }] },
    };
    const plugin = runtimeClass(listerOf(gvisor));
    const pod = podWith({
      runtimeClassName: 'gvisor',
      overhead: { cpu: '0.25' },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'g', operator: 'Equal', value: 'x' }],
    });
    expect(verdict(plugin, attributesFor('CREATE', 'pods', pod))).toBeUndefined();
    expect(specOf(pod)).toMatchObject({
      overhead: { cpu: '250m' },
      nodeSelector: { disk: 'ssd', runtime: 'gvisor' },
      tolerations: [{ key: 'g', operator: 'Exists' }],
    });
    const create = (spec: JsonObject): string | undefined =>
      verdict(plugin, attributesFor('CREATE', 'pods', podWith(spec)));
    expect(create({ runtimeClassName: 'none' })).toBe(
      'pods "p" is forbidden: pod rejected: RuntimeClass "none" not found',
    );
    expect(create({ runtimeClassName: 'gvisor', overhead: { cpu: '1' } })).toBe(
      "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
    expect(create({ overhead: { cpu: '1' } })).toBe(
      'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    );
    expect(create({ runtimeClassName: 'gvisor', nodeSelector: { runtime: 'runc' } })).toBe(
      'pods "p" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[runtime] = gvisor; pod.spec.nodeSelector[runtime] = runc',
    );
  });
});

describe('pods that change on a node', () => {
  const node = {
    metadata: { name: 'n', labels: { 'kubernetes.io/os': 'linux' } },
    status: { allocatable: { cpu: '1', memory: '1Gi' }, declaredFeatures: [] },
  };
  const pod = (cpu: string, generation: number): JsonObject =>
    podWith(
      {
        nodeName: 'n',
        containers: [{ name: 'c', resources: { requests: { cpu } } }],
        resources: { requests: { cpu } },
      },
      { generation },
    );
  const resize = (object: JsonObject, oldObject: JsonObject) =>
    attributesFor('UPDATE', 'pods', object, { oldObject, subresource: 'resize' });

  test('do not grow beyond it', () => {
    const check = podResizeValidator(readerOf(node));
    expect(verdict(check, resize(pod('1500m', 2), pod('1', 1)))).toBe(
      'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 1500, allocatable: 1000',
    );
    expect(verdict(check, resize(pod('1500m', 1), pod('1', 1)))).toBeUndefined();
    expect(verdict(podResizeValidator(readerOf()), resize(pod('1', 2), pod('2', 1)))).toBe(
      'pods "p" is forbidden: node "n" not found',
    );
    const windows = { ...node, metadata: { name: 'n', labels: { 'kubernetes.io/os': 'windows' } } };
    expect(verdict(podResizeValidator(readerOf(windows)), resize(pod('1', 2), pod('2', 1)))).toBe(
      'pods "p" is forbidden: pod resize is only supported on linux nodes, node "n" is "windows"',
    );
  });

  test('need what the node declares', () => {
    const check = nodeDeclaredFeatureValidator(readerOf(node));
    expect(verdict(check, resize(pod('2', 2), pod('1', 1)))).toBe(
      'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "n"',
    );
    expect(verdict(check, resize(pod('1', 2), pod('1', 1)))).toBeUndefined();
  });
});

describe('storage and ingress', () => {
  test('volumes, claims and attribute classes are held by a finalizer', () => {
    const claim: JsonObject = { metadata: { name: 'c', finalizers: ['mine/x'] } };
    const attributes = attributesFor('CREATE', 'persistentvolumeclaims', claim);
    verdict(storageObjectInUseProtection(), attributes);
    verdict(storageObjectInUseProtection(), attributes);
    expect(claim['metadata']).toEqual({ name: 'c', finalizers: ['mine/x', 'kubernetes.io/pvc-protection'] });
  });

  test('of several default classes the newest counts, then the first by name', () => {
    const made = (name: string, creationTimestamp: string) => ({
      metadata: {
        name,
        creationTimestamp,
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
    });
    const classes = listerOf(
      made('a', '2024-01-01T00:00:00Z'),
      made('b', '2024-01-02T00:00:00Z'),
      made('c', '2024-01-02T00:00:00Z'),
    );
    const claim: JsonObject = { metadata: { name: 'c' }, spec: {} };
    verdict(defaultStorageClass(classes), attributesFor('CREATE', 'persistentvolumeclaims', claim));
    expect(specOf(claim)['storageClassName']).toBe('b');
    for (const given of [
      { metadata: { name: 'c' }, spec: { storageClassName: '' } },
      { metadata: { name: 'c', annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } }, spec: {} },
    ]) {
      const before = structuredClone(given);
      verdict(defaultStorageClass(classes), attributesFor('CREATE', 'persistentvolumeclaims', given));
      expect(given).toEqual(before);
    }
  });

  test('an ingress without a class gets the default one', () => {
    const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
    const plugin = defaultIngressClass(listerOf({ metadata: { name: 'nginx', annotations } }));
    const ingress: JsonObject = { metadata: { name: 'i' }, spec: {} };
    verdict(plugin, attributesFor('CREATE', 'ingresses.networking.k8s.io', ingress));
    expect(specOf(ingress)).toEqual({ ingressClassName: 'nginx' });
  });

  test('a claim grows only when it is bound and its class allows it', () => {
    const claim = (storage: string, phase: string, storageClassName = 'grows'): JsonObject => ({
      metadata: { name: 'c' },
      spec: { storageClassName, resources: { requests: { storage } } },
      status: { phase },
    });
    const plugin = persistentVolumeClaimResize(
      listerOf({ metadata: { name: 'grows' }, allowVolumeExpansion: true }, { metadata: { name: 'stays' } }),
    );
    const update = (object: JsonObject, oldObject: JsonObject): string | undefined =>
      verdict(plugin, attributesFor('UPDATE', 'persistentvolumeclaims', object, { oldObject }));
    expect(update(claim('2Gi', 'Bound'), claim('1Gi', 'Bound'))).toBeUndefined();
    expect(update(claim('1Gi', 'Bound', 'stays'), claim('1024Mi', 'Pending', 'stays'))).toBeUndefined();
    expect(update(claim('2Gi', 'Bound'), claim('1Gi', 'Pending'))).toBe(
      'persistentvolumeclaims "c" is forbidden: Only bound persistent volume claims can be expanded',
    );
    expect(update(claim('2Gi', 'Bound', 'stays'), claim('1Gi', 'Bound', 'stays'))).toBe(
      'persistentvolumeclaims "c" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    );
  });
});

describe('certificates', () => {
  const asked: string[] = [];
  const authorizer = (allowed: string) => () => ({
    authorize: ({ verb, name }: { readonly verb: string; readonly name: string }) => {
      asked.push(`${verb} ${name}`);
      return { decision: name === allowed ? ('allow' as const) : ('no-opinion' as const), reason: '', error: '' };
    },
  });
  const request = (status: JsonObject): JsonObject => ({
    metadata: { name: 'r' },
    spec: { signerName: 'example.com/client' },
    status,
  });
  const update = (subresource: string, object: JsonObject) =>
    attributesFor('UPDATE', 'certificatesigningrequests.certificates.k8s.io', object, {
      subresource,
      oldObject: request({}),
    });

  test('are approved by who may approve for the signer or for its domain', () => {
    const approve = (allowed: string): string | undefined =>
      verdict(certificateApproval(authorizer(allowed)), update('approval', request({})));
    expect(approve('example.com/*')).toBeUndefined();
    expect(asked).toEqual(['approve example.com/client', 'approve example.com/*']);
    expect(approve('other.com/*')).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/client"',
    );
  });

  test('are signed by who may sign, while other fields of the status are free', () => {
    const plugin = certificateSigning(authorizer('nobody'));
    expect(verdict(plugin, update('status', request({})))).toBeUndefined();
    expect(verdict(plugin, update('status', request({ certificate: 'YQ==' })))).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to sign requests with signerName "example.com/client"',
    );
  });
});

describe('plugins that are off by default', () => {
  test('AlwaysPullImages changes pods with new images alone', () => {
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

  test('LimitPodHardAntiAffinityTopology allows nodes alone', () => {
    const pod = podWith({
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] },
      },
    });
    expect(verdict(limitPodHardAntiAffinityTopology(), attributesFor('CREATE', 'pods', pod))).toBe(
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
    );
  });

  test('ExtendedResourceToleration tolerates the taint of what a pod asks for', () => {
    const pod = podWith({
      containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1', cpu: '1' } } }],
      tolerations: [{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 4 }],
    });
    verdict(extendedResourceToleration(), attributesFor('CREATE', 'pods', pod));
    expect(specOf(pod)['tolerations']).toEqual([{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
  });

  test('DenyServiceExternalIPs keeps the addresses that are there', () => {
    const service = (...externalIPs: string[]): JsonObject => ({ metadata: { name: 's' }, spec: { externalIPs } });
    const update = (object: JsonObject, oldObject: JsonObject): string | undefined =>
      verdict(denyServiceExternalIps(), attributesFor('UPDATE', 'services', object, { oldObject }));
    expect(update(service('1.1.1.1'), service('1.1.1.1', '2.2.2.2'))).toBeUndefined();
    expect(update(service('3.3.3.3'), service('1.1.1.1'))).toBe(
      'services "s" is forbidden: Use of external IPs is denied by admission control',
    );
  });

  test('PodNodeSelector adds the selector of the namespace, or refuses', () => {
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

  test('PodTolerationRestriction adds the tolerations of the namespace and allows those of its list', () => {
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

  test('OwnerReferencesPermissionEnforcement asks for who may delete and who may hold up owners', async () => {
    const asked: string[] = [];
    const plugin = ownerReferencesPermissionEnforcement(
      ({ kind }) => (kind === 'Deployment' ? { plural: 'deployments', namespaced: true } : undefined),
      () => ({
        authorize: ({ verb, resource, subresource, namespace }) => {
          asked.push(`${verb} ${namespace}/${resource}/${subresource}`);
          return { decision: verb === 'delete' ? 'allow' : 'no-opinion', reason: 'no', error: '' };
        },
      }),
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

  test('a namespace has to exist, or is made with its first object', async () => {
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
});
