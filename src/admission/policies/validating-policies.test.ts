import { describe, expect, it } from 'vitest';
import { isStatusError, type Status } from '../../apimachinery/status/status.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Lister } from '../../server/own/lister.ts';
import { attributesFor, type TestAttributes } from '../attributes.fixtures.ts';
import { validatingAdmissionPolicy } from './validating-policies.ts';

const RULES = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
const PARAMS: readonly JsonObject[] = [
  { metadata: { name: 'one', labels: { app: 'a' } }, max: 1 },
  { metadata: { name: 'two', labels: { app: 'a' } }, max: 2 },
];

function listerOf(objects: readonly JsonObject[]): Lister {
  return { fresh: () => undefined, get: () => undefined, list: () => objects, subscribe: () => ({ stop: () => {} }) };
}

interface Verdict {
  readonly status: Status | undefined;
  readonly attributes: TestAttributes;
}

/** Evaluates one policy with one binding for a Pod. */
async function evaluate(
  spec: JsonObject,
  binding: JsonObject = {},
  more: Partial<AdmissionAttributes> = {},
): Promise<Verdict> {
  const plugin = validatingAdmissionPolicy({
    policies: listerOf([{ metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules: RULES }, ...spec } }]),
    bindings: listerOf([
      { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'], ...binding } },
    ]),
    params: ({ kind }) =>
      kind !== 'Limit'
        ? undefined
        : {
            namespaced: false,
            get: (_namespace, name) => PARAMS.find((param) => (param['metadata'] as JsonObject)['name'] === name),
            list: () => PARAMS,
          },
    authorizer: { authorize: () => ({ decision: 'allow', reason: '', error: '' }) },
  });
  const attributes = attributesFor('CREATE', 'pods', { metadata: { name: 'x' } }, more);
  try {
    await plugin.validate?.(attributes);
    return { status: undefined, attributes };
  } catch (caught) {
    if (!isStatusError(caught)) throw caught;
    return { status: caught.status, attributes };
  }
}

const validation = (expression: string, more: JsonObject = {}): JsonObject => ({
  validations: [{ expression, ...more }],
});

describe('ValidatingAdmissionPolicy', () => {
  it.each<[string, JsonObject, Partial<Status> | undefined]>([
    ['admits', validation("object.metadata.name == 'x'"), undefined],
    [
      'denies with the expression as the message',
      validation('false'),
      {
        code: 422,
        reason: 'Invalid',
        message: `pods "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: false`,
      },
    ],
    ['denies with the message', validation('false', { message: ' no ' }), { message: denied('no') }],
    [
      'denies with the message expression',
      validation('false', { message: 'no', messageExpression: "'not ' + request.operation" }),
      { message: denied('not CREATE') },
    ],
    [
      'does not use a message of several lines',
      validation('false', { message: 'no', messageExpression: "'a\\nb'" }),
      { message: denied('no') },
    ],
    ['denies with the reason', validation('false', { reason: 'Forbidden' }), { code: 403, reason: 'Forbidden' }],
    [
      'denies if an expression fails',
      validation('object.nothing == 1'),
      { code: 422, message: denied("expression 'object.nothing == 1' resulted in error: no such key: nothing") },
    ],
    [
      'ignores failures if the policy says so',
      { ...validation('object.nothing == 1'), failurePolicy: 'Ignore' },
      undefined,
    ],
    [
      'reads variables',
      {
        ...validation('variables.b'),
        variables: [
          { name: 'a', expression: 'false' },
          { name: 'b', expression: '!variables.a' },
        ],
      },
      undefined,
    ],
    [
      'names a variable that fails',
      { ...validation('variables.a == 1'), variables: [{ name: 'a', expression: 'object.nothing' }] },
      {
        message: denied(
          'expression \'variables.a == 1\' resulted in error: composited variable "a" fails to evaluate: no such key: nothing',
        ),
      },
    ],
    [
      'does not evaluate if a condition is false',
      { ...validation('false'), matchConditions: [{ name: 'c', expression: 'false' }] },
      undefined,
    ],
    [
      'denies if a condition fails',
      { ...validation('true'), matchConditions: [{ name: 'c', expression: 'object.nothing == 1' }] },
      { message: denied("expression 'object.nothing == 1' resulted in error: no such key: nothing") },
    ],
    [
      'denies at the cost limit',
      validation(
        "'a'.matches('a') && [1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b + c + d + e > 0)))))",
      ),
      { code: 422 },
    ],
  ])('%s', async (_title, spec, expected) => {
    const { status } = await evaluate(spec);
    if (expected === undefined) expect(status).toBeUndefined();
    else expect(status).toMatchObject(expected);
  });

  it('warns and annotates instead of denying', async () => {
    const { status, attributes } = await evaluate(validation('false', { message: 'no' }), {
      validationActions: ['Warn', 'Audit'],
    });
    expect(status).toBeUndefined();
    expect(attributes.warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"]);
    expect(attributes.annotations).toEqual({
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"no","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Warn","Audit"]}]',
    });
  });

  it('publishes annotations, and leaves out empty ones', async () => {
    const auditAnnotations = [
      { key: 'name', valueExpression: 'object.metadata.name' },
      { key: 'none', valueExpression: 'null' },
    ];
    const { attributes } = await evaluate({ auditAnnotations });
    expect(attributes.annotations).toEqual({ 'p/name': 'x' });
  });

  it.each<[string, JsonObject, string | undefined]>([
    ['one by name', { name: 'two', parameterNotFoundAction: 'Deny' }, undefined],
    ['each of the selected', { selector: {}, parameterNotFoundAction: 'Deny' }, 'max of one'],
    [
      'none, and denies',
      { name: 'none', parameterNotFoundAction: 'Deny' },
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ],
    ['none, and allows', { name: 'none', parameterNotFoundAction: 'Allow' }, undefined],
    [
      'a namespace of a cluster-scoped kind',
      { name: 'two', namespace: 'n' },
      'failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
  ])('uses parameters: %s', async (_title, paramRef, message) => {
    const spec = {
      paramKind: { apiVersion: 'g/v1', kind: 'Limit' },
      ...validation('params.max == 2', { messageExpression: "'max of ' + params.metadata.name" }),
    };
    const { status } = await evaluate(spec, { paramRef });
    expect(status?.message).toBe(message === undefined ? undefined : denied(message));
  });

  it('denies if the kind of parameters is not served', async () => {
    const { status } = await evaluate(
      { paramKind: { apiVersion: 'g/v1', kind: 'Other' }, ...validation('true') },
      { paramRef: { name: 'x' } },
    );
    expect(status?.message).toBe(
      `pods "x" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'g/v1, Kind=Other'`,
    );
  });

  it.each<[string, Partial<AdmissionAttributes>]>([
    [
      'policies',
      { resource: { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'mutatingadmissionpolicies' } },
    ],
    ['reviews', { resource: { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' } }],
  ])('does not evaluate policies for %s', async (_title, more) => {
    expect((await evaluate(validation('false'), {}, more)).status).toBeUndefined();
  });

  it('evaluates policies for webhook configurations', async () => {
    const resource = {
      group: 'admissionregistration.k8s.io',
      version: 'v1',
      resource: 'validatingwebhookconfigurations',
    };
    expect((await evaluate(validation('false'), {}, { resource })).status?.code).toBe(422);
  });

  it('leaves out what the binding does not match', async () => {
    const matchResources = { resourceRules: [{ ...RULES[0], operations: ['DELETE'] }] };
    expect((await evaluate(validation('false'), { matchResources })).status).toBeUndefined();
  });
});

function denied(message: string): string {
  return `pods "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${message}`;
}
