/** Validation of iSCSI volumes. Takes linear time. */
import { flagAt, numberAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { rangeText } from '../../../../apimachinery/validation/text-rules.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { utf8Length } from '../../../../base/utf8.ts';

export const MAX_LUN = 255;
const MAX_PORTAL = 64;
export const PORTAL_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
const MALFORMED = 'must be valid format';
const MALFORMED_START = 'must be valid format starting with iqn, eui, or naa';

const EUI = /^eui[^\n][A-Za-z0-9]{16}$/;
const NAA = /^naa[^\n][A-Za-z0-9]{32}$/;
const IQN_START = /iqn\.[0-9]{4}-[0-9]{2}\../;
const NAME_CHARACTER = /[A-Za-z0-9.-]/;
const ENDING_SIGN = /[,;*&$|\t\n\f\r ]/;

/** The rules for volumes of a pod. */
export function validateIscsi(iscsi: JsonObject, path: FieldPath): FieldIssue[] {
  return [
    ...validatePortal(iscsi, path),
    ...validateInitiator(textAt(iscsi, 'iqn'), path.child('iqn'), MALFORMED_START, true),
    ...validateAccess(iscsi, path),
    ...validateInitiatorName(iscsi, path, MALFORMED_START),
  ];
}

/** The rules for PersistentVolumes. */
export function validatePersistentIscsi(iscsi: JsonObject, path: FieldPath, volumeName: string): FieldIssue[] {
  const secret = objectAt(iscsi, 'secretRef');
  return [
    ...validatePortal(iscsi, path),
    ...(isPortalTooLong(iscsi, volumeName)
      ? [invalid(path.child('targetportal'), textAt(iscsi, 'targetPortal'), PORTAL_TOO_LONG)]
      : []),
    ...validateInitiator(textAt(iscsi, 'iqn'), path.child('iqn'), MALFORMED, true),
    ...validateAccess(iscsi, path),
    ...(secret !== undefined && textAt(secret, 'name') === '' ? [required(path.child('secretRef', 'name'), '')] : []),
    ...validateInitiatorName(iscsi, path, MALFORMED),
  ];
}

/** With initiatorName set, the interface is named after volume and portal, and its name has a maximal length. */
export function isPortalTooLong(iscsi: JsonObject, volumeName: string): boolean {
  if (iscsi['initiatorName'] === undefined) return false;
  return utf8Length(`${volumeName}:${textAt(iscsi, 'targetPortal')}`) > MAX_PORTAL;
}

function validatePortal(iscsi: JsonObject, path: FieldPath): FieldIssue[] {
  return textAt(iscsi, 'targetPortal') === '' ? [required(path.child('targetPortal'), '')] : [];
}

function validateAccess(iscsi: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const lun = numberAt(iscsi, 'lun');
  if (lun < 0 || lun > MAX_LUN) issues.push(invalid(path.child('lun'), lun, rangeText(0, MAX_LUN)));
  const usesSecret = flagAt(iscsi, 'chapAuthDiscovery') || flagAt(iscsi, 'chapAuthSession');
  if (usesSecret && objectAt(iscsi, 'secretRef') === undefined) issues.push(required(path.child('secretRef'), ''));
  return issues;
}

function validateInitiatorName(iscsi: JsonObject, path: FieldPath, wrongStart: string): FieldIssue[] {
  const name = iscsi['initiatorName'];
  if (typeof name !== 'string') return [];
  return validateInitiator(name, path.child('initiatorname'), wrongStart, false);
}

function validateInitiator(name: string, path: FieldPath, wrongStart: string, isRequired: boolean): FieldIssue[] {
  if (name === '' && isRequired) return [required(path, '')];
  const start = name.slice(0, 3);
  if (start !== 'iqn' && start !== 'eui' && start !== 'naa') return [invalid(path, name, wrongStart)];
  const isWellFormed = start === 'iqn' ? isIqn(name) : (start === 'eui' ? EUI : NAA).test(name);
  return isWellFormed ? [] : [invalid(path, name, MALFORMED)];
}

/**
 * Whether the text ends in `iqn.<year>-<month>.<name>:<rest>`, where the rest has no character of ENDING_SIGN. That
 * part starts after the last such character, and its name ends at a colon, so each part between colons is checked once.
 */
function isIqn(text: string): boolean {
  let start = text.length;
  while (start > 0 && !ENDING_SIGN.test(text.charAt(start - 1))) start--;
  const parts = text.slice(start).split(':');
  return parts.some((part, i) => {
    const hasRest = i < parts.length - 1 && (i < parts.length - 2 || parts[i + 1] !== '');
    if (!hasRest) return false;
    let from = part.length;
    while (from > 0 && NAME_CHARACTER.test(part.charAt(from - 1))) from--;
    return IQN_START.test(part.slice(from));
  });
}
