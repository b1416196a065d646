/**
 * Objects of beta and alpha versions, which `--runtime-config` enables. Versions with the shape of a stable one share
 * its objects.
 */
import type { JsonDict } from '../../crds/schema.ts';
import type { Subject } from '../subject.ts';
import { EXTENSION } from './extension.ts';
import { NETWORK } from './network.ts';
import { STORAGE } from './storage.ts';

const META: JsonDict = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };
const CONDITION: JsonDict = {
  type: 'Ready',
  status: 'True',
  reason: 'Good',
  message: 'fine',
  lastTransitionTime: '2024-01-01T00:00:00Z',
};
const CEL: JsonDict = { cel: { expression: "device.driver == 'gpu.example.com'" } };
const SIGNER = 'example.com/signer';

/** A CA certificate that expires in a hundred years. Its key was not kept. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUNQy0llUfeJXQEGJgzOSy3YEkL3QwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIa2luZHMtY2EwIBcNMjYxMTE1MTUwMzAyWhgPMjEyNjEwMjIx
NTAzMDJaMBMxETAPBgNVBAMMCGtpbmRzLWNhMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEZ++xnngG9u+N2xhAPOF4fb32NlNTs2pHE2W/07X93Rd/xqbyP1KdS1y1
9huuPMesJ17JJ/OPZDFfjJONB/A7SaNTMFEwHQYDVR0OBBYEFB3YSiNFKcYwgbd+
8EZotbrABZKlMB8GA1UdIwQYMBaAFB3YSiNFKcYwgbd+8EZotbrABZKlMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgeAJ9bx8fJNoj9b/+91Jlx2f9
gHelpj4Bcpe+YfYyMQ4CIQDWT6bXIsdfgfUqQA5jPYMGKWHFo4A8UAVn3dfdzGM0
MA==
-----END CERTIFICATE-----
`;

/** Returns the same objects in other versions of the kind. */
function inVersions(all: readonly Subject[], plural: string, versions: readonly string[]): Subject[] {
  const stable = all.filter((subject) => subject.plural === plural);
  return versions.flatMap((version) => stable.map((subject) => ({ ...subject, version, optional: true })));
}

function trustBundles(version: string): Subject {
  return {
    group: 'certificates.k8s.io',
    version,
    plural: 'clustertrustbundles',
    kind: 'ClusterTrustBundle',
    clusterScoped: true,
    optional: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { trustBundle: CERTIFICATE } } },
      {
        name: 'example.com:signer:kinds',
        object: { metadata: META, spec: { signerName: SIGNER, trustBundle: `words\n${CERTIFICATE}` } },
      },
    ],
  };
}

function leaseCandidates(version: string): Subject {
  return {
    group: 'coordination.k8s.io',
    version,
    plural: 'leasecandidates',
    kind: 'LeaseCandidate',
    optional: true,
    variants: [
      {
        name: 'minimal',
        object: {
          spec: {
            leaseName: 'l',
            binaryVersion: '1.36.0',
            strategy: 'OldestEmulationVersion',
            emulationVersion: '1.36.0',
          },
        },
      },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            leaseName: 'l',
            pingTime: '2024-01-01T00:00:00.123456Z',
            renewTime: '2024-01-01T00:00:00.123456Z',
            binaryVersion: '1.36.3',
            emulationVersion: '1.35.0',
            strategy: 'OldestEmulationVersion',
          },
        },
      },
    ],
  };
}

function taintRules(version: string): Subject {
  return {
    group: 'resource.k8s.io',
    version,
    plural: 'devicetaintrules',
    kind: 'DeviceTaintRule',
    clusterScoped: true,
    optional: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { taint: { key: 'a', effect: 'NoSchedule' } } } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            deviceSelector: { driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-1' },
            taint: { key: 'example.com/broken', value: 'x', effect: 'NoExecute', timeAdded: '2024-01-01T00:00:00Z' },
          },
        },
        status: { conditions: [{ ...CONDITION, type: 'EvictionInProgress' }] },
      },
    ],
  };
}

const GROUP: JsonDict = {
  schedulingPolicy: { gang: { minCount: 2 } },
  schedulingConstraints: { topology: [{ key: 'topology.kubernetes.io/zone' }] },
  disruptionMode: 'Pod',
  priorityClassName: 'system-node-critical',
};

