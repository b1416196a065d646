/** The access of a pod to the API server of its cluster, as client-go's InClusterConfig finds it. */
import { join } from 'node:path';
import type { InlineOrFile, KubeconfigContext } from '../../client/kubeconfig.ts';
import { readTextFile } from '../platform.ts';

export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns undefined if this process does not run in a pod with a service account token. */
export async function inClusterContext(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<KubeconfigContext | undefined> {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '' || (await textIn(folder, 'token')) === undefined) return undefined;
  const file = (path: string): InlineOrFile => ({ kind: 'file', path, base: join(folder, 'token') });
  const hasCa = (await textIn(folder, 'ca.crt')) !== undefined;
  return {
    name: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: hasCa ? file('ca.crt') : undefined,
    insecureSkipTlsVerify: false,
    tlsServerName: undefined,
    proxyUrl: undefined,
    user: {
      clientCertificate: undefined,
      clientKey: undefined,
      token: undefined,
      tokenFile: file('token'),
      basic: undefined,
      exec: undefined,
      impersonate: undefined,
    },
    namespace: (await textIn(folder, 'namespace'))?.trim() || 'default',
  };
}

function textIn(folder: string, name: string): Promise<string | undefined> {
  return readTextFile(join(folder, name));
}
