/** The reference's internal types of volumes and claims, which its messages about changed specs show. Invariant: the fields stand in the order of the types. */
import type { Shape, ShapeField } from '../../../shared/go-shape.ts';

const READ_ONLY: ShapeField = ['ReadOnly', 'readOnly', false];
const FS_TYPE: ShapeField = ['FSType', 'fsType', ''];
const SECRET: Shape = [
  ['Name', 'name', ''],
  ['Namespace', 'namespace', ''],
];
const SECRET_REF: ShapeField = ['SecretRef', 'secretRef', null, SECRET];
const OBJECT: Shape = [
  ['Kind', 'kind', ''],
  ['Namespace', 'namespace', ''],
  ['Name', 'name', ''],
  ['UID', 'uid', ''],
  ['APIVersion', 'apiVersion', ''],
  ['ResourceVersion', 'resourceVersion', ''],
  ['FieldPath', 'fieldPath', ''],
];
const REFERENCE: Shape = [
  ['APIGroup', 'apiGroup', null],
  ['Kind', 'kind', ''],
  ['Name', 'name', ''],
];

const PARTITION: ShapeField = ['Partition', 'partition', 0];

export const CLAIM_SPEC_SHAPE: Shape = [
  ['AccessModes', 'accessModes', null],
  ['Selector', 'selector', null, 'tagged'],
  [
    'Resources',
    'resources',
    {},
    [
      ['Limits', 'limits', null],
      ['Requests', 'requests', null],
    ],
  ],
  ['VolumeName', 'volumeName', ''],
  ['StorageClassName', 'storageClassName', null],
  ['VolumeMode', 'volumeMode', null],
  ['DataSource', 'dataSource', null, REFERENCE],
  ['DataSourceRef', 'dataSourceRef', null, [...REFERENCE, ['Namespace', 'namespace', null]]],
  ['VolumeAttributesClassName', 'volumeAttributesClassName', null],
];

/** A projected trust bundle. */
export const TRUST_BUNDLE_SHAPE: Shape = [
  ['Name', 'name', null],
  ['SignerName', 'signerName', null],
  ['LabelSelector', 'labelSelector', null, 'tagged'],
  ['Optional', 'optional', null],
  ['Path', 'path', ''],
];

