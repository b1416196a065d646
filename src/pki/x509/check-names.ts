/**
 * Checks the names of a chain against the name constraints of its authorities (RFC 5280, 4.2.1.10), with Go's rules and
 * messages: the constraints of a certificate apply to every certificate below it, and to all of its alternative names.
 * Invariant: the work is linear in the number of names and logarithmic in the number of constraints.
 */
import { parseAddress } from '../../apimachinery/go/go-netip.ts';
import { quote } from '../../apimachinery/go-format.ts';
import type { Certificate } from '../certificate.ts';
import { formatIp, plainIp } from '../ip.ts';
import type { AlternativeNames, AlternativeUri } from './alternative-names.ts';
import { isDomainName } from './domain-name.ts';
import { DomainSet } from './domain-set.ts';
import { formatMailbox, type Mailbox, parseMailbox } from './mailbox.ts';
import type { NameConstraints, Network, Subtrees } from './name-constraints.ts';
import { formatNetwork, NetworkSet } from './networks.ts';

/** A test of one type of name. Returns the constraint that matches, as messages show it. */
type Lookup<T> = (name: T) => string | undefined;

/** The lookups of the permitted or the excluded subtrees; undefined for a type that has none. */
interface Lookups {
  readonly ip: Lookup<Uint8Array> | undefined;
  readonly dns: Lookup<string> | undefined;
  readonly uri: Lookup<string> | undefined;
  readonly email: Lookup<Mailbox> | undefined;
}

interface Constraints {
  /** The place of the authority in the chain. */
  readonly index: number;
  readonly permitted: Lookups;
  readonly excluded: Lookups;
}

interface ParsedNames {
  readonly names: AlternativeNames;
  readonly uris: readonly { readonly text: string; readonly domain: string }[];
  readonly emails: readonly Mailbox[];
}

