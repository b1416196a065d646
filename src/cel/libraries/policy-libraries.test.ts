import { describe, expect, it } from 'vitest';
import { estimateCost } from '../cost/estimate.ts';
import { createEnvironment } from '../create-environment.ts';
import type { Evaluation } from '../environment.ts';
import { showValue } from '../show-value.fixtures.ts';
import { DYN, type ObjectType } from '../types.ts';
import {
  AUTHORIZER,
  AUTHORIZER_LIBRARY,
  type AuthorizationCheck,
  type AuthorizationDecision,
  CelAuthorizer,
} from './authorizer.ts';
import { BINDINGS_LIBRARY } from './bindings.ts';
import { JSON_PATCH, JSON_PATCH_LIBRARY } from './json-patch.ts';
import { KUBERNETES_LIBRARIES } from './kubernetes.ts';

const ENVIRONMENT = createEnvironment({
  libraries: [...KUBERNETES_LIBRARIES, AUTHORIZER_LIBRARY, JSON_PATCH_LIBRARY, BINDINGS_LIBRARY],
  variables: [{ name: 'authorizer', type: AUTHORIZER }],
  types: [JSON_PATCH],
});

function evaluate(
  source: string,
  decision?: Partial<AuthorizationDecision>,
): Evaluation & { checks: AuthorizationCheck[] } {
  const checks: AuthorizationCheck[] = [];
  const authorizer = new CelAuthorizer((check) => {
    checks.push(check);
    return { allowed: false, reason: '', error: '', ...decision };
  });
  const result = ENVIRONMENT.check(source);
  if (!result.ok) throw new Error(result.issues[0]?.message);
  return { ...ENVIRONMENT.program(result.checked).evaluate([authorizer]), checks };
}

describe('authorization checks', () => {
  it('pass all attributes of a resource to the authorizer', () => {
    const { value, checks, cost } = evaluate(
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('n').name('x').fieldSelector('a=b').labelSelector('c').check('update').allowed()",
      { allowed: true },
    );
    expect(value).toBe(true);
    expect(checks).toEqual([
      {
        kind: 'resource',
        user: { kind: 'request-user' },
        verb: 'update',
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'n',
        name: 'x',
        fieldSelector: 'a=b',
        labelSelector: 'c',
      },
    ]);
    expect(cost).toBeGreaterThan(350_000);
  });

  it('pass a path to the authorizer, also for a ServiceAccount', () => {
    const { value, checks } = evaluate("authorizer.serviceAccount('n', 'sa').path('/healthz').check('get').reason()", {
      reason: 'because',
    });
    expect(value).toBe('because');
    expect(checks).toEqual([
      {
        kind: 'path',
        user: { kind: 'service-account', namespace: 'n', name: 'sa' },
        path: '/healthz',
        verb: 'get',
      },
    ]);
  });

  it('return an error of the authorizer as a value', () => {
    const source = "authorizer.path('/x').check('get')";
    expect(evaluate(`${source}.errored()`, { error: 'down' }).value).toBe(true);
    expect(evaluate(`${source}.error()`, { error: 'down' }).value).toBe('down');
    expect(evaluate(`${source}.errored()`).value).toBe(false);
  });

  it.each([
    ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.serviceAccount('N', 'a').path('/').check('get').allowed()", 'Invalid service account namespace'],
    ["authorizer.serviceAccount('n', 'A').path('/').check('get').allowed()", 'Invalid service account name'],
  ])('fail with invalid attributes: %s', (source, message) => {
    expect(() => evaluate(source)).toThrow(message);
  });

  it.each(["authorizer.check('get')", "authorizer.resource('pods')", 'authorizer.path(1)'])(
    'are type-checked: not %s',
    (source) => {
      expect(ENVIRONMENT.check(source).ok).toBe(false);
    },
  );

  it('are values without fields', () => {
    const result = ENVIRONMENT.check('authorizer.name');
    expect(!result.ok && result.issues[0]?.message).toBe(
      "unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
    );
  });

  it('cost so much that an expression can make two', () => {
    const once = "authorizer.path('/').check('get').allowed()";
    const result = ENVIRONMENT.check(`${once} && ${once}`);
    if (!result.ok) throw new Error('does not compile');
    const { max } = estimateCost(result.checked, { size: () => undefined });
    expect(max).toBeGreaterThan(700_000);
    expect(max).toBeLessThan(1_000_000);
  });
});

describe('JSON patches', () => {
  it('are objects with four fields', () => {
    expect(showValue(evaluate("JSONPatch{op: 'add', path: '/a', value: 1}.value").value)).toBe(
      showValue(evaluate('1').value),
    );
    expect(ENVIRONMENT.check('JSONPatch{op: 1}').ok).toBe(false);
    expect(ENVIRONMENT.check('JSONPatch{verb: 1}').ok).toBe(false);
  });

  it('have a function that escapes keys', () => {
    expect(evaluate("jsonpatch.escapeKey('a/b~c')").value).toBe('a~1b~0c');
  });
});

describe('cel.bind', () => {
  it('binds a value to a name', () => {
    expect(evaluate('cel.bind(x, 20 + 1, x + x)').value).toBe(42);
  });

  it('binds simple names only', () => {
    const result = ENVIRONMENT.check('cel.bind(1, 2, true)');
    expect(!result.ok && result.issues[0]?.message).toBe('cel.bind() variable names must be simple identifiers');
  });
});

describe('object types found by name', () => {
  const anything = (name: string): ObjectType | undefined =>
    name === 'Object' || name.startsWith('Object.')
      ? { kind: 'object', name, field: () => DYN, fieldNames: () => [] }
      : undefined;
  const dynamic = ENVIRONMENT.extend({ variables: [], findType: anything });

  it('can be constructed and named', () => {
    const written = dynamic.check('Object{spec: Object.spec{replicas: 1}}');
    expect(written.ok && written.checked.type).toMatchObject({ kind: 'object', name: 'Object' });
    const named = dynamic.check('Object.spec');
    expect(named.ok && named.checked.type).toMatchObject({ kind: 'type', of: { name: 'Object.spec' } });
  });

  it('do not exist if the function does not find them', () => {
    expect(dynamic.check('Objects{}').ok).toBe(false);
    expect(ENVIRONMENT.check('Object{}').ok).toBe(false);
  });
});
