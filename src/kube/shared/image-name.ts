/** Names of container images, as far as defaults depend on them. Invariant: total and linear; what is no image name has no tag. */

const DEFAULT_DOMAIN = 'docker.io';
const MAX_PATH = 255;

const PATH_COMPONENT = /^[a-z0-9]+(?:(?:__|[._]|-+)[a-z0-9]+)*$/;
const DOMAIN_COMPONENT = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const IPV6_HOST = /^\[[a-fA-F0-9:]+\]$/;
const PORT = /:[0-9]+$/;
const TAG = /^\w[\w.-]{0,127}$/;
const IDENTIFIER = /^[a-f0-9]{64}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;

/** `Always` for the tag latest, given or meant; `IfNotPresent` for everything else, what is no image name included. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

/** The tag of an image; `latest` if it has neither tag nor digest; '' if it has only a digest or is no image name. */
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
  // What is no domain may still be the first part of the path.
  const whole = isDomain(domain) ? path : PATH_COMPONENT.test(domain) ? `${domain}/${path}` : '';
  if (whole === '' || whole.length > MAX_PATH) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** The registry and the rest; names without a registry are those of the default one, single names in its library. */
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
