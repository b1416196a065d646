/**
 * Kubeconfig files for one server and one user. A file contains all credentials inline, and only its owner may read it.
 */
import { writeYaml } from '../apimachinery/codec/yaml/yaml-write.ts';
import { encodeBase64 } from '../base/base64.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { ConfigError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import { writeSecretFile } from './secret-file.ts';

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM, one certificate or several. */
  readonly caPem: string;
  readonly credentials:
    | { readonly kind: 'certificate'; readonly certificatePem: string; readonly keyPem: string }
    | { readonly kind: 'token'; readonly token: string };
  /**
   * Names in the file. Default: `keelson` and `kubernetes-admin`. The context is named `user@cluster`, as kubeadm does.
   */
  readonly cluster?: string;
  readonly user?: string;
  /** Default: none, which clients read as `default`. */
  readonly namespace?: string;
}

/** Returns the text of the file. Throws ConfigError if the server is not an http or https URL. */
export function formatKubeconfig(options: KubeconfigOptions): string {
  const { server, credentials, cluster = 'keelson', user = 'kubernetes-admin', namespace } = options;
  if (!/^https?:$/.test(URL.canParse(server) ? new URL(server).protocol : ''))
    throw new ConfigError(`${JSON.stringify(server)} is not the URL of a server`);
  const context = `${user}@${cluster}`;
  const userFields: JsonObject =
    credentials.kind === 'token'
      ? { token: credentials.token }
      : {
          'client-certificate-data': encodeData(credentials.certificatePem),
          'client-key-data': encodeData(credentials.keyPem),
        };
  return writeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': encodeData(options.caPem) } }],
    contexts: [{ name: context, context: { cluster, user, ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': context,
    users: [{ name: user, user: userFields }],
  });
}

/**
 * Writes the file atomically, with mode 0600. Replaces an existing file and merges nothing. Throws ConfigError naming
 * the path.
 */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  await writeSecretFile(path, formatKubeconfig(options));
}

function encodeData(pem: string): string {
  return encodeBase64(encodeUtf8(pem));
}
