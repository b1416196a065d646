/**
 * The kind PodCertificateRequest: the request of a node for a certificate for one of its pods. The spec is immutable.
 * The status is immutable once it has the condition Issued, Denied or Failed.
 */

import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateDomainPrefixedKey } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain } from '../../../apimachinery/validation/name-syntax.ts';
import { ANNOTATIONS_MAX } from '../../../apimachinery/validation/validate-object-meta.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import { decodeBase64 } from '../../../base/base64.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import {
  CURVES,
  certificateRequestProblem,
  type KeyFacts,
  keyFacts,
  parseCertificateRequest,
  provesPossession,
} from '../../../pki/certificate-request.ts';
import { column, labelsText, NAME, tableOf } from '../../../server/resource/columns.ts';
import { RESETS_NOTHING } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeContext, KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { isKubernetesSigner, validateSignerName } from '../../shared/signer-name.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { SignatureChecks } from './signature-checks.ts';
import { withSignerCheck } from './signer-check.ts';
import { TERMINAL_TYPES, validatePodCertificateRequestStatusUpdate } from './validate-pod-certificate-status.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const MAX_UID = 128;
const MAX_KEY = 10 * 1024;
const HOUR = 3_600;
const MAX_SECONDS = 91 * 24 * HOUR;
const KUBERNETES_MAX_SECONDS = 24 * HOUR;

const podCertificateRequestTable: () => TableDefinition = tableOf(
  NAME,
  specColumn('PodName', 'podName', 'The pod.'),
  specColumn('ServiceAccountName', 'serviceAccountName', 'Who the pod is.'),
  specColumn('NodeName', 'nodeName', 'Where the pod runs.'),
  specColumn('SignerName', 'signerName', 'Who is to sign.'),
  column('State', 'What became of it.', (object) => {
    const end = objectsAt(object, 'status', 'conditions').findLast((one) =>
      TERMINAL_TYPES.includes(textAt(one, 'type')),
    );
    return end === undefined ? 'Pending' : textAt(end, 'type');
  }),
  column('UnverifiedUserAnnotations', 'What the pod says about itself.', (object) =>
    labelsText(objectAt(object, 'spec', 'unverifiedUserAnnotations')),
  ),
);

function specColumn(name: string, field: string, description: string) {
  return column(name, description, (object) => textAt(object, 'spec', field));
}

export function podCertificateRequestResource(context: KubeContext): KubeResource {
  const signatures = new SignatureChecks();
  const strategy: Strategy = strategyWithDefaults({
    allowUnconditionalUpdate: false,
    // As in the reference, although the status is restored.
    resetFields: RESETS_NOTHING,
    prepareForCreate: clearStatus,
    validate: (object, { request }) => validatePodCertificateRequest(object, signatures.problemOf(request)),
    validatesMetadata: true,
    prepareForUpdate: keepStatus,
    validateUpdate: validatePodCertificateRequestUpdate,
  });
  const status = statusSubresource(strategy, {
    prepareForUpdate: keepAllButStatus,
    validateUpdate: validatePodCertificateRequestStatusUpdate,
  });
  return {
    definition: storedResource({
      plural: 'podcertificaterequests',
      scope: 'Namespaced',
      versions: [
        builtInVersion({
          group: 'certificates.k8s.io',
          version: 'v1beta1',
          kind: 'PodCertificateRequest',
          setDefaults: setPodCertificateRequestDefaults,
          table: podCertificateRequestTable,
          selectableFields: ['spec.signerName', 'spec.podName', 'spec.nodeName'],
        }),
      ],
      strategy,
      subresources: [withSignerCheck(status, context.authorizer)],
    }),
    wrapStore: ({ registry }) => signatures.wrap(registry, possessionProblem),
  };
}

function setPodCertificateRequestDefaults(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec !== undefined) spec['maxExpirationSeconds'] ??= KUBERNETES_MAX_SECONDS;
}

/** `problem` is the result of SignatureChecks. */
function validatePodCertificateRequest(object: JsonObject, problem: string | undefined): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA);
  const spec = objectAt(object, 'spec') ?? {};
  const signer = textAt(spec, 'signerName');
  addIssues(issues, validateSignerName(signer, SPEC.child('signerName')));
  addIssues(issues, validateAnnotations(objectAt(spec, 'unverifiedUserAnnotations')));
  for (const whom of ['pod', 'serviceAccount', 'node']) {
    const name = textAt(spec, `${whom}Name`);
    for (const complaint of checkDns1123Subdomain(name))
      issues.push(invalid(SPEC.child(`${whom}Name`), name, complaint));
    const uid = textAt(spec, `${whom}UID`);
    if (uid === '') issues.push(invalid(SPEC.child(`${whom}UID`), uid, 'must not be empty'));
    if (utf8Length(uid) > MAX_UID) issues.push(tooLong(SPEC.child(`${whom}UID`), uid, MAX_UID));
  }
  const seconds = fieldAt(spec, 'maxExpirationSeconds');
  if (seconds === undefined) return [...issues, required(SPEC.child('maxExpirationSeconds'), 'must be set')];
  const most = isKubernetesSigner(signer) ? KUBERNETES_MAX_SECONDS : MAX_SECONDS;
  if (numberAt(spec, 'maxExpirationSeconds') < HOUR || numberAt(spec, 'maxExpirationSeconds') > most)
    issues.push(invalid(SPEC.child('maxExpirationSeconds'), seconds, `must be in the range [${HOUR}, ${most}]`));
  return [...issues, ...validateKey(spec, problem)];
}

