/**
 * The loop that approves CertificateSigningRequests of kubelets, if the requester may create `nodeclient` or
 * `selfnodeclient` requests. Other requests wait for a person. Follows
 * kubernetes/pkg/controller/certificates/approver/sarapprove.go (1.36).
 */
import type { Stored } from '../../client/object-types.ts';
import { SubjectAccessReview } from '../../kinds/api/authorization/v1.ts';
import { CertificateSigningRequest } from '../../kinds/api/certificates/v1.ts';
import { KeyedLoop } from '../keyed-loop.ts';
import type { LoopContext, LoopDefinition } from '../loop.ts';
import { unlessChanged } from '../outdated-writes.ts';
import { KUBELET_CLIENT, kubeletClientProblem } from './kubelet-requests.ts';
import { hasCondition, parseRequest } from './request-conditions.ts';

const MESSAGES = {
  selfnodeclient: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
  nodeclient: 'Auto approving kubelet client certificate after SubjectAccessReview.',
} as const;

export const certificateApprovingLoop: LoopDefinition = {
  name: 'certificatesigningrequest-approving-controller',
  serviceAccount: 'certificate-controller',
  start: (context) => {
    const requests = context.informers.informer(CertificateSigningRequest);
    const api = context.client.api(CertificateSigningRequest);
    const loop = new KeyedLoop(context);
    loop.follow(requests, (request) => (isOpen(request) ? [request.metadata.name] : []));
    return loop.start(context, {
      failure: 'cannot approve a CertificateSigningRequest, retrying',
      sync: async (name) => {
        const request = requests.store.get(name);
        const permission = request === undefined ? undefined : await grantedPermission(context, request);
        if (request === undefined || permission === undefined) return;
        const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message: MESSAGES[permission] };
        const conditions = [...(request.status?.conditions ?? []), approved];
        const changed = { ...request, status: { ...request.status, conditions } };
        await unlessChanged(api.subresource(name, 'approval').update(changed));
      },
    });
  },
};

function isOpen(request: Stored<CertificateSigningRequest>): boolean {
  if (request.spec.signerName !== KUBELET_CLIENT || (request.status?.certificate ?? '') !== '') return false;
  return !hasCondition(request, 'Approved') && !hasCondition(request, 'Denied');
}

/**
 * Returns the subresource of certificatesigningrequests that the requester may create; undefined if the request must
 * wait. A kubelet that requests a certificate for itself may have either permission; others need `nodeclient`.
 */
async function grantedPermission(
  { client }: LoopContext,
  request: Stored<CertificateSigningRequest>,
): Promise<keyof typeof MESSAGES | undefined> {
  const parsed = parseRequest(request);
  const { username = '', uid, groups, extra, usages = [] } = request.spec;
  if (!isOpen(request) || !parsed.ok || kubeletClientProblem(parsed.request, usages) !== undefined) return undefined;
  const tried =
    username === parsed.request.commonName ? (['selfnodeclient', 'nodeclient'] as const) : (['nodeclient'] as const);
  for (const subresource of tried) {
    const { status } = await client.api(SubjectAccessReview).create({
      spec: {
        user: username,
        ...(uid === undefined ? {} : { uid }),
        ...(groups === undefined ? {} : { groups }),
        ...(extra === undefined ? {} : { extra }),
        resourceAttributes: {
          group: 'certificates.k8s.io',
          resource: 'certificatesigningrequests',
          verb: 'create',
          subresource,
          version: '*',
        },
      },
    });
    if (status?.allowed === true) return subresource;
  }
  return undefined;
}
