/** Volumes, claims and the storage group. */
import type { JsonDict } from '../../crds/schema.ts';
import type { Subject, Variant } from '../subject.ts';

const META: JsonDict = { labels: { app: 'x' }, annotations: { 'example.com/note': 'a note' } };
const CAPACITY: JsonDict = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
const SECRET: JsonDict = { name: 's', namespace: 'n' };

/** Every source of a PersistentVolume; a volume has one. */
const SOURCES: Readonly<Record<string, JsonDict>> = {
  'host-path': { hostPath: { path: '/data', type: 'Directory' } },
  nfs: { nfs: { server: 'nfs.example.com', path: '/export', readOnly: true } },
  iscsi: {
    iscsi: {
      targetPortal: '10.0.2.15:3260',
      iqn: 'iqn.2001-04.com.example:storage.disk1',
      lun: 1,
      fsType: 'ext4',
      portals: ['10.0.2.16:3260'],
      chapAuthSession: true,
      secretRef: SECRET,
      initiatorName: 'iqn.2001-04.com.example:init',
    },
  },
  fc: { fc: { wwids: ['3600508b400105e210000900000490000'], fsType: 'ext4' } },
  gce: { gcePersistentDisk: { pdName: 'disk', fsType: 'ext4', partition: 1 } },
  aws: { awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'ext4', partition: 1 } },
  gluster: { glusterfs: { endpoints: 'gluster', path: 'vol', endpointsNamespace: 'n' } },
  rbd: { rbd: { monitors: ['10.1.1.1:6789'], image: 'img', secretRef: SECRET } },
  flex: { flexVolume: { driver: 'example.com/driver', secretRef: SECRET, options: { a: 'b' } } },
  cinder: { cinder: { volumeID: 'v', fsType: 'ext4', secretRef: SECRET } },
  cephfs: { cephfs: { monitors: ['10.1.1.1:6789'], secretRef: SECRET } },
  flocker: { flocker: { datasetUUID: 'd' } },
  'azure-file': { azureFile: { secretName: 's', shareName: 'share', secretNamespace: 'n' } },
  'azure-disk': { azureDisk: { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Managed' } },
  vsphere: { vsphereVolume: { volumePath: '[ds] vol', fsType: 'ext4' } },
  quobyte: { quobyte: { registry: 'q.example.com:7861', volume: 'v' } },
  portworx: { portworxVolume: { volumeID: 'v', fsType: 'ext4' } },
  scaleio: { scaleIO: { gateway: 'https://x', system: 's', secretRef: SECRET, volumeName: 'v' } },
  storageos: { storageos: { volumeName: 'v', secretRef: { kind: 'Secret', name: 's', namespace: 'n' } } },
  photon: { photonPersistentDisk: { pdID: 'p', fsType: 'ext4' } },
  local: {
    local: { path: '/mnt/disk', fsType: 'ext4' },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] },
    },
  },
};

const SOURCE_VARIANTS: readonly Variant[] = Object.entries(SOURCES).map(([name, source]) => ({
  name: `kinds-${name}`,
  object: { spec: { ...CAPACITY, ...source } },
}));

