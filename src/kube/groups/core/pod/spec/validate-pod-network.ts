/** Validation of a pod's host ports, DNS settings, hostnames and host aliases. The functions append to `issues`. */
import {
  fieldAt,
  flagAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  required,
  tooLong,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import {
  checkDns1123Subdomain,
  checkDns1123SubdomainWithUnderscore,
} from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { utf8Length } from '../../../../../base/utf8.ts';
import { validateLegacyIp } from '../../../../shared/ip.ts';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_BYTES = 2048;
const MAX_HOSTNAME = 64;

/** On the host network, hostPort must equal containerPort. In a template it may be absent. */
export function validateHostNetworkPorts(
  spec: JsonObject,
  isPod: boolean,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  if (!flagAt(spec, 'hostNetwork')) return;
  objectsAt(spec, 'containers').forEach((container, i) => {
    objectsAt(container, 'ports').forEach((port, j) => {
      const hostPort = numberAt(port, 'hostPort');
      if ((!isPod && Number(hostPort) === 0) || hostPort === numberAt(port, 'containerPort')) return;
      const at = path.child('containers').index(i).child('ports').index(j).child('hostPort');
      issues.push(invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
    });
  });
}

export function validateDnsConfig(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const config = objectAt(spec, 'dnsConfig');
  const servers = config === undefined ? [] : textsAt(config, 'nameservers');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    const when = 'when `dnsPolicy` is None';
    if (config === undefined) {
      issues.push(required(path, `must provide \`dnsConfig\` ${when}`));
      return;
    }
    if (servers.length === 0) {
      issues.push(required(path.child('nameservers'), `must provide at least one DNS nameserver ${when}`));
      return;
    }
  }
  if (config === undefined) return;
  const at = path.child('nameservers');
  if (servers.length > MAX_NAMESERVERS)
    issues.push(declared(invalid(at, [...servers], `must not have more than ${MAX_NAMESERVERS} nameservers`)));
  servers.forEach((server, i) => {
    addIssues(issues, validateLegacyIp(server, at.index(i)));
  });
  validateSearches(textsAt(config, 'searches'), path.child('searches'), issues);
  objectsAt(config, 'options').forEach((option, i) => {
    if (textAt(option, 'name') === '') issues.push(required(path.child('options').index(i), 'must not be empty'));
  });
}

function validateSearches(searches: readonly string[], path: FieldPath, issues: FieldIssue[]): void {
  if (searches.length > MAX_SEARCHES)
    issues.push(declared(invalid(path, [...searches], `must not have more than ${MAX_SEARCHES} search paths`)));
  if (utf8Length(searches.join(' ')) > MAX_SEARCH_BYTES) {
    const detail = `must not have more than ${MAX_SEARCH_BYTES} characters (including spaces) in the search list`;
    issues.push(declared(invalid(path, [...searches], detail)));
  }
  searches.forEach((search, i) => {
    if (search === '.') return;
    const domain = search.endsWith('.') ? search.slice(0, -1) : search;
    for (const complaint of checkDns1123SubdomainWithUnderscore(domain))
      issues.push(invalid(path.index(i), domain, complaint));
  });
}

/** `path` is the path of the spec. */
export function validateHostnameOverride(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const name = fieldAt(spec, 'hostnameOverride');
  if (typeof name !== 'string') return;
  const at = path.child('hostnameOverride');
  if (flagAt(spec, 'setHostnameAsFQDN'))
    issues.push(forbidden(at, 'may not be specified when setHostnameAsFQDN is true'));
  if (flagAt(spec, 'hostNetwork')) issues.push(forbidden(at, 'may not be specified when hostNetwork is true'));
  if (utf8Length(name) > MAX_HOSTNAME) issues.push(tooLong(at, name, MAX_HOSTNAME));
  for (const complaint of checkDns1123Subdomain(name)) issues.push(invalid(at, name, complaint));
}

export function validateHostAliases(spec: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  objectsAt(spec, 'hostAliases').forEach((alias, i) => {
    addIssues(issues, validateLegacyIp(textAt(alias, 'ip'), path.index(i).child('ip')));
    textsAt(alias, 'hostnames').forEach((name, j) => {
      for (const complaint of checkDns1123Subdomain(name))
        issues.push(invalid(path.index(i).child('hostnames').index(j), name, complaint));
    });
  });
}
