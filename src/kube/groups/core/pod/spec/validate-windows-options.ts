/** Validation of a security context's windowsOptions. */
import { fieldAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid } from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain } from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { utf8Length } from '../../../../../base/utf8.ts';

const CREDENTIAL_SPEC_MAX_KIB = 64;
const DOMAIN_MAX = 256;
const USER_MAX = 104;
const NET_BIOS_NAME = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const DNS_DOMAIN =
  /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Appends to `issues`. Absent options are valid. */
export function validateWindowsOptions(options: JsonObject | undefined, path: FieldPath, issues: FieldIssue[]): void {
  if (options === undefined) return;
  const specName = fieldAt(options, 'gmsaCredentialSpecName');
  if (typeof specName === 'string')
    for (const complaint of checkDns1123Subdomain(specName))
      issues.push(invalid(path.child('gmsaCredentialSpecName'), specName, complaint));
  const spec = fieldAt(options, 'gmsaCredentialSpec');
  if (typeof spec === 'string') {
    const at = path.child('gmsaCredentialSpec');
    if (spec === '') issues.push(invalid(at, spec, 'gmsaCredentialSpec cannot be an empty string'));
    else if (utf8Length(spec) > CREDENTIAL_SPEC_MAX_KIB * 1024)
      issues.push(invalid(at, spec, `gmsaCredentialSpec size must be under ${CREDENTIAL_SPEC_MAX_KIB} KiB`));
  }
  const user = fieldAt(options, 'runAsUserName');
  if (typeof user === 'string')
    for (const complaint of userNameComplaints(user))
      issues.push(invalid(path.child('runAsUserName'), user, complaint));
}

/** The name must be `user` or `DOMAIN\user`. */
function userNameComplaints(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (hasControlCharacter(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? (parts[0] as string) : undefined;
  const user = parts[parts.length - 1] as string;
  const complaints: string[] = [];
  if (domain !== undefined && utf8Length(domain) >= DOMAIN_MAX)
    complaints.push(`runAsUserName's Domain length must be under ${DOMAIN_MAX} characters`);
  if (domain !== undefined && !NET_BIOS_NAME.test(domain) && !DNS_DOMAIN.test(domain))
    complaints.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === '') complaints.push("runAsUserName's User cannot be empty");
  else if (utf8Length(user) > USER_MAX)
    complaints.push(`runAsUserName's User length must not be longer than ${USER_MAX} characters`);
  if (/^[. ]+$/.test(user)) complaints.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    complaints.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return complaints;
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
