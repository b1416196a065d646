/** Kubeconfig files for one server and one user. Invariant: a file stands alone (everything is inside it) and only its owner may read it. */
import { writeYaml } from '../apimachinery/codec/yaml-write.ts';
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
  /** Names in the file; default `keelson` and `kubernetes-admin`. The context is `user@cluster`, as kubeadm names it. */
  readonly cluster?: string;
  readonly user?: string;
  /** Default: none, which clients read as `default`. */
  readonly namespace?: string;
}

/** The text of the file. Throws ConfigError if the server is not an http or https URL. */
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

/** Replaces the file, whatever it held: nothing is merged. Mode 0600, atomically. Throws ConfigError naming the path. */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  await writeSecretFile(path, formatKubeconfig(options));
}

function encodeData(pem: string): string {
  return encodeBase64(encodeUtf8(pem));
}
