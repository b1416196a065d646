/** Validation of CertificateSigningRequests. */
import { fieldAt, numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { decodeBase64 } from '../../../base/base64.ts';
import { decodeUtf8 } from '../../../base/bytes.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import {
  certificateRequestProblem,
  type ParsedRequest,
  parseCertificateRequestPem,
} from '../../../pki/certificate-request.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import { validateSignerName } from '../../shared/signer-name.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { certificatesProblem } from './pem-certificates.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const CONDITIONS = FieldPath.of('status', 'conditions');
const CERTIFICATE = FieldPath.of('status', 'certificate');
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const MIN_EXPIRATION_SECONDS = 600;
export const APPROVED = 'Approved';
export const DENIED = 'Denied';
export const FAILED = 'Failed';
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export function conditionsOf(object: JsonObject): readonly JsonObject[] {
  return objectsAt(object, 'status', 'conditions');
}

/**
 * Verifies the signature of the PKCS #10 request. Resolves with the problem; undefined if the signature is valid, or if
 * the request is malformed, which `validateRequest` reports.
 */
export async function signatureProblem(object: JsonObject): Promise<string | undefined> {
  const parsed = parseRequest(textAt(object, 'spec', 'request'));
  return parsed.ok ? certificateRequestProblem(parsed.request) : undefined;
}

/** `signatureIssue` is the result of SignatureChecks. */
export function validateRequest(object: JsonObject, signatureIssue: string | undefined): FieldIssue[] {
  return validateParts(object, undefined, signatureIssue);
}

export function validateRequestUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return validateChange(object, old, 'none');
}

export function validateRequestStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return validateChange(object, old, 'certificate');
}

export function validateRequestApprovalUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return validateChange(object, old, 'approval');
}

/**
 * Validates all of an object. `old` is the stored object, whose invalid values may stay; undefined on create.
 * `signatureIssue` is the result of SignatureChecks.
 */
function validateParts(
  object: JsonObject,
  old: JsonObject | undefined,
  signatureIssue: string | undefined,
): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: () => [] }, METADATA);
  const spec = objectAt(object, 'spec') ?? {};
  const encoded = textAt(spec, 'request');
  const parsed = parseRequest(encoded);
  const problem = parsed.ok ? signatureIssue : parsed.problem;
  if (problem !== undefined) issues.push(invalid(SPEC.child('request'), fieldAt(spec, 'request') ?? null, problem));
  addIssues(issues, validateUsages(textsAt(spec, 'usages'), old === undefined ? [] : textsAt(old, 'spec', 'usages')));
  const signer = textAt(spec, 'signerName');
  if (signer === LEGACY_SIGNER && (old === undefined || textAt(old, 'spec', 'signerName') !== LEGACY_SIGNER))
    issues.push(invalid(SPEC.child('signerName'), signer, 'the legacy signerName is not allowed via this API version'));
  else addIssues(issues, validateSignerName(signer, SPEC.child('signerName')));
  const seconds = fieldAt(spec, 'expirationSeconds');
  if (seconds !== undefined && numberAt(spec, 'expirationSeconds') < MIN_EXPIRATION_SECONDS)
    issues.push(
      invalid(
        SPEC.child('expirationSeconds'),
        seconds,
        'may not specify a duration less than 600 seconds (10 minutes)',
      ),
    );
  addIssues(issues, validateConditions(conditionsOf(object), old === undefined ? [] : conditionsOf(old)));
  const certificate = textAt(object, 'status', 'certificate');
  const before = old === undefined ? undefined : textAt(old, 'status', 'certificate');
  if (certificate !== before && (before === undefined || certificateProblem(before) === undefined)) {
    const fault = certificateProblem(certificate);
    if (fault !== undefined) issues.push(invalid(CERTIFICATE, '<certificate data>', fault));
  }
  return issues;
}

function parseRequest(encoded: string): ParsedRequest {
  return parseCertificateRequestPem(decodeUtf8(decodeBase64(encoded) ?? new Uint8Array()));
}

function certificateProblem(encoded: string): string | undefined {
  return encoded === '' ? undefined : certificatesProblem(decodeUtf8(decodeBase64(encoded) ?? new Uint8Array()));
}

function validateUsages(usages: readonly string[], before: readonly string[]): FieldIssue[] {
  const path = SPEC.child('usages');
  const issues: FieldIssue[] = usages.length === 0 ? [required(path, '')] : [];
  if (before.every((usage) => USAGES.includes(usage)))
    for (const [i, usage] of usages.entries())
      if (!USAGES.includes(usage)) issues.push(notSupported(path.index(i), usage, USAGES));
  const seen = new Set<string>();
  if (new Set(before).size === before.length)
    for (const [i, usage] of usages.entries()) {
      if (seen.has(usage)) issues.push(duplicate(path.index(i), usage));
      seen.add(usage);
    }
  return issues;
}

function validateConditions(conditions: readonly JsonObject[], before: readonly JsonObject[]): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const oldTypes = before.map((condition) => textAt(condition, 'type'));
  const mayBeEmpty = oldTypes.includes('');
  const mayRepeat = new Set(oldTypes).size < oldTypes.length;
  const mayBeBoth = oldTypes.includes(APPROVED) && oldTypes.includes(DENIED);
  const seen = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    const path = CONDITIONS.index(i);
    const type = textAt(condition, 'type');
    const status = textAt(condition, 'status');
    if (type === '' && !mayBeEmpty) issues.push(required(path.child('type'), ''));
    const allowed = [APPROVED, DENIED, FAILED].includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') issues.push(required(path.child('status'), ''));
    else if (!allowed.includes(status)) issues.push(notSupported(path.child('status'), status, allowed));
    const opposite = type === APPROVED ? DENIED : type === DENIED ? APPROVED : undefined;
    if (opposite !== undefined && seen.has(opposite) && !mayBeBoth)
      issues.push(invalid(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive'));
    if (seen.has(type) && !mayRepeat) issues.push(duplicate(path.child('type'), type));
    seen.add(type);
  }
  return issues;
}

/** `may` is what this path may change beside conditions of other types. */
function validateChange(object: JsonObject, old: JsonObject, may: 'none' | 'approval' | 'certificate'): FieldIssue[] {
  // The signature was verified when the request was created.
  const issues = validateParts(object, old, undefined);
  const ofType = (one: JsonObject, type: string): readonly JsonObject[] =>
    conditionsOf(one).filter((condition) => condition['type'] === type);
  for (const type of [APPROVED, DENIED, FAILED])
    if (ofType(object, type).length < ofType(old, type).length)
      issues.push(forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`));
  if (may !== 'approval')
    for (const type of [APPROVED, DENIED]) {
      const [next, before] = [ofType(object, type), ofType(old, type)];
      if (next.length > before.length)
        issues.push(forbidden(CONDITIONS, `updates may not add a condition of type "${type}"`));
      else if (next.length === before.length && !equalJson([...next], [...before]))
        issues.push(forbidden(CONDITIONS, `updates may not modify a condition of type "${type}"`));
    }
  const before = textAt(old, 'status', 'certificate');
  if (textAt(object, 'status', 'certificate') !== before) {
    if (may !== 'certificate') issues.push(forbidden(CERTIFICATE, 'updates may not set certificate content'));
    else if (before !== '') issues.push(forbidden(CERTIFICATE, 'updates may not modify existing certificate content'));
  }
  addIssues(issues, validateMetaUpdate(object, old));
  return issues;
}
