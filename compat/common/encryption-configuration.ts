/** The EncryptionConfiguration of a server, for both sides of a comparison. */

export type EncryptionProvider = Readonly<Record<string, unknown>>;

export interface EncryptionRule {
  readonly resources: readonly string[];
  /** The first one encrypts what is written. All of them are tried for what is read. */
  readonly providers: readonly EncryptionProvider[];
}

export const IDENTITY: EncryptionProvider = { identity: {} };

/** A provider with keys of 32 equal bytes. */
export function keyProvider(
  cipher: string,
  keys: readonly { readonly name: string; readonly fill: number }[],
): EncryptionProvider {
  const withSecrets = keys.map(({ name, fill }) => ({ name, secret: Buffer.alloc(32, fill).toString('base64') }));
  return { [cipher]: { keys: withSecrets } };
}

/** A KMS v2 plugin on a unix socket. Its name must be unique in a configuration. */
export function kmsProvider(socket: string, timeout = '3s'): EncryptionProvider {
  return { kms: { apiVersion: 'v2', name: 'vault', endpoint: `unix://${socket}`, timeout } };
}

/** Returns the text of a configuration file. */
export function encryptionConfiguration(rules: readonly EncryptionRule[]): string {
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: rules,
  });
}
