import { describe, expect, test } from 'vitest';
import { objectAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { attributesFor, listerOf, podWith, readerOf, verdict } from './admission.fixtures.ts';
import { certificateApproval, certificateSigning } from './certificates.ts';
import { defaultIngressClass, defaultStorageClass } from './default-class.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { defaultTolerationSeconds } from './pod/default-toleration-seconds.ts';
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './pod/pod-groups.ts';
import { nodeDeclaredFeatureValidator, podResizeValidator } from './pod/pod-node-updates.ts';
import { podTopologyLabels } from './pod/pod-topology-labels.ts';
import { priority } from './pod/priority.ts';
import { runtimeClass } from './pod/runtime-class.ts';
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

  test("sets priority and policy of the pod's class, or of the default class", () => {
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

  test('refuses a missing class and a priority that differs from the class', () => {
    const create = (spec: JsonObject): string | undefined =>
      verdict(priority(listerOf(high)), attributesFor('CREATE', 'pods', podWith(spec)));
    expect(create({ priorityClassName: 'low' })).toBe(
      'pods "p" is forbidden: no PriorityClass with name low was found',
    );
    expect(create({ priorityClassName: 'high', priority: 5 })).toBe(
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    );
  });

  test('restores the fields that an update omits', () => {
    const pod = podWith();
    const oldObject = podWith({ priority: 3, preemptionPolicy: 'Never' });
    verdict(priority(listerOf()), attributesFor('UPDATE', 'pods', pod, { oldObject }));
    expect(specOf(pod)).toMatchObject({ priority: 3, preemptionPolicy: 'Never' });
  });

  test('allows one default class', () => {
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
  test('a pod gets tolerations for nodes that are not ready or unreachable, unless it has its own', () => {
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

  test('a pod that is created on a node, or bound to it, gets its zone and region labels', () => {
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

  test('a pod gets overhead, node selector and tolerations of its RuntimeClass', () => {
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

describe('updates of a pod on a node', () => {
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

  test('are refused beyond the allocatable resources', () => {
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

  test('are refused if the node lacks a required feature', () => {
    const check = nodeDeclaredFeatureValidator(readerOf(node));
    expect(verdict(check, resize(pod('2', 2), pod('1', 1)))).toBe(
      'pods "p" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "n"',
    );
    expect(verdict(check, resize(pod('1', 2), pod('1', 1)))).toBeUndefined();
  });
});

describe('storage and ingress', () => {
  test('volumes, claims and volume attributes classes get a finalizer', () => {
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

  test('a claim can grow only if it is bound and its class allows expansion', () => {
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

describe('certificate signing requests', () => {
  const asked: string[] = [];
  const authorizer = (allowed: string) => ({
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

  test('can be approved with permission for the signer or for its domain', () => {
    const approve = (allowed: string): string | undefined =>
      verdict(certificateApproval(authorizer(allowed)), update('approval', request({})));
    expect(approve('example.com/*')).toBeUndefined();
    expect(asked).toEqual(['approve example.com/client', 'approve example.com/*']);
    expect(approve('other.com/*')).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/client"',
    );
  });

  test('can be signed with permission for the signer; other status fields need none', () => {
    const plugin = certificateSigning(authorizer('nobody'));
    expect(verdict(plugin, update('status', request({})))).toBeUndefined();
    expect(verdict(plugin, update('status', request({ certificate: 'YQ==' })))).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to sign requests with signerName "example.com/client"',
    );
  });
});

describe('pod groups', () => {
  const workload = { metadata: { name: 'w', namespace: 'ns' }, spec: { podGroupTemplates: [{ name: 't' }] } };
  const group = (workloadName: string, podGroupTemplateName: string): JsonObject => ({
    metadata: { name: 'g', namespace: 'ns' },
    spec: { podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } } },
  });

  test('get a finalizer and need an existing template', () => {
    const create = (object: JsonObject): string | undefined =>
      verdict(
        podGroupWorkloadExists(readerOf(workload)),
        attributesFor('CREATE', 'podgroups.scheduling.k8s.io', object),
      );
    expect(create(group('w', 't'))).toBeUndefined();
    expect(create(group('x', 't'))).toBe(
      'podgroups.scheduling.k8s.io "g" is forbidden: PodGroup rejected: Workload "x" not found',
    );
    expect(create(group('w', 'u'))).toBe(
      'podgroups.scheduling.k8s.io "g" is forbidden: PodGroup rejected: PodGroupTemplate "u" not found in Workload "w"',
    );
    const made = group('w', 't');
    verdict(podGroupProtection(), attributesFor('CREATE', 'podgroups.scheduling.k8s.io', made));
    expect(objectAt(made, 'metadata')?.['finalizers']).toEqual(['scheduling.k8s.io/podgroup-protection']);
  });

  test('with gang scheduling fix the parallelism of their Job, if pod groups are served', () => {
    const gang = {
      metadata: { name: 'g', namespace: 'ns', ownerReferences: [{ uid: 'u', controller: true }] },
      spec: { schedulingPolicy: { gang: {} } },
    };
    const job = (parallelism: number): JsonObject => ({ metadata: { name: 'j', uid: 'u' }, spec: { parallelism } });
    const resize = (isServed: boolean): string | undefined =>
      verdict(
        jobValidation(listerOf(gang), () => isServed),
        attributesFor('UPDATE', 'jobs.batch', job(2), { oldObject: job(1) }),
      );
    expect(resize(false)).toBeUndefined();
    expect(resize(true)).toBe(
      'jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "g"',
    );
  });
});
