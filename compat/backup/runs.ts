/** The runs of the suite: the encryption of the reference and the encoding of its values. */

export interface Run {
  readonly name: string;
  /** Providers by resource, in the order of the configuration; undefined for none. */
  readonly encryption?: readonly (readonly [resource: string, provider: string])[];
  readonly flags?: readonly string[];
}

/** One provider for each kind of rule, so that one run has all of them. */
const MIXED: Run = {
  name: 'all providers at once',
  encryption: [
    ['secrets', 'aescbc'],
    ['sails.backup.example.com', 'secretbox'],
    ['*.apps', 'secretbox'],
    ['*.', 'aesgcm'],
    ['*.*', 'aescbc'],
  ],
};

export const SHORT: readonly Run[] = [MIXED];

export const FULL: readonly Run[] = [
  { name: 'not encrypted' },
  { name: 'JSON', flags: ['--storage-media-type=application/json'] },
  MIXED,
  ...['aescbc', 'aesgcm', 'secretbox'].map((provider) => ({
    name: provider,
    encryption: [['*.*', provider]] as const,
  })),
];

/** The text of an EncryptionConfiguration. Each rule has a second key and identity, which are not used for writes. */
export function encryptionConfig(rules: NonNullable<Run['encryption']>): string {
  const secret = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
  const keys = [
    { name: 'present', secret: secret(17) },
    { name: 'former', secret: secret(18) },
  ];
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: rules.map(([resource, provider]) => ({
      resources: [resource],
      providers: [{ [provider]: { keys } }, { identity: {} }],
    })),
  });
}
