import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { isClaimVolume, validateVolumes } from './validate-volumes.ts';
import { setVolumeDefaults } from './volume-defaults.ts';

function issuesOf(volumes: JsonObject[], podName = 'p'): readonly string[] {
  for (const volume of volumes) setVolumeDefaults(volume);
  return validateVolumes(volumes, FieldPath.of('volumes'), { podName }).issues.map(formatIssue);
}

/**
 * The issues of kube-apiserver, without the path of the volume. Projections are validated as if their gates were on.
 */
const CASES: Readonly<Record<string, readonly [JsonObject, readonly string[]]>> = {
  'a path that steps back and an unknown type': [
    { hostPath: { path: '/a/../b', type: 'Bad' } },
    [
      'hostPath.path: Invalid value: "/a/../b": must not contain \'..\'',
      'hostPath.type: Unsupported value: "Bad": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  'a disk without a name': [
    { gcePersistentDisk: { pdName: '', partition: 300 } },
    [
      'persistentDisk.pdName: Required value',
      'persistentDisk.partition: Invalid value: 300: must be between 1 and 255, inclusive',
    ],
  ],
  'a secret with odd items': [
    {
      secret: {
        secretName: 's',
        defaultMode: 512,
        items: [
          { key: '', path: '', mode: -1 },
          { key: 'a', path: '/b' },
          { key: 'a', path: '..x' },
          { key: 'a', path: '../x' },
          { key: 'a', path: 'x/..' },
        ],
      },
    },
    [
      'secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      'secret.items[0].key: Required value',
      'secret.items[0].path: Required value',
      'secret.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
      'secret.items[1].path: Invalid value: "/b": must be a relative path',
      'secret.items[2].path: Invalid value: "..x": must not start with \'..\'',
      'secret.items[3].path: Invalid value: "../x": must not contain \'..\'',
      'secret.items[4].path: Invalid value: "x/..": must not contain \'..\'',
    ],
  ],
  'a relative path of a server': [
    { nfs: { server: 's', path: 'rel' } },
    ['nfs.path: Invalid value: "rel": must be an absolute path'],
  ],
  'an initiator that is none': [
    {
      iscsi: {
        targetPortal: 't',
        iqn: 'iqn.2015-02.example.com:test',
        lun: 256,
        chapAuthSession: true,
        initiatorName: 'bad',
      },
    },
    [
      'iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'iscsi.secretRef: Required value',
      'iscsi.initiatorname: Invalid value: "bad": must be valid format starting with iqn, eui, or naa',
    ],
  ],
  'names that are too long together': [
    {
      iscsi: {
        targetPortal: 't'.repeat(70),
        iqn: 'eui.0123456789abcdef',
        lun: -1,
        chapAuthDiscovery: true,
        secretRef: { name: 'x' },
        initiatorName: 'iqn.2015-02.example.com:init',
      },
    },
    [
      'iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive',
      'name: Invalid value: "v": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ],
  ],
  'a name without a name': [
    { iscsi: { targetPortal: 't', iqn: 'iqn.2015-02.:b', lun: 0 } },
    ['iscsi.iqn: Invalid value: "iqn.2015-02.:b": must be valid format'],
  ],
  'pairs of hosts and ports': [
    { quobyte: { registry: 'r:1,x,[::1]:3,::1:3,[a:b,a]:1,:', volume: '' } },
    [
      'quobyte.registry: Invalid value: "r:1,x,[::1]:3,::1:3,[a:b,a]:1,:": must be a host:port pair or multiple pairs separated by commas',
      'quobyte.registry: Invalid value: "r:1,x,[::1]:3,::1:3,[a:b,a]:1,:": must be a host:port pair or multiple pairs separated by commas',
      'quobyte.registry: Invalid value: "r:1,x,[::1]:3,::1:3,[a:b,a]:1,:": must be a host:port pair or multiple pairs separated by commas',
      'quobyte.registry: Invalid value: "r:1,x,[::1]:3,::1:3,[a:b,a]:1,:": must be a host:port pair or multiple pairs separated by commas',
      'quobyte.volume: Required value',
    ],
  ],
  'files of the downward API': [
    {
      downwardAPI: {
        defaultMode: 9999,
        items: [
          { path: '', mode: -4 },
          { path: '/x', fieldRef: { fieldPath: 'status.podIP' } },
          { path: 'a', fieldRef: { fieldPath: 'metadata.labels' }, resourceFieldRef: { resource: 'limits.cpu' } },
          { path: 'b', resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } },
          { path: 'c', resourceFieldRef: { containerName: 'c', resource: 'limits.x' } },
          { path: 'd', resourceFieldRef: { containerName: 'c', resource: 'limits.memory', divisor: '3' } },
          { path: 'e', resourceFieldRef: { containerName: 'c', resource: 'requests.hugepages-2Mi', divisor: '1Mi' } },
          { path: 'f', fieldRef: { apiVersion: 'v2', fieldPath: 'x' } },
          { path: 'g', fieldRef: { fieldPath: "metadata.labels['a/b/c']" } },
          { path: 'h', fieldRef: { fieldPath: "metadata.annotations['A']" } },
          { path: 'i', fieldRef: { fieldPath: "spec.x['A']" } },
          { path: 'j', fieldRef: { fieldPath: 'spec.host' } },
          { path: 'k', fieldRef: {} },
          { path: 'l', fieldRef: { fieldPath: 'bogus' } },
          { path: 'm', resourceFieldRef: { containerName: 'c', resource: 'requests.ephemeral-storage', divisor: '5' } },
          { path: 'n', resourceFieldRef: { containerName: 'c' } },
        ],
      },
    },
    [
      'downwardAPI.defaultMode: Invalid value: 9999: must be a number between 0 and 0777 (octal), both inclusive',
      'downwardAPI.path: Required value',
      'downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'downwardAPI.mode: Invalid value: -4: must be a number between 0 and 0777 (octal), both inclusive',
      'downwardAPI.path: Invalid value: "/x": must be a relative path',
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "status.podIP": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      'downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      'downwardAPI.resourceFieldRef.containerName: Required value',
      'downwardAPI.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
      'downwardAPI.resourceFieldRef.resource: Unsupported value: "limits.x": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      'downwardAPI.resourceFieldRef.divisor: Invalid value: "limits.memory": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource',
      'downwardAPI.fieldRef.fieldPath: Invalid value: "x": error converting fieldPath: unsupported pod version: v2',
      "downwardAPI.fieldRef: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      "downwardAPI.fieldRef.fieldPath: Invalid value: \"spec.x['A']\": error converting fieldPath: field label does not support subscript: spec.x['A']",
      'downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
      'downwardAPI.fieldRef.fieldPath: Required value',
      'downwardAPI.fieldRef.fieldPath: Invalid value: "bogus": error converting fieldPath: field label not supported: bogus',
      'downwardAPI.resourceFieldRef.divisor: Invalid value: "requests.ephemeral-storage": only divisor\'s values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource',
      'downwardAPI.resourceFieldRef.resource: Required value',
    ],
  ],
  'two ways to name a target': [
    { fc: { targetWWNs: ['a'], wwids: ['b'] } },
    [
      'fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
      'fc.lun: Required value: lun is required if targetWWNs is specified',
    ],
  ],
  'reserved options': [
    { flexVolume: { options: { 'kubernetes.io/a': 'b', 'x.K8S.io': '1', 'k8s.iox/a': '', 'ak8s.io/b': '' } } },
    [
      'flexVolume.driver: Required value',
      'flexVolume.options[kubernetes.io/a]: Invalid value: "kubernetes.io/a": kubernetes.io and k8s.io namespaces are reserved',
      'flexVolume.options[x.K8S.io]: Invalid value: "x.K8S.io": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  'unknown modes of a disk': [
    { azureDisk: { diskName: 'd', diskURI: 'u', cachingMode: 'X', kind: 'Y' } },
    [
      'azureDisk.cachingMode: Unsupported value: "X": supported values: "None", "ReadOnly", "ReadWrite"',
      'azureDisk.kind: Unsupported value: "Y": supported values: "Dedicated", "Managed", "Shared"',
      'azureDisk.diskURI: Unsupported value: "u": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  ],
  'a driver with a bad name': [
    { csi: { driver: `Bad_Name.${'a'.repeat(70)}`, nodePublishSecretRef: { name: 'Bad_' } } },
    [
      'csi.driver: Too long: may not be more than 63 bytes',
      `csi.driver: Invalid value: "Bad_Name.${'a'.repeat(70)}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      "csi.name: Invalid value: \"Bad_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  'a claim template with metadata of its own': [
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: {
            name: 'n',
            namespace: 'x',
            uid: 'u',
            labels: { 'a b': 'c d' },
            annotations: { 'a b': 'x' },
            finalizers: ['x'],
            ownerReferences: [{ apiVersion: 'v1', kind: 'k', name: 'n', uid: 'u' }],
            generation: 3,
            creationTimestamp: '2020-01-01T00:00:00Z',
          },
          spec: {},
        },
      },
    },
    [
      "ephemeral.volumeClaimTemplate.metadata.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.metadata.namespace: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.metadata.uID: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.metadata.generation: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.metadata.creationTimestamp: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.metadata.ownerReferences: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.metadata.finalizers: Forbidden: cannot be set',
      'ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
      'ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
  ],
  'a claim template with a bad spec': [
    {
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ['ReadWriteOnce', 'ReadWriteOncePod', 'X'],
            resources: { requests: { storage: '0' } },
            storageClassName: 'A_',
            volumeMode: 'Z',
            volumeAttributesClassName: 'B_',
            selector: {
              matchLabels: { 'a b': 'c d' },
              matchExpressions: [
                { key: 'x', operator: 'Bad' },
                { key: 'y', operator: 'In' },
              ],
            },
            dataSource: { kind: 'Pod', name: '' },
            dataSourceRef: { apiGroup: 'A_', kind: '', name: 'b', namespace: 'N_' },
          },
        },
      },
    },
    [
      "ephemeral.volumeClaimTemplate.spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      "ephemeral.volumeClaimTemplate.spec.selector.matchLabels: Invalid value: \"c d\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'ephemeral.volumeClaimTemplate.spec.selector.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator',
      "ephemeral.volumeClaimTemplate.spec.selector.matchExpressions[1].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero',
      "ephemeral.volumeClaimTemplate.spec.storageClassName: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Z": supported values: "Block", "Filesystem"',
      'ephemeral.volumeClaimTemplate.spec.dataSource.name: Required value',
      'ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "Pod": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
      'ephemeral.volumeClaimTemplate.spec.dataSourceRef.kind: Required value',
      "ephemeral.volumeClaimTemplate.spec.dataSourceRef.apiGroup: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "ephemeral.volumeClaimTemplate.spec.dataSourceRef.namespace: Invalid value: \"N_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'ephemeral.volumeClaimTemplate.spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified',
      "ephemeral.volumeClaimTemplate.spec.volumeAttributesClassName: Invalid value: \"B_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  projections: [
    {
      projected: {
        defaultMode: 4096,
        sources: [
          {},
          { secret: {} },
          {
            configMap: {
              items: [
                { key: 'a', path: 'x' },
                { key: 'a', path: 'x' },
              ],
            },
          },
          { secret: { name: 's', items: [{ key: 'a', path: 'x' }] } },
          { downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }, { path: 'y' }] } },
          { serviceAccountToken: { path: '', expirationSeconds: 5 } },
          { serviceAccountToken: { path: '../x', expirationSeconds: 5000000000 } },
          { secret: { name: 'a' }, configMap: { name: 'b' } },
        ],
      },
    },
    [
      'projected.defaultMode: Invalid value: 4096: must be a number between 0 and 0777 (octal), both inclusive',
      'projected.sources[1].secret.name: Required value',
      'projected.sources[2].configMap.name: Required value',
      'projected: Invalid value: "": conflicting duplicate paths',
      'projected: Invalid value: "s": conflicting duplicate paths',
      'projected: Invalid value: "x": conflicting duplicate paths',
      'projected.sources[4].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'projected.sources[5].serviceAccountToken.expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      'projected.path: Required value',
      'projected.sources[6].serviceAccountToken.expirationSeconds: Invalid value: 5000000000: may not specify a duration larger than 2^32 seconds',
      'projected.path: Invalid value: "../x": must not contain \'..\'',
      'projected.sources[7]: Forbidden: may not specify more than 1 volume type per source',
    ],
  ],
  'projections behind feature gates': [
    { projected: { sources: [{ clusterTrustBundle: { path: 'a' } }, { podCertificate: { keyType: 'x' } }] } },
    [
      'projected.sources[0].clusterTrustBundle: Required value: either name or signerName must be specified',
      'projected.sources[1].podCertificate.signerName: Required value',
      'projected.sources[1].podCertificate.keyType: Unsupported value: "x": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"',
      'projected.sources[1].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath',
    ],
  ],
  'several sources': [
    {
      hostPath: { path: '' },
      secret: {},
      configMap: {},
      cephfs: {},
      downwardAPI: {},
      gcePersistentDisk: {},
      emptyDir: {},
    },
    [
      'hostPath: Forbidden: may not specify more than 1 volume type',
      'gcePersistentDisk: Forbidden: may not specify more than 1 volume type',
      'secret: Forbidden: may not specify more than 1 volume type',
      'cephFS: Forbidden: may not specify more than 1 volume type',
      'downwarAPI: Forbidden: may not specify more than 1 volume type',
      'configMap: Forbidden: may not specify more than 1 volume type',
    ],
  ],
};

describe('a volume', () => {
  for (const [title, [volume, issues]] of Object.entries(CASES))
    test(`is invalid: ${title}`, () => {
      expect(issuesOf([{ name: 'v', ...volume }]).map((issue) => issue.replace(/^volumes\[0\]\.?/, ''))).toEqual(
        issues,
      );
    });

  test('has a unique name', () => {
    expect(issuesOf([{ name: 'v' }, { name: 'v' }, { name: '' }, { name: 'a.b' }])).toEqual([
      'volumes[1].name: Duplicate value: "v"',
      'volumes[2].name: Required value',
      'volumes[3].name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  test('can be referred to if it is valid', () => {
    const volumes: JsonObject[] = [
      { name: 'a', emptyDir: {} },
      { name: 'b', secret: {} },
      { name: 'c', persistentVolumeClaim: { claimName: 'x' } },
    ];
    const { byName } = validateVolumes(volumes, FieldPath.of('volumes'));
    expect([...byName.keys()]).toEqual(['a', 'c']);
    expect([...byName.values()].map(isClaimVolume)).toEqual([false, true]);
  });

  test('of a template may have no image reference', () => {
    expect(issuesOf([{ name: 'v', image: {} }], '')).toEqual([]);
    expect(issuesOf([{ name: 'v', image: {} }])).toEqual(['volumes[0].image.reference: Required value']);
  });

  test('does not refer to a claim that is created for an ephemeral volume', () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } };
    const volumes: JsonObject[] = [
      { name: 'v', ephemeral: { volumeClaimTemplate: { spec } } },
      { name: 'w', persistentVolumeClaim: { claimName: 'p-v' } },
    ];
    expect(issuesOf(volumes)).toEqual([
      'volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that gets created for an ephemeral volume',
    ]);
  });

  test('has an initiator name that is validated in linear time', () => {
    const iscsi = (iqn: string) => issuesOf([{ name: 'v', iscsi: { targetPortal: 't', iqn, lun: 0 } }]).length;
    expect(iscsi('iqnx;iqn.2015-02.a:b')).toBe(0);
    expect(iscsi('iqn.2015-02.a::')).toBe(0);
    expect(iscsi('eui.0123456789abcdef')).toBe(0);
    expect(iscsi('iqn.2015-02.a:')).toBe(1);
    expect(iscsi('iqn.2015-02.'.repeat(100_000))).toBe(1);
    expect(iscsi(`iqn${':a'.repeat(300_000)};`)).toBe(1);
  });
});
