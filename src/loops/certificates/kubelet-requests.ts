/**
 * The rules of the signers for kubelets and other clients of the API server: which requests they sign. Messages are
 * those of kubernetes/pkg/apis/certificates/helpers.go (1.36).
 */
import { type CertificateRequest, requestedSubject } from '../../pki/certificate-request.ts';
import { CertificateFault } from '../../pki/x509/certificate-fault.ts';

export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
const CLIENT = 'kubernetes.io/kube-apiserver-client';
const LEGACY_UNKNOWN = 'kubernetes.io/legacy-unknown';

/** Returns undefined if the signer signs the request, and the message of the condition Failed otherwise. */
type Check = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** The signers that this server has, by name. */
export const SIGNERS: ReadonlyMap<string, Check> = new Map<string, Check>([
  [KUBELET_SERVING, kubeletServingProblem],
  [KUBELET_CLIENT, kubeletClientProblem],
  [CLIENT, (_, usages) => clientUsageProblem(usages)],
  [LEGACY_UNKNOWN, () => undefined],
]);

export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const names = alternativeNames(request);
  if (!isOfNodes(request)) return NOT_OF_NODES;
  if (typeof names === 'string') return names;
  if (names.dns > 0) return 'DNS subjectAltNames are not allowed';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.ip > 0) return 'IP subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  return nameProblem(request) ?? usageProblem(usages, 'client auth');
}

function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const names = alternativeNames(request);
  if (!isOfNodes(request)) return NOT_OF_NODES;
  if (typeof names === 'string') return names;
  if (names.dns === 0 && names.ip === 0) return 'DNS or IP subjectAltName is required';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  return usageProblem(usages, 'server auth') ?? nameProblem(request);
}

const NOT_OF_NODES = 'subject organization is not system:nodes';

function isOfNodes({ organizations }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === 'system:nodes';
}

function nameProblem({ commonName }: CertificateRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

/** Returns the number of subject alternative names of each type, or a message if they are malformed. */
function alternativeNames(
  request: CertificateRequest,
): { readonly dns: number; readonly email: number; readonly ip: number; readonly uri: number } | string {
  try {
    const { dnsNames, emailAddresses, ipAddresses, uris } = requestedSubject(request).alternativeNames ?? NO_NAMES;
    return { dns: dnsNames.length, email: emailAddresses.length, ip: ipAddresses.length, uri: uris.length };
  } catch (caught) {
    if (caught instanceof CertificateFault) return caught.message;
    throw caught;
  }
}

const NO_NAMES = { dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] };

/** Requires `digital signature` and `auth`, allows `key encipherment`, and reports any other usage. */
function usageProblem(usages: readonly string[], auth: 'client auth' | 'server auth'): string | undefined {
  const given = new Set(usages);
  const required = ['digital signature', auth];
  const isAllowed = (usage: string): boolean => required.includes(usage) || usage === 'key encipherment';
  if (required.every((usage) => given.has(usage)) && [...given].every(isAllowed)) return undefined;
  return `usages did not match [${['digital signature', 'key encipherment', auth].sort().join(' ')}]`;
}

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}
