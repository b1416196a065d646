import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import type { EvaluationLimits, Outcome, Program } from '../environment.ts';
import { CelStopped } from '../values.ts';
import {
  AUTHORIZER,
  AUTHORIZER_LIBRARY,
  type AuthorizationCheck,
  type AuthorizationDecision,
  CelAuthorizer,
} from './authorizer.ts';
import { type AuthorizeLater, DeferredAuthorizer } from './deferred-authorizer.ts';
import { KUBERNETES_LIBRARIES } from './kubernetes.ts';

const ENVIRONMENT = createEnvironment({
  libraries: [...KUBERNETES_LIBRARIES, AUTHORIZER_LIBRARY],
  variables: [{ name: 'authorizer', type: AUTHORIZER }],
});

const ALLOWED: AuthorizationDecision = { allowed: true, reason: 'a rule allows it', error: '' };
const DENIED: AuthorizationDecision = { allowed: false, reason: '', error: '' };

function programOf(source: string): Program {
  const result = ENVIRONMENT.check(source);
  if (!result.ok) throw new Error(result.issues[0]?.message);
  return ENVIRONMENT.program(result.checked);
}

function may(path: string): string {
  return `authorizer.path('${path}').check('get').allowed()`;
}

/** An authorizer that allows all paths but `/no`, and records the paths that it decides. */
function pathAuthorizer(isAsync: boolean): { readonly paths: string[]; readonly authorize: AuthorizeLater } {
  const paths: string[] = [];
  const decide = (check: AuthorizationCheck): AuthorizationDecision => {
    const path = check.kind === 'path' ? check.path : check.resource;
    paths.push(path);
    return path === '/no' ? DENIED : ALLOWED;
  };
  return { paths, authorize: isAsync ? async (check) => decide(check) : decide };
}

function run(deferred: DeferredAuthorizer, source: string, limits?: EvaluationLimits): Outcome | Promise<Outcome> {
  return deferred.run(programOf(source), [new CelAuthorizer(deferred.authorize)], limits);
}

/** Evaluates with an authorizer that decides at once, without `DeferredAuthorizer`. */
function runAtOnce(source: string): Outcome {
  const { authorize } = pathAuthorizer(false);
  return programOf(source).run([new CelAuthorizer(authorize as (check: AuthorizationCheck) => AuthorizationDecision)]);
}

describe('an authorizer that answers with promises', () => {
  it.each([
    may('/a'),
    `${may('/a')} && ${may('/no')}`,
    `${may('/no')} || ${may('/a')}`,
    `${may('/no')} ? ${may('/a')} : ${may('/b')}`,
    `['/a', '/no', '/b'].map(p, authorizer.path(p).check('get').allowed())  == [true, false, true]`,
    `['/a', '/b'].all(p, authorizer.path(p).check('get').reason() != '')`,
    "authorizer.serviceAccount('n', 'a').group('').resource('pods').check('list').allowed()",
  ])('gives %s the value, cost and steps of one evaluation with decisions at once', async (source) => {
    const outcome = run(new DeferredAuthorizer(pathAuthorizer(true).authorize), source);
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toEqual(runAtOnce(source));
  });

  it('decides each distinct check once, in the order of the expression', async () => {
    const { paths, authorize } = pathAuthorizer(true);
    const deferred = new DeferredAuthorizer(authorize);
    expect(await run(deferred, `${may('/a')} && ${may('/b')} && ${may('/a')}`)).toMatchObject({ value: true });
    expect(paths).toEqual(['/a', '/b']);
  });

  it('keeps decisions for the next expression', async () => {
    const { paths, authorize } = pathAuthorizer(true);
    const deferred = new DeferredAuthorizer(authorize);
    await run(deferred, may('/a'));
    expect(run(deferred, may('/a'))).toMatchObject({ value: true });
    expect(paths).toEqual(['/a']);
  });

  it('shares a pending check between expressions that run at the same time', async () => {
    const { paths, authorize } = pathAuthorizer(true);
    const deferred = new DeferredAuthorizer(authorize);
    const outcomes = await Promise.all([run(deferred, may('/a')), run(deferred, `!${may('/a')}`)]);
    expect(outcomes).toMatchObject([{ value: true }, { value: false }]);
    expect(paths).toEqual(['/a']);
  });

  it('is not called for checks that the expression does not reach', async () => {
    const { paths, authorize } = pathAuthorizer(true);
    expect(await run(new DeferredAuthorizer(authorize), `${may('/no')} && ${may('/a')}`)).toMatchObject({
      value: false,
    });
    expect(paths).toEqual(['/no']);
  });

  it('makes a check fail with a CEL error if the promise is rejected', async () => {
    const deferred = new DeferredAuthorizer(() => Promise.reject(new TypeError('the webhook is down')));
    const failed = await run(deferred, may('/a'));
    expect(failed).toMatchObject({ error: { name: 'CelError', message: 'the webhook is down' } });
    expect(await run(deferred, `${may('/a')} || true`)).toMatchObject({ value: true });
  });

  it('makes a check fail with a CEL error if it throws', () => {
    const deferred = new DeferredAuthorizer(() => {
      throw new TypeError('the webhook is down');
    });
    expect(run(deferred, may('/a'))).toMatchObject({ error: { name: 'CelError', message: 'the webhook is down' } });
  });

  it('charges a failed check like a decided one', async () => {
    const deferred = new DeferredAuthorizer(() => Promise.reject(new TypeError('down')));
    const { cost } = await run(deferred, may('/a'));
    expect(cost).toBeGreaterThan(350_000);
    expect(cost).toBeLessThan(350_100);
  });
});

describe('the bounds of an evaluation with pending checks', () => {
  const many = "lists.range(40).all(i, authorizer.path('/' + string(i)).check('get').allowed())";

  it('stop it at the cost limit, which the retries do not use up', async () => {
    const { paths, authorize } = pathAuthorizer(true);
    const two = `${may('/a')} && ${may('/b')}`;
    expect(await run(new DeferredAuthorizer(authorize), two, { cost: 1_000_000 })).toMatchObject({ value: true });
    const stopped = await run(new DeferredAuthorizer(authorize), many, { cost: 1_000_000 });
    expect('error' in stopped && stopped.error).toBeInstanceOf(CelStopped);
    expect(paths).toEqual(['/a', '/b', '/0', '/1', '/2']);
  });

  it('stop it after 32 pending checks without a cost limit', async () => {
    const { paths, authorize } = pathAuthorizer(true);
    const stopped = await run(new DeferredAuthorizer(authorize), many);
    expect(stopped).toMatchObject({
      error: { name: 'CelStopped', message: 'operation cancelled: too many authorization checks' },
      cost: 32 * 350_000,
    });
    expect(paths).toHaveLength(33);
  });

  it('do not apply to decisions that are made at once', () => {
    expect(run(new DeferredAuthorizer(pathAuthorizer(false).authorize), many)).toMatchObject({ value: true });
  });
});

describe('expressions without pending checks', () => {
  it.each(['1 + 1 == 2', may('/a'), `false && ${may('/a')}`])('are evaluated synchronously: %s', (source) => {
    const deferred = new DeferredAuthorizer(pathAuthorizer(false).authorize);
    expect(run(deferred, source)).toEqual(runAtOnce(source));
  });

  it('make no check with an authorizer that answers with promises', () => {
    const { paths, authorize } = pathAuthorizer(true);
    expect(run(new DeferredAuthorizer(authorize), `true || ${may('/a')}`)).toMatchObject({ value: true });
    expect(paths).toEqual([]);
  });
});
