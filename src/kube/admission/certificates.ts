/**
 * The plugins CertificateApproval, CertificateSigning and ClusterTrustBundleAttest, which check the permission to act
 * for a signer, and CertificateSubjectRestriction.
 */

import { refusal } from '../../admission/refusal.ts';
import { quote } from '../../apimachinery/go-format.ts';
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { decodeBase64 } from '../../base/base64.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import { equalJson, type JsonObject } from '../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { parseCertificateRequestPem } from '../../pki/certificate-request.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { type Authorizer, MASTERS_GROUP } from '../../server/authorizer.ts';
import { specOf } from '../../server/resource/strategy-fields.ts';
import { changesOnlyOwnership } from '../rbac/escalation-guard.ts';
import { mayActForSigner } from '../shared/signer-permission.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const API_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    resources: [REQUESTS],
    handles: (operation) => operation === 'UPDATE',
    validate: (attributes) => {
      const { oldObject, subresource } = attributes;
      if (subresource !== 'approval' || oldObject === undefined) return undefined;
      const signer = textAt(specOf(oldObject), 'signerName');
      return requireSigner(authorizer, attributes, 'approve', signer, 'approve requests with');
    },
  };
}

export function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    resources: [REQUESTS],
    handles: (operation) => operation === 'UPDATE',
    validate: (attributes) => {
      const { object, oldObject, subresource } = attributes;
      if (subresource !== 'status' || object === undefined || oldObject === undefined) return undefined;
      if (equalJson(signed(object), signed(oldObject))) return undefined;
      const signer = textAt(specOf(oldObject), 'signerName');
      return requireSigner(authorizer, attributes, 'sign', signer, 'sign requests with');
    },
  };
}

export function clusterTrustBundleAttest(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    resources: ['clustertrustbundles.certificates.k8s.io'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    validate: (attributes) => {
      const { object, oldObject } = attributes;
      const signer = object === undefined ? '' : textAt(specOf(object), 'signerName');
      if (object === undefined || signer === '') return undefined;
      if (oldObject !== undefined && changesOnlyOwnership(object, oldObject)) return undefined;
      return requireSigner(authorizer, attributes, 'attest', signer, 'attest for');
    },
  };
}

/** Refuses requests for client certificates of the group system:masters. */
export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    resources: [REQUESTS],
    handles: (operation) => operation === 'CREATE',
    validate: (attributes) => {
      const { object, subresource } = attributes;
      if (object === undefined || subresource !== '') return;
      const spec = specOf(object);
      if (textAt(spec, 'signerName') !== API_CLIENT_SIGNER) return;
      const pem = decodeUtf8(decodeBase64(textAt(spec, 'request')) ?? new Uint8Array());
      const parsed = parseCertificateRequestPem(pem);
      if (!parsed.ok) throw refusal(attributes, `failed to parse CSR: ${parsed.problem}`);
      if (parsed.request.organizations.includes(MASTERS_GROUP))
        throw refusal(attributes, `use of ${API_CLIENT_SIGNER} signer with ${MASTERS_GROUP} group is not allowed`);
    },
  };
}

function signed(request: JsonObject): JsonObject {
  const { certificate = null, conditions = [] } = (request['status'] ?? {}) as JsonObject;
  return { certificate, conditions };
}

function requireSigner(
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  verb: string,
  signer: string,
  action: string,
): MaybePromise<void> {
  return andThen(mayActForSigner(authorizer, attributes.user, verb, signer), (allowed) => {
    if (!allowed) throw refusal(attributes, `user not permitted to ${action} signerName ${quote(signer)}`);
  });
}
