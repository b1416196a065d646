/**
 * The kind PodCertificateRequest: the request of a node for a certificate for one of its pods. The spec is immutable.
 * The status is immutable once it has the condition Issued, Denied or Failed.
 */
import { fieldAt, numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { parseTime } from '../../../apimachinery/scalars/time.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
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
import { encodeUtf8, equalBytes } from '../../../base/bytes.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { type Certificate, parseCertificate } from '../../../pki/certificate.ts';
import {
  CURVES,
  certificateRequestProblem,
  type KeyFacts,
  keyFacts,
  parseCertificateRequest,
  provesPossession,
} from '../../../pki/certificate-request.ts';
import { parsePem } from '../../../pki/pem.ts';
import { column, labelsText, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { Strategy, StrategyContext } from '../../../server/resource/resource-definition.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeContext, KubeResource } from '../../kube-context.ts';
import { builtInStrategy, builtInVersion, statusSubresource, storedResource } from '../../shared/built-in.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { clearStatus, keepAllButStatus, keepStatus, metaFacts } from '../../shared/object-fields.ts';
import { isKubernetesSigner, validateSignerName } from '../../shared/signer-name.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { SignatureChecks } from './signature-checks.ts';
import { withSignerCheck } from './signer-check.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const CHAIN = STATUS.child('certificateChain');
const TERMINAL_TYPES = ['Issued', 'Denied', 'Failed'];
const MAX_UID = 128;
const MAX_KEY = 10 * 1024;
const MAX_CHAIN = 100 * 1024;
const HOUR = 3_600;
const MAX_SECONDS = 91 * 24 * HOUR;
const KUBERNETES_MAX_SECONDS = 24 * HOUR;
const MINUTE_MS = 60_000;

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
  const strategy: Strategy = builtInStrategy({
    allowUnconditionalUpdate: false,
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
      subresources: [withSignerCheck(status, () => context.authorizer())],
    }),
    wrapStore: ({ store }) => signatures.wrap(store, possessionProblem),
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
 * Resolves to what is wrong with the signature that proves possession of the key. Undefined if it is valid or absent.
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

// ── Status ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function validatePodCertificateRequestStatusUpdate(
  object: JsonObject,
  old: JsonObject,
  { request }: StrategyContext,
): FieldIssue[] {
  const meta = validateMetaUpdate(object, old);
  if (meta.length > 0) return meta;
  const conditions = objectsAt(object, 'status', 'conditions');
  const issues = [
    ...validateTerminalConditions(conditions),
    ...validateConditions(conditions, STATUS.child('conditions')),
  ];
  if (issues.length > 0) return issues;
  const [status, before] = [object, old].map((one) => objectAt(one, 'status') ?? {}) as [JsonObject, JsonObject];
  const changed = !equalJson(status, before);
  if (terminalTypeOf(old) !== undefined)
    return changed ? [refused('immutable after PodCertificateRequest is issued, denied, or failed')] : [];
  switch (terminalTypeOf(object)) {
    case undefined:
      return changed ? [refused('status is immutable unless transitioning to "Issued", "Denied", or "Failed"')] : [];
    case 'Issued':
      return validateIssued(object, status, request.receivedAt);
    default: {
      const { conditions: _conditions, ...rest } = status;
      return Object.keys(rest).length === 0
        ? []
        : [refused('non-condition status fields must be empty when denying or failing the PodCertificateRequest')];
    }
  }
}

function refused(detail: string): FieldIssue {
  return invalid(STATUS, undefined, detail);
}

function terminalTypeOf(object: JsonObject): string | undefined {
  const end = objectsAt(object, 'status', 'conditions').find(
    (one) => TERMINAL_TYPES.includes(textAt(one, 'type')) && textAt(one, 'status') === 'True',
  );
  return end === undefined ? undefined : textAt(end, 'type');
}

/**
 * At most one condition of a terminal type, with status True. kube-apiserver prints these paths with a dot before the
 * index.
 */
function validateTerminalConditions(conditions: readonly JsonObject[]): FieldIssue[] {
  let known = 0;
  return conditions.flatMap((condition, i) => {
    const path = STATUS.child('conditions', `[${i}]`);
    const type = textAt(condition, 'type');
    if (!TERMINAL_TYPES.includes(type)) return [notSupported(path.child('type'), type, TERMINAL_TYPES)];
    known++;
    const issues: FieldIssue[] = [];
    if (known > 1)
      issues.push(
        invalid(
          path.child('type'),
          type,
          'There may be at most one condition with type "Issued", "Denied", or "Failed"',
        ),
      );
    const status = textAt(condition, 'status');
    if (status !== 'True') issues.push(notSupported(path.child('status'), status, ['True']));
    return issues;
  });
}

function validateIssued(object: JsonObject, status: JsonObject, now: number): FieldIssue[] {
  const chain = textAt(status, 'certificateChain');
  if (utf8Length(chain) > MAX_CHAIN) return [tooLong(CHAIN, undefined, MAX_CHAIN)];
  const [leafBlock, ...rest] = parsePem(chain);
  const complain = (detail: string): FieldIssue[] => [invalid(CHAIN, chain, detail)];
  if (leafBlock === undefined) return complain('issued certificate chain must contain at least one certificate');
  if (leafBlock.type !== 'CERTIFICATE')
    return complain('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const leaf = parseCertificate(leafBlock.bytes);
  if (leaf === undefined) return complain('leaf certificate does not parse as valid X.509');
  const spki = requestedKey(objectAt(object, 'spec') ?? {});
  if (spki === undefined || !equalBytes(spki, leaf.spki))
    return complain('leaf certificate was not issued to the requested public key');
  const times = validateTimes(status, leaf, Number(numberAt(object, 'spec', 'maxExpirationSeconds')), now);
  if (times.length > 0) return times;
  for (const { type, bytes } of rest) {
    if (type !== 'CERTIFICATE')
      return complain('issued certificate chain must consist entirely of CERTFICATE PEM blocks');
    if (parseCertificate(bytes) === undefined)
      return complain('intermediate certificate does not parse as valid X.509');
  }
  return [];
}

function requestedKey(spec: JsonObject): Uint8Array | undefined {
  const stub = decodeBase64(textAt(spec, 'stubPKCS10Request')) ?? new Uint8Array();
  if (stub.length === 0) return decodeBase64(textAt(spec, 'pkixPublicKey'));
  const parsed = parseCertificateRequest(stub);
  return parsed.ok ? parsed.request.spki : undefined;
}

/** Returns an issue for every missing time, or the first issue of the times that are set. */
function validateTimes(status: JsonObject, leaf: Certificate, maxSeconds: number, now: number): FieldIssue[] {
  const missing = [
    ['notBefore', 'must be present and consistent with the issued certificate'],
    ['notAfter', 'must be present and consistent with the issued certificate'],
    ['beginRefreshAt', 'must be present and in the range [notbefore+10min, notafter-10min]'],
  ].filter(([name]) => textAt(status, name as string) === '');
  if (missing.length > 0)
    return missing.map(([name, detail]) => required(STATUS.child(name as string), detail as string));
  const millis = (name: string): number => {
    const parsed = parseTime(textAt(status, name));
    return parsed.ok ? parsed.value.seconds * 1000 : Number.NaN;
  };
  const at = (name: string, detail: string): FieldIssue[] => [
    invalid(STATUS.child(name), textAt(status, name), detail),
  ];
  const [from, to, refresh] = [millis('notBefore'), millis('notAfter'), millis('beginRefreshAt')];
  if (from !== leaf.notBefore)
    return at('notBefore', 'must be set to the NotBefore time encoded in the leaf certificate');
  if (Math.abs(from - now) >= 5 * MINUTE_MS)
    return at('notBefore', "must be set to within 5 minutes of kube-apiserver's current time");
  if (to !== leaf.notAfter) return at('notAfter', 'must be set to the NotAfter time encoded in the leaf certificate');
  const lifetime = (leaf.notAfter - leaf.notBefore) / 1000;
  if (lifetime < HOUR) return [invalid(CHAIN, lifetime, 'leaf certificate lifetime must be >= 1 hour')];
  if (lifetime > maxSeconds)
    return [invalid(CHAIN, lifetime, `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`)];
  if (refresh < from + 10 * MINUTE_MS)
    return at('beginRefreshAt', 'must be at least 10 minutes after status.notBefore');
  if (refresh > to - 10 * MINUTE_MS) return at('beginRefreshAt', 'must be at least 10 minutes before status.notAfter');
  return [];
}
