/** Generated cases: policies with random expressions, bindings and parameters, and random requests to one object. */
import { createRandom } from '../../src/base/random.fixtures.ts';
import type { AdmissionCase } from './admission-case.ts';
import { SUBJECTS, stepsOf } from './generate-webhooks.ts';
import { type Fields, limitsOf, paramRefOf, policyObjects, policyTerms, VARIABLES } from './policy-terms.ts';

const { constraints, conditions, bindings, paramKinds } = policyTerms(['CREATE', 'UPDATE', 'DELETE']);

const TRUE: readonly string[] = [
  'true',
  "object == null || object.metadata.name == 'x'",
  "request.operation != 'CONNECT'",
  'oldObject == null || object == null || object.metadata.name == oldObject.metadata.name',
  "namespaceObject.metadata.name.startsWith('policies-')",
  "authorizer.group('').resource('pods').namespace('default').check('create').allowed()",
  "authorizer.requestResource.check('get').allowed()",
  "request.userInfo.username != ''",
  "has(request.name) ? request.name == 'x' : true",
];

const MIXED: readonly string[] = [
  'false',
  "request.operation != 'UPDATE'",
  "request.operation == 'DELETE' || object.metadata.labels.app == 'b'",
  'object == null || !has(object.metadata.annotations)',
  'object == null || !has(object.spec) || !has(object.spec.replicas) || object.spec.replicas < 3',
  "object == null || object.metadata.?labels[?'step'].orValue('') != 's1'",
  '!has(request.subResource)',
  "request.resource.version == 'v1'",
  'request.dryRun == false',
  'object.spec.nothing.more == 1',
  "object.metadata.labels['nothing'] == 'x'",
  'oldObject.metadata.name == "x"',
  'int(request.operation) == 1',
];

const WITH_VARIABLES: readonly string[] = [
  'variables.name == "x"',
  'variables.isNew',
  'variables.broken == 1',
  'variables.both',
];

const WITH_PARAMS: readonly string[] = [
  'params != null',
  "params == null || params.data.max == '2'",
  "params.data.max == '1'",
  "params.metadata.name == 'limits'",
  'params.data.nothing == "x"',
];

const MESSAGES: readonly Fields[] = [
  {},
  {},
  { message: 'must hold' },
  { message: '  trimmed  ' },
  { messageExpression: "'operation ' + request.operation" },
  { messageExpression: "'lines\\n' + request.operation", message: 'one line' },
  { messageExpression: 'string(object.metadata.nothing)', message: 'fallback' },
  { messageExpression: "''" },
];

const REASONS: readonly Fields[] = [
  {},
  {},
  { reason: 'Forbidden' },
  { reason: 'Invalid' },
  { reason: 'RequestEntityTooLarge' },
];

const ACTIONS: readonly (readonly string[])[] = [
  ['Deny'],
  ['Deny'],
  ['Deny'],
  ['Deny', 'Audit'],
  ['Warn'],
  ['Warn', 'Audit'],
  ['Audit'],
];

/** Generates the case of a seed. It has one policy: the order of several is random in the reference. */
export function generatePolicyCase(seed: number): AdmissionCase {
  const random = createRandom(seed);
  const name = `policies-${seed}`;
  const subject = random.pick(SUBJECTS);
  const hasParams = random.int(3) === 0;
  const hasVariables = random.int(3) === 0;
  const expressions = [
    ...TRUE,
    ...MIXED,
    ...MIXED,
    ...(hasParams ? WITH_PARAMS : []),
    ...(hasVariables ? WITH_VARIABLES : []),
  ];
  const policy = {
    ...(random.int(3) === 0 && { failurePolicy: 'Ignore' }),
    ...(hasParams && { paramKind: random.pick(paramKinds) }),
    ...(hasVariables && { variables: VARIABLES }),
    matchConditions: random.pick(conditions),
    matchConstraints: random.pick(constraints),
    validations: Array.from({ length: 1 + random.int(3) }, () => ({
      expression: random.pick(expressions),
      ...random.pick(MESSAGES),
      ...random.pick(REASONS),
    })),
  };
  const binding = {
    ...random.pick(bindings),
    validationActions: random.pick(ACTIONS),
    ...paramRefOf(random, hasParams, name),
  };
  return {
    name,
    objects: [limitsOf(name), ...policyObjects('Validating', name, { policy, binding })],
    mutating: [],
    validating: [],
    steps: stepsOf(random, subject),
  };
}