export const OPTIONAL: readonly Subject[] = [
  ...inVersions(NETWORK, 'ipaddresses', ['v1beta1']),
  ...inVersions(NETWORK, 'servicecidrs', ['v1beta1']),
  ...inVersions(STORAGE, 'volumeattributesclasses', ['v1beta1']),
  ...inVersions(EXTENSION, 'mutatingadmissionpolicies', ['v1beta1', 'v1alpha1']),
  ...inVersions(EXTENSION, 'mutatingadmissionpolicybindings', ['v1beta1', 'v1alpha1']),
  ...['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'].flatMap((plural) =>
    inVersions(EXTENSION, plural, ['v1beta2']),
  ),
  ...inVersions(EXTENSION, 'deviceclasses', ['v1beta1']),
  {
    group: 'resource.k8s.io',
    version: 'v1beta1',
    plural: 'resourceclaims',
    kind: 'ResourceClaim',
    optional: true,
    variants: [
      {
        name: 'minimal',
        object: { spec: { devices: { requests: [{ name: 'one', deviceClassName: 'gpu.example.com' }] } } },
      },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            devices: {
              requests: [
                {
                  name: 'one',
                  deviceClassName: 'gpu.example.com',
                  selectors: [CEL],
                  allocationMode: 'ExactCount',
                  count: 2,
                  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
                },
                {
                  name: 'some',
                  firstAvailable: [
                    { name: 'big', deviceClassName: 'gpu.example.com', selectors: [CEL], allocationMode: 'All' },
                  ],
                },
              ],
              constraints: [{ requests: ['one'], matchAttribute: 'gpu.example.com/model' }],
            },
          },
        },
        status: {
          allocation: {
            devices: { results: [{ request: 'one', driver: 'gpu.example.com', pool: 'pool-1', device: 'dev-1' }] },
          },
          reservedFor: [{ resource: 'pods', name: 'x', uid: 'u' }],
        },
      },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1beta1',
    plural: 'resourceslices',
    kind: 'ResourceSlice',
    clusterScoped: true,
    optional: true,
    variants: [
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            driver: 'gpu.example.com',
            nodeName: 'node-1',
            pool: { name: 'pool-2', generation: 3, resourceSliceCount: 2 },
            devices: [
              {
                name: 'dev-1',
                basic: {
                  attributes: { model: { string: 'A' }, cores: { int: 4 } },
                  capacity: { memory: { value: '16Gi' } },
                },
              },
              { name: 'dev-2', basic: {} },
            ],
          },
        },
      },
    ],
  },
  taintRules('v1beta2'),
  taintRules('v1alpha3'),
  {
    group: 'resource.k8s.io',
    version: 'v1alpha3',
    plural: 'resourcepoolstatusrequests',
    kind: 'ResourcePoolStatusRequest',
    clusterScoped: true,
    optional: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { driver: 'gpu.example.com' } } },
      {
        name: 'kinds-full',
        object: { metadata: META, spec: { driver: 'gpu.example.com', poolName: 'pool-1', limit: 5 } },
      },
    ],
  },
  leaseCandidates('v1beta1'),
  leaseCandidates('v1alpha2'),
  trustBundles('v1beta1'),
  trustBundles('v1alpha1'),
  {
    group: 'certificates.k8s.io',
    version: 'v1beta1',
    plural: 'podcertificaterequests',
    kind: 'PodCertificateRequest',
    optional: true,
    variants: [
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            signerName: SIGNER,
            podName: 'pod',
            podUID: '11111111-1111-4111-8111-111111111111',
            serviceAccountName: 'default',
            serviceAccountUID: '22222222-2222-4222-8222-222222222222',
            nodeName: 'node-1',
            nodeUID: '33333333-3333-4333-8333-333333333333',
            maxExpirationSeconds: 86400,
            pkixPublicKey: 'MCowBQYDK2VwAyEA6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=',
            // The uid of the pod, signed with the key of 32 sevens.
            proofOfPossession:
              'OWhWSE9kzXEcwjU5qK1+p1jIN0wR18Y24+rEfNoDklul3xKh6oT/NEAr0zBDTUc7pIuUmLJjk7eqlIXW/lm0DA==',
          },
        },
      },
    ],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1alpha2',
    plural: 'workloads',
    kind: 'Workload',
    optional: true,
    variants: [
      { name: 'minimal', object: { spec: { podGroupTemplates: [{ name: 'g', schedulingPolicy: { basic: {} } }] } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'j' },
            podGroupTemplates: [
              { name: 'one', ...GROUP },
              { name: 'two', schedulingPolicy: { basic: {} } },
            ],
          },
        },
      },
    ],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1alpha2',
    plural: 'podgroups',
    kind: 'PodGroup',
    optional: true,
    needs: [
      {
        path: '/apis/scheduling.k8s.io/v1alpha2/namespaces/{ns}/workloads',
        object: { metadata: { name: 'w' }, spec: { podGroupTemplates: [{ name: 'g', ...GROUP }] } },
      },
    ],
    variants: [
      { name: 'minimal', object: { spec: { schedulingPolicy: { basic: {} } } } },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: { podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 'g' } }, ...GROUP },
        },
        status: { conditions: [{ ...CONDITION, type: 'PodGroupScheduled' }] },
      },
    ],
  },
  {
    group: 'storagemigration.k8s.io',
    version: 'v1beta1',
    plural: 'storageversionmigrations',
    kind: 'StorageVersionMigration',
    clusterScoped: true,
    optional: true,
    variants: [
      {
        name: 'kinds-full',
        object: { metadata: META, spec: { resource: { group: 'apps', resource: 'deployments' } } },
        status: { conditions: [{ ...CONDITION, type: 'Running' }], resourceVersion: '7' },
      },
    ],
  },
  {
    group: 'internal.apiserver.k8s.io',
    version: 'v1alpha1',
    plural: 'storageversions',
    kind: 'StorageVersion',
    clusterScoped: true,
    optional: true,
    variants: [
      {
        name: 'example.com.things',
        object: { metadata: META, spec: {} },
        status: {
          storageVersions: [
            { apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1', 'v2'], servedVersions: ['v1'] },
          ],
          commonEncodingVersion: 'v1',
          conditions: [{ ...CONDITION, type: 'AllEncodingVersionsEqual', observedGeneration: 1 }],
        },
      },
    ],
  },
];
