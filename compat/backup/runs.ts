/** The runs of the suite: the encryption of the reference and the encoding of its values. */
import type { StorageMediaType } from '../../src/server/registry/stored-forms.ts';
import { encryptionConfiguration, IDENTITY, keyProvider, kmsProvider } from '../common/encryption-configuration.ts';

export interface Run {
  readonly name: string;
  /** Providers by resource, in the order of the configuration; undefined for none. */
  readonly encryption?: readonly (readonly [resource: string, provider: string])[];
  readonly flags?: readonly string[];
}

/** Every version. The reference has some kinds behind feature gates, too. */
export const RUNTIME_CONFIG =
  '--runtime-config=api/all=true,certificates.k8s.io/v1beta1=true,certificates.k8s.io/v1alpha1=true,scheduling.k8s.io/v1alpha2=true,storagemigration.k8s.io/v1beta1=true';

/** The flags of the reference. */
export const FLAGS: readonly string[] = [
  '--disable-admission-plugins=ServiceAccount',
  RUNTIME_CONFIG,
  '--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true,StorageVersionMigrator=true,GenericWorkload=true',
];

/** One provider for each kind of rule, so that one run has all of them. */
export const MIXED: Run = {
  name: 'all providers at once',
  encryption: [
    ['secrets', 'aescbc'],
    ['sails.backup.example.com', 'secretbox'],
    ['*.apps', 'secretbox'],
    ['*.', 'aesgcm'],
    ['*.*', 'aescbc'],
  ],
};

/** With a KMS plugin. The rules of all groups come last, because they would mask it. */
const MIXED_WITH_KMS: Run = { ...MIXED, encryption: [['*.batch', 'kms'], ...(MIXED.encryption ?? [])] };

export const SHORT: readonly Run[] = [MIXED_WITH_KMS];

const JSON_FLAG = '--storage-media-type=application/json';

export const FULL: readonly Run[] = [
  { name: 'not encrypted' },
  { name: 'JSON', flags: [JSON_FLAG] },
  MIXED_WITH_KMS,
  ...['aescbc', 'aesgcm', 'secretbox', 'kms'].map((provider) => ({
    name: provider,
    encryption: [['*.*', provider]] as const,
  })),
];

/**
 * The text of an EncryptionConfiguration. Each rule has a second key and identity, which are not used for writes.
 * `socket` is that of the KMS plugin; one rule at most may have it, because its name is unique.
 */
export function encryptionConfig(rules: NonNullable<Run['encryption']>, socket = ''): string {
  const keys = [
    { name: 'present', fill: 17 },
    { name: 'former', fill: 18 },
  ];
  return encryptionConfiguration(
    rules.map(([resource, provider]) => ({
      resources: [resource],
      providers: [provider === 'kms' ? kmsProvider(socket) : keyProvider(provider, keys), IDENTITY],
    })),
  );
}

/** How the values of a run are encoded. */
export function mediaTypeOf({ flags = [] }: Run): StorageMediaType {
  return flags.includes(JSON_FLAG) ? 'application/json' : 'application/vnd.kubernetes.protobuf';
}
