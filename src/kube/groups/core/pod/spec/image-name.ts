/** Parsing of container image names, as far as the default pull policy needs it. Takes linear time. */

const DEFAULT_DOMAIN = 'docker.io';
const MAX_PATH = 255;

const PATH_COMPONENT = /^[a-z0-9]+(?:(?:__|[._]|-+)[a-z0-9]+)*$/;
const DOMAIN_COMPONENT = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const IPV6_HOST = /^\[[a-fA-F0-9:]+\]$/;
const PORT = /:[0-9]+$/;
const TAG = /^\w[\w.-]{0,127}$/;
const IDENTIFIER = /^[a-f0-9]{64}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;

/**
 * `Always` for the tag `latest`, whether explicit or implied. `IfNotPresent` for all else, malformed names included.
 */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The tag. `latest` for a name with neither tag nor digest; '' for a malformed name or one with only a digest. */
export function imageTag(image: string): string {
  if (IDENTIFIER.test(image)) return '';
  const [domain, remainder] = splitDomain(image);
  const at = remainder.indexOf('@');
  const digest = at < 0 ? undefined : remainder.slice(at + 1);
  if (digest !== undefined && !DIGEST.test(digest)) return '';
  const named = at < 0 ? remainder : remainder.slice(0, at);
  const colon = named.indexOf(':');
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  if (tag !== undefined && !TAG.test(tag)) return '';
  const path = colon < 0 ? named : named.slice(0, colon);
  if (!path.split('/').every((part) => PATH_COMPONENT.test(part))) return '';
  // Text that is not a domain may still be the first component of the path.
  const whole = isDomain(domain) ? path : PATH_COMPONENT.test(domain) ? `${domain}/${path}` : '';
  if (whole === '' || whole.length > MAX_PATH) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** Splits into registry and path. Without a registry, it is `docker.io`; a single component is in `library/` there. */
function splitDomain(image: string): readonly [string, string] {
  const slash = image.indexOf('/');
  if (slash < 0) return [DEFAULT_DOMAIN, `library/${image}`];
  const first = image.slice(0, slash);
  const rest = image.slice(slash + 1);
  if (first === `index.${DEFAULT_DOMAIN}` || first === DEFAULT_DOMAIN)
    return [DEFAULT_DOMAIN, rest.includes('/') ? rest : `library/${rest}`];
  const isDomainLike = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  return isDomainLike ? [first, rest] : [DEFAULT_DOMAIN, image];
}

function isDomain(text: string): boolean {
  const host = text.replace(PORT, '');
  return IPV6_HOST.test(host) || host.split('.').every((part) => DOMAIN_COMPONENT.test(part));
}
