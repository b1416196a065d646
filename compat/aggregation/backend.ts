/**
 * Extension servers of the suite. Each server of the comparison has its own: the same program, on a port of its own,
 * with the credentials of a ServiceAccount of its parent.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { createCa, issueServerCertificate, type KeyedCertificate } from '../../src/pki/certificates.ts';
import { formatKubeconfig } from '../../src/pki/kubeconfig.ts';
import { runKubectl } from '../peers/kubectl.ts';
import type { Peer } from '../peers/peer.ts';
import { type Child, type ChildPlace, probe, startChild, waitUntilReady } from '../peers/process.ts';

/** Serving certificates of extension servers, and the CA that APIServices name. */
export interface ServingCertificates {
  readonly caFile: string;
  readonly caPem: string;
  /** The value of spec.caBundle. */
  readonly caBundle: string;
  /** Issues a certificate for `<service>.<namespace>.svc` and loopback addresses. */
  issue(service: string, namespace: string): Promise<KeyedCertificate>;
}

export async function makeServingCertificates(folder: string): Promise<ServingCertificates> {
  mkdirSync(folder, { recursive: true });
  const clock = systemClock;
  const ca = await createCa({ commonName: 'extension-ca', clock });
  const caFile = join(folder, 'ca.crt');
  writeFileSync(caFile, ca.certificatePem);
  return {
    caFile,
    caPem: ca.certificatePem,
    caBundle: Buffer.from(ca.certificatePem).toString('base64'),
    issue: (service, namespace) => issueServerCertificate(ca, { clock, hosts: [`${service}.${namespace}.svc`] }),
  };
}

/** Writes tls.crt and tls.key and returns their paths. */
export function writePair(folder: string, { certificatePem, keyPem }: KeyedCertificate): readonly [string, string] {
  mkdirSync(folder, { recursive: true });
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeFileSync(certificate, certificatePem);
  writeFileSync(key, keyPem, { mode: 0o600 });
  return [certificate, key];
}

/** Writes a kubeconfig with a token of the ServiceAccount, and returns its path. */
export async function serviceAccountKubeconfig(
  peer: Peer,
  folder: string,
  account: { readonly namespace: string; readonly name: string },
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const args = ['create', 'token', account.name, '-n', account.namespace];
  const { exit, stdout, stderr } = await runKubectl({ args, kubeconfig: peer.kubeconfig('admin'), home: folder });
  if (exit !== 0) throw new Error(`${peer.name} gives no token to ${account.namespace}/${account.name}: ${stderr}`);
  const path = join(folder, `${account.name}.kubeconfig`);
  const text = formatKubeconfig({
    server: peer.url,
    caPem: peer.credentials.caPem,
    credentials: { kind: 'token', token: stdout.trim() },
    user: account.name,
  });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** The flags of servers that are built with k8s.io/apiserver. */
export function delegationFlags(kubeconfig: string): readonly string[] {
  return ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
    (flag) => `--${flag}=${kubeconfig}`,
  );
}

export interface BackendOptions {
  readonly what: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The folder of the log. */
  readonly folder: string;
  readonly place?: ChildPlace;
  /**
   * The server is ready when /readyz answers 200 on the port, when the plain HTTP URL does, or when the log contains the
   * text.
   */
  readonly ready: { readonly port: number; readonly caPem: string } | { readonly url: string } | string;
}

/** Starts an extension server and resolves when it is ready. Throws with the end of its log if it is not. */
export async function startBackend(options: BackendOptions): Promise<Child> {
  const { what, folder, ready } = options;
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, 'server.log');
  const child = startChild(options.program, options.args, logFile, options.place);
  try {
    await waitUntilReady({
      what,
      child,
      logFile,
      check: async () => {
        if (typeof ready === 'string') return readFileSync(logFile, 'utf8').includes(ready);
        if ('url' in ready) return (await fetch(ready.url)).status === 200;
        return (await probe(`https://127.0.0.1:${ready.port}/readyz`, ready.caPem)).status === 200;
      },
    });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return child;
}
