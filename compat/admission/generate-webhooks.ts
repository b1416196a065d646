/** Generated cases: webhooks with random answers and options, and random requests to one object. */
import { createRandom, type Random } from '../../src/base/random.fixtures.ts';
import { type Body, del, get, patch, post, put, type Step } from '../diff/request.ts';
import type { AdmissionCase, HookSpec } from './admission-case.ts';
import type { Behaviour } from './recorder.ts';

export interface Subject {
  readonly path: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** Another version of the same resource. */
  readonly otherPath?: string;
  readonly subresources: readonly string[];
}

const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };

export const SUBJECTS: readonly Subject[] = [
  {
    path: '/api/v1/namespaces/{{ns}}/configmaps',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', labels }, data: { a: '1', b: '2' } },
    subresources: [],
  },
  {
    path: '/apis/apps/v1/namespaces/{{ns}}/deployments',
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x', labels },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    },
    subresources: ['status', 'scale'],
  },
  {
    path: '/apis/example.com/v1/namespaces/{{ns}}/widgets',
    otherPath: '/apis/example.com/v2/namespaces/{{ns}}/widgets',
    object: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x', labels }, spec: { size: 1 } },
    subresources: ['status'],
  },
  {
    path: '/apis/autoscaling/v1/namespaces/{{ns}}/horizontalpodautoscalers',
    otherPath: '/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers',
    object: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'x', labels },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    },
    subresources: ['status'],
  },
];

const allow = (more: Readonly<Record<string, unknown>> = {}): Behaviour => ({
  kind: 'response',
  response: { allowed: true, ...more },
});
const deny = (status?: Readonly<Record<string, unknown>>): Behaviour => ({
  kind: 'response',
  response: { allowed: false, ...(status && { status }) },
});
const patching = (...operations: readonly unknown[]): Behaviour => ({ kind: 'patch', operations });
const label = (key: string): unknown => ({ op: 'add', path: `/metadata/labels/${key}`, value: 'yes' });

const GOOD: readonly Behaviour[] = [
  allow(),
  allow({ warnings: ['careful', 'very careful'] }),
  allow({ auditAnnotations: { k: 'v' } }),
  patching(label('one')),
  patching(label('two'), { op: 'add', path: '/metadata/annotations', value: { n: 'v' } }),
  patching({ op: 'replace', path: '/metadata/labels/app', value: 'b' }),
  patching({ op: 'add', path: '/metadata/finalizers', value: ['example.com/f'] }),
  patching(),
];

/** Answers that a validating webhook may give too. */
const HARMLESS: readonly Behaviour[] = GOOD.slice(0, 3);

