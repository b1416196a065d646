/**
 * A server in a comparison: address, credentials, kubeconfigs, stop. Invariant: both servers of a run get the same
 * credentials (one folder from `makeCredentials`), so that requests are the same on both.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { createCa, issueClientCertificate, issueServerCertificate } from '../../src/pki/certificates.ts';
import { formatPrivateKeyPem, formatPublicKeyPem, generateKey } from '../../src/pki/keys.ts';
import { formatKubeconfig } from '../../src/pki/kubeconfig.ts';

/** The users of the token file. `admin` is in system:masters, the others begin without rights. */
export const TOKEN_USERS = {
  admin: { token: 'admin-token-0123456789', uid: 'admin-uid', groups: ['system:masters'] },
  alice: { token: 'alice-token-0123456789', uid: 'alice-uid', groups: [] },
  bob: { token: 'bob-token-0123456789', uid: 'bob-uid', groups: ['developers'] },
  carol: { token: 'carol-token-0123456789', uid: 'carol-uid', groups: ['developers', 'auditors'] },
} as const;

/**
 * The users of client certificates: common name and organizations. `front-proxy` is signed by the CA of request
 * headers.
 */
export const CERTIFICATE_USERS = {
  'cert-admin': { groups: ['system:masters'] },
  dave: { groups: ['developers'] },
} as const;

export type TokenUser = keyof typeof TOKEN_USERS;
export type CertificateUser = keyof typeof CERTIFICATE_USERS | 'front-proxy';

export interface KeyPair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface Credentials {
  readonly folder: string;
  readonly caFile: string;
  readonly caPem: string;
  readonly servingCertificateFile: string;
  readonly servingKeyFile: string;
  readonly requestHeaderCaFile: string;
  readonly tokenFile: string;
  readonly signingKeyFile: string;
  readonly publicKeyFile: string;
  readonly clients: Readonly<Record<CertificateUser, KeyPair>>;
}

/** An address of the loopback interface. The serving certificate is valid for 127.0.0.1 and 127.0.0.2. */
export interface ListenAddress {
  readonly address: '127.0.0.1' | '127.0.0.2';
  readonly port: number;
}

export interface Peer {
  /** `reference` or `keelson`. A second reference is `reference-2`. */
  readonly name: string;
  /** `https://127.0.0.1:PORT`, unless the caller chose the address. */
  readonly url: string;
  readonly credentials: Credentials;
  /** The ids of all processes of the server, for measurements. */
  readonly pids: readonly number[];
  /** Returns the path of a kubeconfig for a user of the token file. The namespace of its context is `default`. */
  kubeconfig(user: TokenUser): string;
  /** The file with the output of the server. */
  readonly logFile: string;
  stop(): Promise<void>;
}

/** Makes a CA, serving and client certificates, a token file and a ServiceAccount key below `folder`. */
export async function makeCredentials(folder: string): Promise<Credentials> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const clock = systemClock;
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const ca = await createCa({ commonName: 'compat-ca', clock });
  const frontProxyCa = await createCa({ commonName: 'compat-front-proxy-ca', clock });
  const serving = await issueServerCertificate(ca, { clock, hosts: ['127.0.0.2'] });
  const issue = async (user: string, groups: readonly string[], issuer = ca): Promise<KeyPair> =>
    issueClientCertificate(issuer, { clock, user, groups });
  const signingKey = await generateKey();
  const tokens = Object.entries(TOKEN_USERS).map(([name, { token, uid, groups }]) =>
    [token, name, uid, ...(groups.length > 0 ? [`"${groups.join(',')}"`] : [])].join(','),
  );
  return {
    folder,
    caFile: write('ca.crt', ca.certificatePem),
    caPem: ca.certificatePem,
    servingCertificateFile: write('serving.crt', serving.certificatePem),
    servingKeyFile: write('serving.key', serving.keyPem),
    requestHeaderCaFile: write('front-proxy-ca.crt', frontProxyCa.certificatePem),
    tokenFile: write('tokens.csv', `${tokens.join('\n')}\n`),
    signingKeyFile: write('sa.key', formatPrivateKeyPem(signingKey)),
    publicKeyFile: write('sa.pub', formatPublicKeyPem(signingKey.publicKey)),
    clients: {
      'cert-admin': await issue('cert-admin', CERTIFICATE_USERS['cert-admin'].groups),
      dave: await issue('dave', CERTIFICATE_USERS.dave.groups),
      'front-proxy': await issue('front-proxy', [], frontProxyCa),
    },
  };
}

/** Returns the flags that both servers get. */
export function commonFlags(credentials: Credentials, port: number, certDir: string): readonly string[] {
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${certDir}`,
    `--tls-cert-file=${credentials.servingCertificateFile}`,
    `--tls-private-key-file=${credentials.servingKeyFile}`,
    `--client-ca-file=${credentials.caFile}`,
    `--token-auth-file=${credentials.tokenFile}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${credentials.publicKeyFile}`,
    `--service-account-signing-key-file=${credentials.signingKeyFile}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--requestheader-client-ca-file=${credentials.requestHeaderCaFile}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--strict-transport-security-directives=max-age=31536000,includeSubDomains',
  ];
}

/** Returns the flags for the certificate that a server shows to extension servers. It writes the files of the certificate. */
export function proxyClientFlags({ folder, clients }: Credentials): readonly string[] {
  const [certificate, key] = [join(folder, 'front-proxy.crt'), join(folder, 'front-proxy.key')];
  writeFileSync(certificate, clients['front-proxy'].certificatePem, { mode: 0o600 });
  writeFileSync(key, clients['front-proxy'].keyPem, { mode: 0o600 });
  return [`--proxy-client-cert-file=${certificate}`, `--proxy-client-key-file=${key}`];
}

/** Returns a function that makes kubeconfigs, one file per user, which several kubectls may read at a time. */
export function kubeconfigs(folder: string, url: string, credentials: Credentials): (user: TokenUser) => string {
  const written = new Set<string>();
  return (user) => {
    const path = join(folder, `${user}.kubeconfig`);
    if (written.has(path)) return path;
    written.add(path);
    const text = formatKubeconfig({
      server: url,
      caPem: credentials.caPem,
      credentials: { kind: 'token', token: TOKEN_USERS[user].token },
      cluster: 'compat',
      user,
    });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
}
