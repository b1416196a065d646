/** Validation of the names of drivers, pools, requests and attributes. */
import { type FieldIssue, invalid, required, tooLong } from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import {
  checkCIdentifier,
  checkDns1123Label,
  checkDns1123Subdomain,
} from '../../../apimachinery/validation/name-syntax.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { validateCsiDriverName } from '../core/volume/csi-name.ts';

const MAX_POOL_NAME = 253;
const MAX_ID = 32;

/** Driver names have the syntax of CSI driver names. */
export const validateDriverName: (name: string, path: FieldPath) => FieldIssue[] = validateCsiDriverName;

export function validateLabel(name: string, path: FieldPath): FieldIssue[] {
  return checkDns1123Label(name).map((complaint) => invalid(path, name, complaint));
}

export function validateSubdomain(name: string, path: FieldPath): FieldIssue[] {
  return checkDns1123Subdomain(name).map((complaint) => invalid(path, name, complaint));
}

/** A pool name consists of DNS subdomains separated by slashes. */
export function validatePoolName(name: string, path: FieldPath): FieldIssue[] {
  if (name === '') return [required(path, '')];
  const issues = isLongerThan(name, MAX_POOL_NAME) ? [tooLong(path, undefined, MAX_POOL_NAME)] : [];
  return [...issues, ...name.split('/').flatMap((part) => validateSubdomain(part, path))];
}

/**
 * The name of an attribute or capacity: an identifier with an optional domain. kube-apiserver accepts any name with
 * more than one slash.
 */
export function validateQualifiedName(name: string, path: FieldPath): FieldIssue[] {
  const [first = '', second, ...more] = name.split('/');
  if (second === undefined) return validateIdentifier(first, path);
  if (more.length > 0) return [];
  return [
    ...(first === '' ? [invalid(path, '', 'the domain must not be empty')] : validateDriverName(first, path)),
    ...(second === '' ? [invalid(path, '', 'the name must not be empty')] : validateIdentifier(second, path)),
  ];
}

/** As `validateQualifiedName`, but the domain is required. */
export function validateFullyQualifiedName(name: string, path: FieldPath): FieldIssue[] {
  const issues = validateQualifiedName(name, path);
  if (!name.includes('/'))
    issues.push(invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
  return issues;
}

function validateIdentifier(id: string, path: FieldPath): FieldIssue[] {
  return [
    ...(isLongerThan(id, MAX_ID) ? [tooLong(path, undefined, MAX_ID)] : []),
    ...checkCIdentifier(id).map((complaint) => invalid(path, id, complaint)),
  ];
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function validateUid(uid: string, path: FieldPath): FieldIssue[] {
  if (UUID.test(uid)) return [];
  const problem = uuidProblem(uid);
  if (problem !== undefined) return [invalid(path, uid, `error validating uid: ${problem}`)];
  const form = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  const text = `uid must be in RFC 4122 normalized form, \`${form}\` with lowercase hexadecimal characters`;
  return [invalid(path, uid, text)];
}

/** Returns the error of github.com/google/uuid, which accepts four forms of UUIDs, or undefined. */
function uuidProblem(text: string): string | undefined {
  const length = utf8Length(text);
  if (length === 32) return /^[0-9a-f]+$/i.test(text) ? undefined : 'invalid UUID format';
  if (length === 45 && text.slice(0, 9).toLowerCase() !== 'urn:uuid:')
    return `invalid urn prefix: ${JSON.stringify(text.slice(0, 9))}`;
  if (length === 38 && !/^\{.*\}$/.test(text)) return 'invalid bracketed UUID format';
  if (![36, 38, 45].includes(length)) return `invalid UUID length: ${length}`;
  const bare = length === 45 ? text.slice(9) : length === 38 ? text.slice(1, -1) : text;
  return UUID.test(bare.toLowerCase()) ? undefined : 'invalid UUID format';
}
