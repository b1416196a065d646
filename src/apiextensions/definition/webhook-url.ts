/**
 * The address of a webhook that is given as a URL. Invariant: what Go's parser refuses is refused in its words; what it accepts is judged by its parts.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { type FieldIssue, invalid, required } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';

const FORM = '; desired format: https://host[/path]';

export function validateWebhookUrl(text: string, path: FieldPath): FieldIssue[] {
  const url = splitUrl(text);
  if ('problem' in url)
    return [required(path, `url must be a valid URL: parse ${quote(url.shown)}: ${url.problem}${FORM}`)];
  const issues: FieldIssue[] = [];
  if (url.scheme !== 'https') issues.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (url.host === '') issues.push(invalid(path, url.host, `host must be specified${FORM}`));
  if (url.user !== undefined) issues.push(invalid(path, url.user, 'user information is not permitted in the URL'));
  if (url.fragment !== '') issues.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'));
  if (url.query !== '') issues.push(invalid(path, url.query, 'query parameters are not permitted in the URL'));
  return issues;
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

type SplitUrl = UrlParts | { readonly problem: string; readonly shown: string };

function splitUrl(text: string): SplitUrl {
  const [beforeFragment = '', ...afterHash] = text.split('#');
  const fragment = afterHash.join('#');
  const failed = (problem: string): SplitUrl => ({ problem, shown: beforeFragment });
  for (const char of beforeFragment) {
    const code = char.codePointAt(0) as number;
    if (code < 0x20 || code === 0x7f) return failed('net/url: invalid control character in URL');
  }
  if (beforeFragment.startsWith(':')) return failed('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(beforeFragment)?.[1];
  const rest = scheme === undefined ? beforeFragment : beforeFragment.slice(scheme.length + 1);
  const queryAt = rest.indexOf('?');
  const query = queryAt < 0 ? '' : rest.slice(queryAt + 1);
  const place = queryAt < 0 ? rest : rest.slice(0, queryAt);
  const none = { scheme: (scheme ?? '').toLowerCase(), host: '', user: undefined, query, fragment: decoded(fragment) };
  if (!place.startsWith('/')) {
    // `mailto:x` has no path at all; without a scheme a colon in the first step would look like one.
    if (scheme === undefined && (place.split('/')[0] ?? '').includes(':'))
      return failed('first path segment in URL cannot contain colon');
    return none;
  }
  if (!place.startsWith('//') || place.startsWith('///')) return escapeProblem(place, failed) ?? none;
  const end = place.indexOf('/', 2);
  const authority = end < 0 ? place.slice(2) : place.slice(2, end);
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const problem = hostProblem(host);
  if (problem !== undefined) return failed(problem);
  const user = at < 0 ? undefined : authority.slice(0, at);
  if (user !== undefined && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return failed('net/url: invalid userinfo');
  return escapeProblem(end < 0 ? '' : place.slice(end), failed) ?? { ...none, host, user };
}

function hostProblem(host: string): string | undefined {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : 0;
  if (bracket < 0) return "missing ']' in host";
  const colon = bracket === 0 ? host.lastIndexOf(':') : bracket + 1;
  const port = colon < 0 ? '' : host.slice(colon);
  if (port !== '' && !/^:[0-9]*$/.test(port)) return `invalid port ${quote(port)} after host`;
  const bad = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return bad === undefined ? undefined : `invalid character ${quote(bad)} in host name`;
}

function escapeProblem(path: string, failed: (problem: string) => SplitUrl): SplitUrl | undefined {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path)?.[0];
  return bad === undefined ? undefined : failed(`invalid URL escape ${quote(bad)}`);
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // Not UTF-8 once decoded: shown as it was written.
    return fragment;
  }
}
