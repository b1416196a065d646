/** Validation of signer names, such as `example.com/signer`, and of the names of a signer's ClusterTrustBundles. */
import { quote } from '../../apimachinery/go-format.ts';
import { addIssues, type FieldIssue, invalid, required, tooLong } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../apimachinery/validation/name-rules.ts';
import {
  type Complaints,
  checkDns1123Label,
  checkDns1123Subdomain,
  DNS_LABEL_MAX,
  DNS_SUBDOMAIN_MAX,
} from '../../apimachinery/validation/name-syntax.ts';
import { utf8Length } from '../../base/utf8.ts';

const MAX_SIGNER_NAME: number = DNS_SUBDOMAIN_MAX + 1 + DNS_SUBDOMAIN_MAX + 1 + DNS_LABEL_MAX;

export function validateSignerName(name: string, path: FieldPath): FieldIssue[] {
  if (name === '') return [required(path, '')];
  const [domain, last, ...more] = name.split('/');
  if (domain === undefined || last === undefined || more.length > 0)
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const issues: FieldIssue[] = [];
  if (utf8Length(domain) > DNS_SUBDOMAIN_MAX) issues.push(tooLong(path, undefined, DNS_SUBDOMAIN_MAX));
  addIssues(issues, validateLabels(domain, checkDns1123Label, path));
  if (!domain.includes('.'))
    issues.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  addIssues(issues, validateLabels(last, checkDns1123Subdomain, path));
  if (utf8Length(name) > MAX_SIGNER_NAME) issues.push(tooLong(path, undefined, MAX_SIGNER_NAME));
  return issues;
}

/** Reports the first malformed label only. */
function validateLabels(text: string, check: (label: string) => Complaints, path: FieldPath): FieldIssue[] {
  for (const label of text.split('.')) {
    const complaints = check(label);
    if (complaints.length > 0)
      return complaints.map((complaint) => invalid(path, text, `validating label ${quote(label)}: ${complaint}`));
  }
  return [];
}

export function isKubernetesSigner(name: string): boolean {
  const [host = ''] = name.split('/', 1);
  return host === 'kubernetes.io' || host.endsWith('.kubernetes.io');
}

/** Checks the name of a ClusterTrustBundle. `signer` is its signer name, '' for none. */
export function checkTrustBundleName(name: string, signer: string, prefix = false): Complaints {
  if (signer === '')
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : nameIsDnsSubdomain(name, prefix);
  const start = `${signer.replaceAll('/', ':')}:`;
  return name.startsWith(start)
    ? nameIsDnsSubdomain(name.slice(start.length), prefix)
    : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${start}`];
}

/** The signer name that is part of a ClusterTrustBundle's name, or '' if there is none. */
export function signerOfTrustBundle(name: string): string {
  const end = name.lastIndexOf(':');
  return end < 0 ? '' : name.slice(0, end).replaceAll(':', '/');
}