export const STORAGE: readonly Subject[] = [
  {
    group: '',
    version: 'v1',
    plural: 'persistentvolumes',
    kind: 'PersistentVolume',
    clusterScoped: true,
    variants: [
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            capacity: { storage: '10Gi' },
            accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
            persistentVolumeReclaimPolicy: 'Delete',
            storageClassName: 'fast',
            mountOptions: ['ro', 'nolock'],
            volumeMode: 'Filesystem',
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [
                  { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] }] },
                ],
              },
            },
            volumeAttributesClassName: 'gold',
            csi: {
              driver: 'csi.example.com',
              volumeHandle: 'h',
              readOnly: true,
              fsType: 'ext4',
              volumeAttributes: { a: 'b' },
              controllerPublishSecretRef: SECRET,
              nodeStageSecretRef: SECRET,
              nodePublishSecretRef: SECRET,
              controllerExpandSecretRef: SECRET,
              nodeExpandSecretRef: SECRET,
            },
          },
        },
        status: { phase: 'Released', message: 'm', reason: 'R' },
      },
      {
        name: 'kinds-bound',
        object: {
          spec: {
            ...CAPACITY,
            claimRef: { kind: 'PersistentVolumeClaim', namespace: 'n', name: 'c', uid: 'u', apiVersion: 'v1' },
            hostPath: { path: '/x' },
            volumeMode: 'Block',
            persistentVolumeReclaimPolicy: 'Recycle',
          },
        },
        status: { phase: 'Bound' },
      },
      ...SOURCE_VARIANTS,
    ],
  },
  {
    group: '',
    version: 'v1',
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    variants: [
      {
        name: 'minimal',
        object: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
      {
        name: 'full',
        object: {
          metadata: META,
          spec: {
            accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
            selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
            resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
            volumeName: 'pv-1',
            storageClassName: 'fast',
            volumeMode: 'Block',
            dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' },
            volumeAttributesClassName: 'gold',
          },
        },
        status: {
          phase: 'Bound',
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          conditions: [
            {
              type: 'Resizing',
              status: 'True',
              lastProbeTime: '2024-01-01T00:00:00Z',
              lastTransitionTime: '2024-01-01T00:00:00Z',
              reason: 'R',
              message: 'm',
            },
          ],
          allocatedResources: { storage: '1Gi' },
          allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
        },
      },
      {
        name: 'clone',
        object: {
          spec: {
            accessModes: ['ReadWriteOncePod'],
            resources: { requests: { storage: '1Gi' } },
            dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'other' },
            storageClassName: '',
          },
        },
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'storageclasses',
    kind: 'StorageClass',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { provisioner: 'csi.example.com' } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          provisioner: 'csi.example.com',
          parameters: { type: 'ssd' },
          reclaimPolicy: 'Retain',
          mountOptions: ['ro'],
          allowVolumeExpansion: true,
          volumeBindingMode: 'WaitForFirstConsumer',
          allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['a', 'b'] }] }],
        },
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    clusterScoped: true,
    variants: [
      {
        name: 'kinds-minimal',
        object: { spec: { attacher: 'csi.example.com', nodeName: 'node-1', source: { persistentVolumeName: 'pv-1' } } },
        status: {
          attached: true,
          attachmentMetadata: { a: 'b' },
          attachError: { time: '2024-01-01T00:00:00Z', message: 'm', errorCode: 5 },
          detachError: { time: '2024-01-01T00:00:00Z', message: 'm' },
        },
      },
      {
        name: 'kinds-inline',
        object: {
          metadata: META,
          spec: {
            attacher: 'csi.example.com',
            nodeName: 'node-1',
            source: {
              inlineVolumeSpec: {
                accessModes: ['ReadWriteOnce'],
                csi: { driver: 'csi.example.com', volumeHandle: 'h' },
              },
            },
          },
        },
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'csidrivers',
    kind: 'CSIDriver',
    clusterScoped: true,
    variants: [
      { name: 'minimal.csi.example.com', object: { spec: {} } },
      {
        name: 'full.csi.example.com',
        object: {
          metadata: META,
          spec: {
            attachRequired: false,
            podInfoOnMount: true,
            volumeLifecycleModes: ['Persistent', 'Ephemeral'],
            storageCapacity: true,
            fsGroupPolicy: 'File',
            tokenRequests: [{ audience: 'vault', expirationSeconds: 3600 }],
            requiresRepublish: true,
            seLinuxMount: true,
            nodeAllocatableUpdatePeriodSeconds: 60,
          },
        },
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'csinodes',
    kind: 'CSINode',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { spec: { drivers: [] } } },
      {
        name: 'kinds-full',
        object: {
          metadata: META,
          spec: {
            drivers: [
              { name: 'csi.example.com', nodeID: 'n1', topologyKeys: ['zone', 'rack'], allocatable: { count: 10 } },
              { name: 'other.example.com', nodeID: 'n2' },
            ],
          },
        },
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'csistoragecapacities',
    kind: 'CSIStorageCapacity',
    variants: [
      { name: 'minimal', object: { storageClassName: 'fast' } },
      {
        name: 'full',
        object: {
          metadata: META,
          nodeTopology: { matchLabels: { zone: 'a' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] },
          storageClassName: 'fast',
          capacity: '100Gi',
          maximumVolumeSize: '10Gi',
        },
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    clusterScoped: true,
    variants: [
      { name: 'kinds-minimal', object: { driverName: 'csi.example.com', parameters: { iops: '1' } } },
      {
        name: 'kinds-full',
        object: { metadata: META, driverName: 'csi.example.com', parameters: { iops: '4000', throughput: '100' } },
      },
    ],
  },
];
