import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { forbidden as forbiddenField, invalid as invalidValue, required } from '../validation/field-issue.ts';
import { FieldPath } from '../validation/field-path.ts';
import type { Status } from './status.ts';
import * as catalogue from './status-catalogue.ts';

const deployments = { group: 'apps', resource: 'deployments' };
const pods = { group: '', resource: 'pods' };
const none = { group: '', resource: '' };

describe('the catalogue', () => {
  it('lists every constructor, and only constructors', () => {
    const exported = Object.entries(catalogue as Record<string, unknown>)
      .filter(([name, value]) => typeof value === 'function' && !name.startsWith('format'))
      .map(([name]) => name);
    expect(exported.sort()).toEqual(Object.keys(catalogue.STATUS_CATALOGUE).sort());
  });

  it('is what docs/reference/errors.md lists, line for line', () => {
    const docs = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
    const section = docs.slice(docs.indexOf('## The catalogue'), docs.indexOf('## Causes'));
    const documented = section.split('\n').filter((line) => line.startsWith('| `'));
    const expected = Object.entries(catalogue.STATUS_CATALOGUE).map(
      ([name, { code, reason, when }]) => `| \`${name}\` | ${code === 0 ? '–' : code} | ${reason ?? '–'} | ${when} |`,
    );
    expect(documented).toEqual(expected);
  });

  it('describes each entry in one line', () => {
    for (const [name, { when }] of Object.entries(catalogue.STATUS_CATALOGUE)) {
      expect(when, name).toMatch(/^[A-Z][^\n|]*\.$/);
    }
  });
});

describe('messages and details', () => {
  it.each<[string, Status, string]>([
    [
      'notFound',
      catalogue.notFound(deployments, 'a'),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \\"a\\" not found","reason":"NotFound","details":{"name":"a","group":"apps","kind":"deployments"},"code":404}',
    ],
    [
      'internalError',
      catalogue.internalError('boom'),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: boom","reason":"InternalError","details":{"causes":[{"message":"boom"}]},"code":500}',
    ],
    [
      'tooManyRequests',
      catalogue.tooManyRequests('later', 0),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"later","reason":"TooManyRequests","details":{},"code":429}',
    ],
    [
      'badRequest',
      catalogue.badRequest('no'),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"BadRequest","code":400}',
    ],
    [
      'unknown',
      catalogue.unknown('odd'),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"odd","code":500}',
    ],
    [
      'success',
      catalogue.success(pods, 'a', 'u1'),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"pods","uid":"u1"}}',
    ],
    [
      'expired with a continue token',
      catalogue.expired('old', { continueToken: 'tok' }),
      '{"kind":"Status","apiVersion":"v1","metadata":{"continue":"tok"},"status":"Failure","message":"old","reason":"Expired","code":410}',
    ],
    [
      'resourceVersionTooLarge',
      catalogue.resourceVersionTooLarge(9n, 5, 1),
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}',
    ],
  ])('%s has the bytes of the reference', (_name, status, expected) => {
    expect(JSON.stringify(status)).toBe(expected);
  });

  it.each<[Status, string]>([
    [catalogue.unauthorized(''), 'not authorized'],
    [catalogue.forbidden(none, '', 'no'), 'forbidden: no'],
    [catalogue.forbidden(pods, '', 'no'), 'pods is forbidden: no'],
    [catalogue.forbidden(deployments, 'a', 'no'), 'deployments.apps "a" is forbidden: no'],
    [catalogue.alreadyExists(pods, 'a'), 'pods "a" already exists'],
    [
      catalogue.conflict(pods, 'a'),
      'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      catalogue.generateNameConflict(pods, 'a', 1),
      'pods "a" already exists, the server was not able to generate a unique name for the object',
    ],
    [
      catalogue.serverTimeout(pods, 'list', 2),
      'The list operation against pods could not be completed at this time, please try again.',
    ],
    [catalogue.timeout('slow', 0), 'Timeout: slow'],
    [
      catalogue.methodNotAllowed(deployments, 'patch'),
      'patch is not supported on resources of kind "deployments.apps"',
    ],
    [catalogue.notAcceptable(['a/b', 'c/d']), 'only the following media types are accepted: a/b, c/d'],
    [catalogue.requestEntityTooLarge('limit is 1'), 'Request entity too large: limit is 1'],
    [
      catalogue.unsupportedMediaType(['a/b']),
      'the body of the request was in an unknown format - accepted media types include: a/b',
    ],
  ])('%# says what the reference says', (status, message) => {
    expect(status.message).toBe(message);
  });
});

describe('invalid', () => {
  const kind = { group: 'apps', kind: 'Deployment' };
  const issue = required(FieldPath.of('spec', 'a'), '');
  const other = forbiddenField(undefined, 'never');

  it('turns each issue into a cause and joins them in the message', () => {
    const status = catalogue.invalid(kind, 'a', [issue, other]);
    expect(status.message).toBe('Deployment.apps "a" is invalid: [spec.a: Required value, <nil>: Forbidden: never]');
    expect(status.details).toEqual({
      name: 'a',
      group: 'apps',
      kind: 'Deployment',
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.a' },
        { reason: 'FieldValueForbidden', message: 'Forbidden: never', field: '<nil>' },
      ],
    });
  });

  it('keeps repeated issues as causes although the message says them once', () => {
    const status = catalogue.invalid(kind, 'a', [issue, issue]);
    expect(status.message).toBe('Deployment.apps "a" is invalid: spec.a: Required value');
    expect(status.details?.causes).toHaveLength(2);
  });

  it('reports at most a thousand issues and counts the rest', () => {
    const { details, message } = catalogue.invalid(
      kind,
      'a',
      Array.from({ length: 200_000 }, () => issue),
    );
    expect(details?.causes).toHaveLength(1_000);
    expect(message).toBe('Deployment.apps "a" is invalid: spec.a: Required value (and 199000 more)');
  });

  it('stops reporting issues once their texts are too long in total', () => {
    const value = 'x'.repeat(300_000);
    const issues = Array.from({ length: 1_000 }, () => invalidValue(FieldPath.of('spec', 'a'), value, 'is wrong'));
    const { details, message } = catalogue.invalid(kind, 'a', issues);
    expect(details?.causes).toHaveLength(4);
    expect(message).toMatch(/: is wrong \(and 996 more\)$/);
  });

  it('has only the subject in its message without issues', () => {
    expect(catalogue.invalid(kind, 'a', []).message).toBe('Deployment.apps "a" is invalid');
  });
});

describe('genericServerResponse', () => {
  it('names the request', () => {
    const status = catalogue.genericServerResponse({ code: 404, verb: 'GET', resource: pods, name: 'a' });
    expect(status.reason).toBe('NotFound');
    expect(status.message).toBe('the server could not find the requested resource (get pods a)');
  });

  it.each<[number, string, string | undefined]>([
    [409, 'POST', 'AlreadyExists'],
    [409, 'PUT', 'Conflict'],
    [418, 'GET', undefined],
    [502, 'GET', 'InternalError'],
    [504, 'GET', 'Timeout'],
  ])('gives %i to a %s the reason %s', (code, verb, reason) => {
    expect(catalogue.genericServerResponse({ code, verb }).reason).toBe(reason);
  });
});