/** The sources of a PersistentVolume, which are fields of its spec. */
export const PERSISTENT_SOURCE_SHAPE: Shape = [
  ['GCEPersistentDisk', 'gcePersistentDisk', null, [['PDName', 'pdName', ''], FS_TYPE, PARTITION, READ_ONLY]],
  ['AWSElasticBlockStore', 'awsElasticBlockStore', null, [['VolumeID', 'volumeID', ''], FS_TYPE, PARTITION, READ_ONLY]],
  [
    'HostPath',
    'hostPath',
    null,
    [
      ['Path', 'path', ''],
      ['Type', 'type', null],
    ],
  ],
  [
    'Glusterfs',
    'glusterfs',
    null,
    [
      ['EndpointsName', 'endpoints', ''],
      ['Path', 'path', ''],
      READ_ONLY,
      ['EndpointsNamespace', 'endpointsNamespace', null],
    ],
  ],
  ['NFS', 'nfs', null, [['Server', 'server', ''], ['Path', 'path', ''], READ_ONLY]],
  [
    'RBD',
    'rbd',
    null,
    [
      ['CephMonitors', 'monitors', null],
      ['RBDImage', 'image', ''],
      FS_TYPE,
      ['RBDPool', 'pool', ''],
      ['RadosUser', 'user', ''],
      ['Keyring', 'keyring', ''],
      SECRET_REF,
      READ_ONLY,
    ],
  ],
  [
    'Quobyte',
    'quobyte',
    null,
    [
      ['Registry', 'registry', ''],
      ['Volume', 'volume', ''],
      READ_ONLY,
      ['User', 'user', ''],
      ['Group', 'group', ''],
      ['Tenant', 'tenant', ''],
    ],
  ],
  [
    'ISCSI',
    'iscsi',
    null,
    [
      ['TargetPortal', 'targetPortal', ''],
      ['IQN', 'iqn', ''],
      ['Lun', 'lun', 0],
      ['ISCSIInterface', 'iscsiInterface', ''],
      FS_TYPE,
      READ_ONLY,
      ['Portals', 'portals', null],
      ['DiscoveryCHAPAuth', 'chapAuthDiscovery', false],
      ['SessionCHAPAuth', 'chapAuthSession', false],
      SECRET_REF,
      ['InitiatorName', 'initiatorName', null],
    ],
  ],
  [
    'FlexVolume',
    'flexVolume',
    null,
    [['Driver', 'driver', ''], FS_TYPE, SECRET_REF, READ_ONLY, ['Options', 'options', null]],
  ],
  ['Cinder', 'cinder', null, [['VolumeID', 'volumeID', ''], FS_TYPE, READ_ONLY, SECRET_REF]],
  [
    'CephFS',
    'cephfs',
    null,
    [
      ['Monitors', 'monitors', null],
      ['Path', 'path', ''],
      ['User', 'user', ''],
      ['SecretFile', 'secretFile', ''],
      SECRET_REF,
      READ_ONLY,
    ],
  ],
  [
    'FC',
    'fc',
    null,
    [['TargetWWNs', 'targetWWNs', null], ['Lun', 'lun', null], FS_TYPE, READ_ONLY, ['WWIDs', 'wwids', null]],
  ],
  [
    'Flocker',
    'flocker',
    null,
    [
      ['DatasetName', 'datasetName', ''],
      ['DatasetUUID', 'datasetUUID', ''],
    ],
  ],
  [
    'AzureFile',
    'azureFile',
    null,
    [
      ['SecretName', 'secretName', ''],
      ['ShareName', 'shareName', ''],
      READ_ONLY,
      ['SecretNamespace', 'secretNamespace', null],
    ],
  ],
  [
    'VsphereVolume',
    'vsphereVolume',
    null,
    [
      ['VolumePath', 'volumePath', ''],
      FS_TYPE,
      ['StoragePolicyName', 'storagePolicyName', ''],
      ['StoragePolicyID', 'storagePolicyID', ''],
    ],
  ],
  [
    'AzureDisk',
    'azureDisk',
    null,
    [
      ['DiskName', 'diskName', ''],
      ['DataDiskURI', 'diskURI', ''],
      ['CachingMode', 'cachingMode', null],
      ['FSType', 'fsType', null],
      ['ReadOnly', 'readOnly', null],
      ['Kind', 'kind', null],
    ],
  ],
  ['PhotonPersistentDisk', 'photonPersistentDisk', null, [['PdID', 'pdID', ''], FS_TYPE]],
  ['PortworxVolume', 'portworxVolume', null, [['VolumeID', 'volumeID', ''], FS_TYPE, READ_ONLY]],
  [
    'ScaleIO',
    'scaleIO',
    null,
    [
      ['Gateway', 'gateway', ''],
      ['System', 'system', ''],
      SECRET_REF,
      ['SSLEnabled', 'sslEnabled', false],
      ['ProtectionDomain', 'protectionDomain', ''],
      ['StoragePool', 'storagePool', ''],
      ['StorageMode', 'storageMode', ''],
      ['VolumeName', 'volumeName', ''],
      FS_TYPE,
      READ_ONLY,
    ],
  ],
  [
    'Local',
    'local',
    null,
    [
      ['Path', 'path', ''],
      ['FSType', 'fsType', null],
    ],
  ],
  [
    'StorageOS',
    'storageos',
    null,
    [
      ['VolumeName', 'volumeName', ''],
      ['VolumeNamespace', 'volumeNamespace', ''],
      FS_TYPE,
      READ_ONLY,
      ['SecretRef', 'secretRef', null, OBJECT],
    ],
  ],
  [
    'CSI',
    'csi',
    null,
    [
      ['Driver', 'driver', ''],
      ['VolumeHandle', 'volumeHandle', ''],
      READ_ONLY,
      FS_TYPE,
      ['VolumeAttributes', 'volumeAttributes', null],
      ['ControllerPublishSecretRef', 'controllerPublishSecretRef', null, SECRET],
      ['NodeStageSecretRef', 'nodeStageSecretRef', null, SECRET],
      ['NodePublishSecretRef', 'nodePublishSecretRef', null, SECRET],
      ['ControllerExpandSecretRef', 'controllerExpandSecretRef', null, SECRET],
      ['NodeExpandSecretRef', 'nodeExpandSecretRef', null, SECRET],
    ],
  ],
];

/** `nodeAffinity` of a PersistentVolume. */
export const NODE_AFFINITY_SHAPE: Shape = [
  [
    'Required',
    'required',
    null,
    [
      [
        'NodeSelectorTerms',
        'nodeSelectorTerms',
        null,
        [
          ['MatchExpressions', 'matchExpressions', null, requirement()],
          ['MatchFields', 'matchFields', null, requirement()],
        ],
      ],
    ],
  ],
];

function requirement(): Shape {
  return [
    ['Key', 'key', ''],
    ['Operator', 'operator', ''],
    ['Values', 'values', null],
  ];
}

/** The spec of a VolumeAttachment, with the volume that it may describe. */
export const ATTACHMENT_SPEC_SHAPE: Shape = [
  ['Attacher', 'attacher', ''],
  [
    'Source',
    'source',
    {},
    [
      ['PersistentVolumeName', 'persistentVolumeName', null],
      [
        'InlineVolumeSpec',
        'inlineVolumeSpec',
        null,
        [
          ['Capacity', 'capacity', null],
          ...PERSISTENT_SOURCE_SHAPE,
          ['AccessModes', 'accessModes', null],
          ['ClaimRef', 'claimRef', null, OBJECT],
          ['PersistentVolumeReclaimPolicy', 'persistentVolumeReclaimPolicy', ''],
          ['StorageClassName', 'storageClassName', ''],
          ['MountOptions', 'mountOptions', null],
          ['VolumeMode', 'volumeMode', null],
          ['NodeAffinity', 'nodeAffinity', null, NODE_AFFINITY_SHAPE],
          ['VolumeAttributesClassName', 'volumeAttributesClassName', null],
        ],
      ],
    ],
  ],
  ['NodeName', 'nodeName', ''],
];