function validateAnnotations(annotations: JsonObject | undefined): FieldIssue[] {
  const path = SPEC.child('unverifiedUserAnnotations');
  const keys = Object.keys(annotations ?? {});
  const issues = keys.flatMap((key) => validateDomainPrefixedKey(key.toLowerCase(), path));
  const size = keys.reduce((sum, key) => sum + utf8Length(key) + utf8Length(textAt(annotations ?? {}, key)), 0);
  if (size > ANNOTATIONS_MAX) issues.push(tooLong(path, undefined, ANNOTATIONS_MAX));
  return issues;
}

/** The key is given as a PKCS #10 request, or as a public key with a proof of possession. */
function validateKey(spec: JsonObject, problem: string | undefined): FieldIssue[] {
  const { stub, key, proof } = keyParts(spec);
  if (stub.length > 0 && key.length === 0 && proof.length === 0) return validateStub(stub, problem);
  if (stub.length === 0 && key.length > 0 && proof.length > 0) return validateKeyAndProof(spec, problem);
  return [
    invalid(SPEC, undefined, 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'),
  ];
}

function keyParts(spec: JsonObject): Readonly<Record<'stub' | 'key' | 'proof', Uint8Array>> {
  const bytes = (name: string): Uint8Array => decodeBase64(textAt(spec, name)) ?? new Uint8Array();
  return { stub: bytes('stubPKCS10Request'), key: bytes('pkixPublicKey'), proof: bytes('proofOfPossession') };
}

/**
 * Verifies the signature that proves possession of the key. Resolves with the problem. Undefined if it is valid or
 * absent.
 */
async function possessionProblem(object: JsonObject): Promise<string | undefined> {
  const spec = objectAt(object, 'spec') ?? {};
  const { stub, key, proof } = keyParts(spec);
  if (stub.length > 0) {
    const parsed = parseCertificateRequest(stub);
    return parsed.ok ? certificateRequestProblem(parsed.request) : undefined;
  }
  if (key.length === 0 || proof.length === 0) return undefined;
  return (await provesPossession(key, encodeUtf8(textAt(spec, 'podUID')), proof)) ? undefined : 'no proof';
}

function validateStub(stub: Uint8Array, problem: string | undefined): FieldIssue[] {
  const path = SPEC.child('stubPKCS10Request');
  if (stub.length > MAX_KEY) return [tooLong(path, undefined, MAX_KEY)];
  const parsed = parseCertificateRequest(stub);
  if (!parsed.ok) return [invalid(path, undefined, 'must be a valid PKCS#10 CSR')];
  const fault = keyFault(keyFacts(parsed.request.spki), 'P256, P384, or P521');
  if (fault !== undefined) return [invalid(path, fault.value, fault.detail)];
  return problem === undefined ? [] : [invalid(path, undefined, 'invalid signature')];
}

function validateKeyAndProof(spec: JsonObject, problem: string | undefined): FieldIssue[] {
  const { key, proof } = keyParts(spec);
  const path = SPEC.child('pkixPublicKey');
  if (key.length > MAX_KEY) return [tooLong(path, undefined, MAX_KEY)];
  if (proof.length > MAX_KEY) return [tooLong(SPEC.child('proofOfPossession'), undefined, MAX_KEY)];
  const described = keyFacts(key);
  if (described === undefined)
    return [invalid(path, textAt(spec, 'pkixPublicKey'), 'must be a valid PKIX-serialized public key')];
  const fault = keyFault(described, 'P256 or P384');
  if (fault !== undefined) return [invalid(path, fault.value, fault.detail)];
  if (problem === undefined) return [];
  return [invalid(SPEC.child('proofOfPossession'), undefined, 'could not verify proof-of-possession signature')];
}

function keyFault(
  key: KeyFacts | undefined,
  curves: string,
): { readonly value: string | undefined; readonly detail: string } | undefined {
  switch (key?.type) {
    case 'ed25519':
      return undefined;
    case 'ec':
      if (Object.hasOwn(CURVES, key.curve)) return undefined;
      return { value: `curve ${key.curve}`, detail: `elliptic public keys must use curve ${curves}` };
    case 'rsa':
      if (key.bits === 3072 || key.bits === 4096) return undefined;
      return { value: `${key.bits}-bit modulus`, detail: 'RSA keys must have modulus size 3072 or 4096' };
    default:
      return { value: undefined, detail: 'unknown public key type; supported types are Ed25519, ECDSA, and RSA' };
  }
}

function validatePodCertificateRequestUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [spec, before] = [object, old].map((one) => objectAt(one, 'spec') ?? {}) as [JsonObject, JsonObject];
  return [...validateMetaUpdate(object, old), ...validateImmutableField(spec, before, SPEC).map(declared)];
}