/** `chain` is the leaf first. Returns undefined if all names are allowed, otherwise Go's message. */
export function nameConstraintsProblem(chain: readonly Certificate[]): string | undefined {
  const all: Constraints[] = [];
  for (const [index, { extensions }] of chain.entries())
    if (extensions.nameConstraints !== undefined) all.push(constraintsOf(index, extensions.nameConstraints));
  for (const [index, { extensions }] of chain.entries()) {
    const names = extensions.alternativeNames;
    if (names === undefined) continue;
    const above = all.filter((constraints) => constraints.index > index);
    if (above.length === 0) return undefined;
    const parsed = parseNames(names);
    if (typeof parsed === 'string') return parsed;
    for (const constraints of above) {
      const problem = checkNames(constraints, parsed);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function constraintsOf(index: number, { permitted, excluded }: NameConstraints): Constraints {
  return { index, permitted: lookupsOf(permitted, true), excluded: lookupsOf(excluded, false) };
}

function lookupsOf({ networks, dnsNames, uriDomains, emailAddresses }: Subtrees, isPermitted: boolean): Lookups {
  return {
    ip: networks.length === 0 ? undefined : networkLookup(networks),
    dns: domainLookup(dnsNames, isPermitted),
    uri: domainLookup(uriDomains, isPermitted),
    email: emailAddresses.length === 0 ? undefined : emailLookup(emailAddresses, isPermitted),
  };
}

function networkLookup(networks: readonly Network[]): Lookup<Uint8Array> {
  const [v4, v6] = [4, 16].map((size) => new NetworkSet(networks.filter(({ address }) => address.length === size)));
  return (address) => {
    const found = (address.length === 4 ? v4 : v6)?.find(address);
    return found === undefined ? undefined : formatNetwork(found);
  };
}

function domainLookup(domains: readonly string[], isPermitted: boolean): Lookup<string> | undefined {
  if (domains.length === 0) return undefined;
  const set = new DomainSet(domains);
  return (name) => set.find(name) ?? (isPermitted ? undefined : set.findUnderWildcard(name));
}

/** A constraint with `@` is a whole address; another one is a domain. */
function emailLookup(constraints: readonly string[], isPermitted: boolean): Lookup<Mailbox> {
  const addresses = new Set<string>();
  const domains: string[] = [];
  for (const constraint of constraints) {
    const mailbox = constraint.includes('@') ? parseMailbox(constraint) : undefined;
    if (mailbox === undefined) domains.push(constraint);
    else addresses.add(formatMailbox(lowerDomain(mailbox)));
  }
  const byDomain = domainLookup(domains, isPermitted);
  return (mailbox) => {
    const text = formatMailbox(mailbox);
    return addresses.has(text) ? text : byDomain?.(mailbox.domain);
  };
}

function parseNames(names: AlternativeNames): ParsedNames | string {
  const uris: { text: string; domain: string }[] = [];
  for (const uri of names.uris) {
    const parsed = domainOf(uri);
    if ('problem' in parsed) return parsed.problem;
    uris.push({ text: uri.text, domain: parsed.domain });
  }
  const emails: Mailbox[] = [];
  for (const email of names.emailAddresses) {
    const mailbox = parseMailbox(email);
    if (mailbox === undefined) return `cannot parse rfc822Name ${quote(email)}`;
    emails.push(lowerDomain(mailbox));
  }
  return { names, uris, emails };
}

function lowerDomain({ local, domain }: Mailbox): Mailbox {
  return { local, domain: domain.toLowerCase() };
}

/** Returns the host of a URI without its port. Constraints do not apply to IP addresses. */
function domainOf({ text, host }: AlternativeUri): { readonly domain: string } | { readonly problem: string } {
  if (host === '') return { problem: `URI with empty host (${quote(text)}) cannot be matched against constraints` };
  let domain = host.toLowerCase();
  if (host.includes(':') && !host.endsWith(']')) {
    const reason = portProblem(host);
    if (reason !== undefined) return { problem: `cannot parse URI host ${quote(host)}: address ${host}: ${reason}` };
    domain = host.slice(0, host.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  }
  if (parseAddress(domain).ok || (domain.startsWith('[') && domain.endsWith(']')))
    return { problem: `URI with IP (${quote(text)}) cannot be matched against constraints` };
  return { domain };
}

/** Returns why `host:port` cannot be split, in the words of Go's net.SplitHostPort. */
function portProblem(host: string): string | undefined {
  const bracket = host.startsWith('[') ? host.indexOf(']') : -1;
  const isSplit = host.lastIndexOf(':') === (bracket < 0 ? host.indexOf(':') : bracket + 1);
  if (!isSplit) return 'too many colons in address';
  return host.includes(']', bracket + 1) ? "unexpected ']' in address" : undefined;
}

function checkNames({ permitted, excluded }: Constraints, { names, uris, emails }: ParsedNames): string | undefined {
  for (const address of names.ipAddresses) {
    const text = formatIp(plainIp(address)) as string;
    const problem = check('IP address', text, address, permitted.ip, excluded.ip);
    if (problem !== undefined) return problem;
  }
  for (const name of names.dnsNames) {
    if (!isDomainName(name, false)) return `x509: cannot parse dnsName ${quote(name)}`;
    const problem = check('DNS name', name, name, permitted.dns, excluded.dns);
    if (problem !== undefined) return problem;
  }
  for (const { text, domain } of uris) {
    if (!isDomainName(domain, false)) return `x509: internal error: URI SAN ${quote(text)} failed to parse`;
    const problem = check('URI', text, domain, permitted.uri, excluded.uri);
    if (problem !== undefined) return problem;
  }
  for (const mailbox of emails) {
    const problem = check('email address', formatMailbox(mailbox), mailbox, permitted.email, excluded.email);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Checks one name: some permitted subtree must contain it, if there is any, and no excluded one. */
function check<T>(
  type: string,
  text: string,
  name: T,
  permitted: Lookup<T> | undefined,
  excluded: Lookup<T> | undefined,
): string | undefined {
  if (permitted !== undefined && permitted(name) === undefined)
    return `${type} ${quote(text)} is not permitted by any constraint`;
  const constraint = excluded?.(name);
  return constraint === undefined ? undefined : `${type} ${quote(text)} is excluded by constraint ${quote(constraint)}`;
}
