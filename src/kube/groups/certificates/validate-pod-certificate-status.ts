/** Validation of updates of a PodCertificateRequest's status. */
import { numberAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { parseTime } from '../../../apimachinery/scalars/time.ts';
import {
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { decodeBase64 } from '../../../base/base64.ts';
import { equalBytes } from '../../../base/bytes.ts';
import { equalJson, type JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { type Certificate, parseCertificate } from '../../../pki/certificate.ts';
import { parseCertificateRequest } from '../../../pki/certificate-request.ts';
import { parsePem } from '../../../pki/pem.ts';
import type { StrategyContext } from '../../../server/resource/strategy.ts';
import { validateConditions } from '../../shared/conditions.ts';
import { validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const STATUS = FieldPath.of('status');
const CHAIN = STATUS.child('certificateChain');
/** The types of the conditions that end a request. */
export const TERMINAL_TYPES: readonly string[] = ['Issued', 'Denied', 'Failed'];
const MAX_CHAIN = 100 * 1024;
/** In seconds. */
const HOUR = 3_600;
const MINUTE_MS = 60_000;

export function validatePodCertificateRequestStatusUpdate(
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
