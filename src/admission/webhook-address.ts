/**
 * The reading and validation of a webhook's address, which is a URL or a Service.
 * Invariant: a URL is parsed as Go's net/url parses it, and parse errors have Go's messages.
 */

import { type GoUrl, parseUrl } from '../apimachinery/go/go-url.ts';
import { encodeFor, unescapeFor } from '../apimachinery/go/go-url-escape.ts';
import { fieldAt, numberAt, objectAt, textAt } from '../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../apimachinery/validation/field-path.ts';
import { checkDns1123Subdomain, checkPortNumber } from '../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { WebhookService } from './post-review.ts';

const FORM = '; desired format: https://host[/path]';

const DEFAULT_PORT = 443;

/** Returns the Service of a webhook's client configuration, which is valid; undefined if it has a URL. */
export function webhookServiceOf(config: JsonObject): WebhookService | undefined {
  const service = objectAt(config, 'service');
  return (
    service && {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      port: Number(numberAt(service, 'port')) || DEFAULT_PORT,
      path: textAt(service, 'path'),
    }
  );
}

/** Validates `url` and `service` of a webhook's client configuration: exactly one of them must be set. */
export function validateWebhookAddress(config: JsonObject, path: FieldPath): FieldIssue[] {
  const url = fieldAt(config, 'url');
  const service = objectAt(config, 'service');
  if ((url === undefined) === (service === undefined))
    return [required(path, 'exactly one of url or service is required')];
  if (service !== undefined) return validateService(service, path.child('service'));
  return validateUrl(String(url), path.child('url'));
}

function validateUrl(text: string, path: FieldPath): FieldIssue[] {
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

/** As in the reference, an empty namespace is reported at `name`, and an empty name at `namespace`. */
function validateService(service: JsonObject, path: FieldPath): FieldIssue[] {
  const port = Number(numberAt(service, 'port'));
  const issues: FieldIssue[] = [];
  if (textAt(service, 'namespace') === '') issues.push(required(path.child('name'), ''));
  if (textAt(service, 'name') === '') issues.push(required(path.child('namespace'), ''));
  const problems = checkPortNumber(port);
  if (problems.length > 0) issues.push(invalid(path.child('port'), port, `port is not valid: ${problems.join(', ')}`));
  const urlPath = fieldAt(service, 'path');
  if (typeof urlPath === 'string') issues.push(...validateServicePath(urlPath, path.child('path')));
  return issues;
}

function validateServicePath(urlPath: string, path: FieldPath): FieldIssue[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalid(path, urlPath, 'segment[0] may not be empty')];
  const issues = urlPath.startsWith('/') ? [] : [invalid(path, urlPath, "must start with a '/'")];
  const inner = urlPath.slice(1);
  const steps = (inner.endsWith('/') ? inner.slice(0, -1) : inner).split('/');
  for (const [i, step] of steps.entries()) {
    if (step === '') issues.push(invalid(path, urlPath, `segment[${i}] may not be empty`));
    else
      for (const problem of checkDns1123Subdomain(step))
        issues.push(invalid(path, urlPath, `segment[${i}]: ${problem}`));
  }
  return issues;
}
