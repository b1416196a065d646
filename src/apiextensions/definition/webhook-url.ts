/** The address of a webhook that is given as a URL. Invariant: it is read as Go reads it; what cannot be read is told in Go's words. */
import { type FieldIssue, invalid, required } from '../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { type GoUrl, parseUrl } from '../../cel/libraries/go-url.ts';
import { encodeFor, unescapeFor } from '../../cel/libraries/go-url-escape.ts';

const FORM = '; desired format: https://host[/path]';

export function validateWebhookUrl(text: string, path: FieldPath): FieldIssue[] {
  const parsed = parseUrl(text);
  if (!parsed.ok) return [required(path, `url must be a valid URL: ${parsed.message}${FORM}`)];
  const { scheme, host, user, escapedFragment, query } = parsed.value;
  const issues: FieldIssue[] = [];
  if (scheme !== 'https') issues.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') issues.push(invalid(path, host, `host must be specified${FORM}`));
  if (user !== undefined) issues.push(invalid(path, formatUser(user), 'user information is not permitted in the URL'));
  if (escapedFragment !== '') {
    const fragment = unescapeFor(escapedFragment, 'fragment');
    issues.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  }
  if (query !== '') issues.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return issues;
}

function formatUser({ name, password }: NonNullable<GoUrl['user']>): string {
  const shown = encodeFor(name, 'user');
  return password === undefined ? shown : `${shown}:${encodeFor(password, 'user')}`;
}