const ODD: readonly Behaviour[] = [
  deny(),
  deny({ message: 'no' }),
  deny({ reason: 'Invalid', code: 422, message: 'bad', details: { causes: [{ field: 'spec', message: 'm' }] } }),
  deny({ code: 200, status: 'Success', message: 'odd' }),
  deny({ code: 503, reason: 'ServiceUnavailable', details: { retryAfterSeconds: 3 } }),
  patching({ op: 'remove', path: '/metadata/nothing' }),
  patching({ op: 'test', path: '/metadata/name', value: 'y' }),
  patching({ op: 'add', path: '/metadata/name', value: 'renamed' }),
  patching({ op: 'add', path: '/unknown', value: 1 }),
  patching({ op: 'add', path: '/spec', value: 'text' }),
  patching({ op: 'add', path: '/metadata/labels', value: { bad: 'not a label!' } }),
  patching({ op: 'add', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Odd' }] }),
  patching({ op: 'frobnicate', path: '/metadata' }),
  allow({ patch: Buffer.from('[]').toString('base64') }),
  allow({ patchType: 'JSONPatch' }),
  allow({ patch: Buffer.from('{}').toString('base64'), patchType: 'JSONPatch' }),
  allow({
    patch: Buffer.from('[{"op":"add","path":"/metadata/labels/z","value":"1"}]').toString('base64'),
    patchType: 'Other',
  }),
  allow({ uid: 'wrong' }),
  { kind: 'body', code: 500, text: 'broken', type: 'text/plain' },
  { kind: 'body', code: 404, text: '404 page not found\n', type: 'text/plain' },
  { kind: 'body', code: 400, text: '', type: 'text/plain' },
  {
    kind: 'body',
    code: 403,
    text: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"go away","reason":"Forbidden","code":403}',
  },
  { kind: 'review', review: { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' } },
  { kind: 'close' },
];

const RULE = { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };

const FIELDS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  {},
  {},
  { failurePolicy: 'Ignore' },
  { admissionReviewVersions: ['v1beta1', 'v1'] },
  { admissionReviewVersions: ['v2', 'v1'] },
  { sideEffects: 'NoneOnDryRun', timeoutSeconds: 3 },
  { reinvocationPolicy: 'IfNeeded' },
  { rules: [{ ...RULE, operations: ['CREATE'] }] },
  { rules: [{ ...RULE, operations: ['UPDATE'], resources: ['*'] }] },
  { rules: [{ ...RULE, resources: ['*/status', '*/scale'] }] },
  { rules: [{ ...RULE, scope: 'Cluster' }] },
  { rules: [{ ...RULE, scope: 'Namespaced' }] },
  { rules: [{ ...RULE, apiVersions: ['v2'] }] },
  { rules: [{ ...RULE, apiVersions: ['v2'] }], matchPolicy: 'Exact' },
  { objectSelector: { matchLabels: { app: 'a' } } },
  { objectSelector: { matchExpressions: [{ key: 'one', operator: 'DoesNotExist' }] } },
  { namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
  { matchConditions: [{ name: 'not-delete', expression: "request.operation != 'DELETE'" }] },
  {
    matchConditions: [
      { name: 'label', expression: "has(object.metadata.labels.one) && object.metadata.labels.one == 'yes'" },
    ],
  },
  { matchConditions: [{ name: 'fails', expression: "object.spec.nothing == 'x'" }] },
  { matchConditions: [{ name: 'user', expression: "'system:masters' in request.userInfo.groups" }] },
  {
    matchConditions: [
      { name: 'fails', expression: 'object.metadata.nothing == 1' },
      { name: 'never', expression: 'false' },
    ],
  },
  {
    matchConditions: [
      {
        name: 'allowed',
        expression: "authorizer.group('apps').resource('deployments').namespace('default').check('get').allowed()",
      },
    ],
    failurePolicy: 'Ignore',
  },
];

/** Generates the case of a seed. */
export function generateWebhookCase(seed: number): AdmissionCase {
  const random = createRandom(seed);
  const subject = random.pick(SUBJECTS);
  return {
    name: `webhooks-${seed}`,
    objects: [],
    mutating: hooksOf(random, random.int(4), true),
    validating: hooksOf(random, random.int(3), false),
    steps: stepsOf(random, subject),
  };
}

/** Validating webhooks are called at the same time, so that at most one of them may refuse or fail. */
function hooksOf(random: Random, count: number, mutating: boolean): HookSpec[] {
  return Array.from({ length: count }, (_, index) => {
    const isOdd = random.int(4) === 0 && (mutating || index === 0);
    const behaviour = isOdd ? random.pick(ODD) : random.pick(mutating || index === 0 ? GOOD : HARMLESS);
    const { reinvocationPolicy, ...fields } = { ...random.pick(FIELDS), ...random.pick(FIELDS) };
    return {
      behaviour,
      fields: mutating && reinvocationPolicy !== undefined ? { ...fields, reinvocationPolicy } : fields,
    };
  });
}

export function stepsOf(random: Random, { path, otherPath, object, subresources }: Subject): Step[] {
  const named = `${path}/x`;
  const label = (value: string): Body => ({ metadata: { labels: { step: value } } });
  const steps: Step[] = [post(random.int(5) === 0 ? `${path}?dryRun=All` : path, object)];
  for (let i = 0; i < 3; i++) {
    const choices: Step[] = [
      patch('merge', named, label(`s${i}`)),
      patch('merge', named, { metadata: { annotations: { [`a${i}`]: 'x' } } }),
      patch('merge', `${named}?dryRun=All`, label('dry')),
      put(named, { ...object, metadata: { ...(object['metadata'] as object), annotations: { put: `${i}` } } }),
      ...subresources
        .filter((name) => name === 'status')
        .map((name) => patch('merge', `${named}/${name}`, { status: { observedGeneration: i } })),
      ...subresources
        .filter((name) => name === 'scale')
        .map((name) => patch('merge', `${named}/${name}`, { spec: { replicas: i + 2 } })),
      ...(otherPath === undefined ? [] : [patch('merge', `${otherPath}/x`, label(`other${i}`))]),
    ];
    steps.push(random.pick(choices));
  }
  steps.push(get(named), del(named), get(named));
  return steps;
}
