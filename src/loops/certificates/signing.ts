/**
 * The loop that signs approved CertificateSigningRequests of the signers `kubernetes.io/*` with the CA of this server.
 * A request that its signer does not accept gets the condition Failed.
 */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { DeepReadonly, Stored } from '../../client/object-types.ts';
import { CertificateSigningRequest } from '../../kinds/api/certificates/v1.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import { unlessChanged } from '../outdated-writes.ts';
import { SIGNERS } from './kubelet-requests.ts';
import { hasCondition, parseRequest } from './request-conditions.ts';

/** The default of kube-controller-manager's `--cluster-signing-duration`. */
const LONGEST_MS = 365 * 24 * 60 * 60 * 1000;
/** The shortest validity, as in kubernetes/pkg/controller/certificates/signer/signer.go. */
const SHORTEST_MS = 10 * 60 * 1000;

export const certificateSigningLoop: LoopDefinition = {
  name: 'certificatesigningrequest-signing-controller',
  serviceAccount: 'certificate-controller',
  start: (context) => {
    const requests = context.informers.informer(CertificateSigningRequest);
    const loop = new KeyedLoop(context);
    loop.follow(requests, (request) => (isToBeSigned(request) ? [request.metadata.name] : []));
    return loop.start(context, {
      failure: 'cannot sign a CertificateSigningRequest, retrying',
      sync: async (name) => {
        const request = requests.store.get(name);
        const status = request === undefined ? undefined : await signedStatus(context, request);
        if (request === undefined || status === undefined) return;
        await unlessChanged(context.client.api(CertificateSigningRequest).updateStatus({ ...request, status }));
      },
    });
  },
};

function isToBeSigned(request: Stored<CertificateSigningRequest>): boolean {
  if (!SIGNERS.has(request.spec.signerName) || (request.status?.certificate ?? '') !== '') return false;
  return hasCondition(request, 'Approved') && !hasCondition(request, 'Denied') && !hasCondition(request, 'Failed');
}

/**
 * Returns the status with a certificate, or with the condition Failed. Undefined if the request is not to be signed, or
 * if the server cannot sign.
 */
async function signedStatus(
  { certificates, clock }: LoopContext,
  request: Stored<CertificateSigningRequest>,
): Promise<DeepReadonly<CertificateSigningRequest>['status']> {
  const check = SIGNERS.get(request.spec.signerName);
  if (certificates === undefined || check === undefined || !isToBeSigned(request)) return undefined;
  const { usages = [], expirationSeconds } = request.spec;
  const parsed = parseRequest(request);
  const problem = parsed.ok ? check(parsed.request, usages) : parsed.problem;
  if (!parsed.ok || problem !== undefined) {
    const lastUpdateTime = formatTime(instantFromMillis(clock.now()));
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: problem ?? '',
      lastUpdateTime,
    };
    return { ...request.status, conditions: [...(request.status?.conditions ?? []), failed] };
  }
  const wantedMs = expirationSeconds === undefined ? LONGEST_MS : expirationSeconds * 1000;
  const validityMs = Math.max(SHORTEST_MS, Math.min(LONGEST_MS, wantedMs));
  const pem = await certificates.sign(parsed.request, { usages, validityMs, now: clock.now() });
  return { ...request.status, certificate: encodeBase64(encodeUtf8(pem)) };
}
