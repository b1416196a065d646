/** Fuzz targets of admission: answers of webhooks, the JSON patches in them, and policies. */
import { attributesFor, plainVersion } from '../../src/admission/attributes.fixtures.ts';
import { EXPRESSION_COST, POLICY_COST } from '../../src/admission/cost-limits.ts';
import { ExpressionInput, requestAuthorizer } from '../../src/admission/matching/expression-input.ts';
import { evaluatePolicy } from '../../src/admission/policies/evaluate-policy.ts';
import { compilePolicy } from '../../src/admission/policies/policy.ts';
import { readResponse, readReview } from '../../src/admission/webhooks/admission-review.ts';
import { CallFailure } from '../../src/admission/webhooks/call-webhook.ts';
import { applyWebhookPatch } from '../../src/admission/webhooks/patch-object.ts';
import { refusalOf } from '../../src/admission/webhooks/refusal-status.ts';
import { type Webhook, webhooksOf } from '../../src/admission/webhooks/webhook.ts';
import { decodeStrictJson } from '../../src/apimachinery/codec/strict.ts';
import { isStatusError } from '../../src/apimachinery/status/status.ts';
import { decodeUtf8 } from '../../src/base/bytes.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import { VALIDATING_ADMISSION_POLICY } from '../../src/kube/groups/admissionregistration/validating-admission-policy.ts';
import { generatePolicy } from './policy-generate.ts';
import { createRandom } from './random.ts';
import type { FuzzTarget } from './targets.ts';

const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'a', image: 'nginx:1', args: ['x', 'y'] }], priority: 3 },
};
const VERSION = plainVersion({ group: '', version: 'v1', kind: 'Pod' });
const [WEBHOOK] = webhooksOf({ metadata: { name: 'c' }, webhooks: [{ name: 'w' }] }) as [Webhook];
/** The part of a budget by which an evaluation may exceed it. */
const TOLERANCE = 1.1;

function review(response: JsonObject): string {
  const answer = { uid: 'u', allowed: true, ...response };
  return writeJson({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: answer });
}

const PATCH =
  '[{"op":"add","path":"/metadata/labels/x","value":"y"},{"op":"remove","path":"/spec/containers/0/args/-"}]';

const reviews: FuzzTarget = {
  name: 'admission-reviews',
  corpus: [
    review({ patchType: 'JSONPatch', patch: btoa(PATCH), warnings: ['careful'], auditAnnotations: { a: 'b' } }),
    review({ allowed: false, status: { code: 403, message: 'no', reason: 'Forbidden', details: { causes: [] } } }),
  ],
  words: ['"allowed"', '"patch"', '"patchType"', '"JSONPatch"', '"status"', '"uid"', 'null', '-1', '1e999', '[]', '{}'],
  run: (input) => {
    const given = readReview({ status: 200, body: input });
    if (typeof given === 'string') return false;
    let accepted = false;
    for (const version of ['v1', 'v1beta1'] as const)
      for (const mutating of [true, false]) {
        const read = readResponse(given, { version, uid: 'u', mutating });
        if (!read.ok) continue;
        accepted = true;
        const { code = 0 } = refusalOf('w', read.response.result).status;
        if (!(code >= 400)) throw new Error(`a refusal has the code ${code}`);
        if (read.response.patch !== undefined) patched(read.response.patch);
      }
    return accepted;
  },
};

/** Returns whether the patch could be applied. The object of the request must stay as it is. */
function patched(patch: Uint8Array): boolean {
  const before = writeJson(POD);
  const isApplied = applies(patch);
  if (writeJson(POD) !== before) throw new Error('the patch changed the object of the request');
  return isApplied;
}

function applies(patch: Uint8Array): boolean {
  const rest = { allowed: true, result: undefined, patchType: 'JSONPatch', warnings: [], auditAnnotations: {} };
  try {
    return applyWebhookPatch(WEBHOOK, { ...rest, patch }, POD, VERSION) !== undefined;
  } catch (caught) {
    if (caught instanceof CallFailure || isStatusError(caught)) return false;
    throw caught;
  }
}

const patches: FuzzTarget = {
  name: 'admission-patches',
  corpus: [
    '[{"op":"add","path":"/metadata/labels/x","value":"y"}]',
    '[{"op":"copy","from":"/spec","path":"/spec/copy"},{"op":"move","from":"/spec/copy","path":"/status"}]',
    '[{"op":"test","path":"/kind","value":"Pod"},{"op":"replace","path":"/spec/containers/0/image","value":null}]',
  ],
  words: ['"op"', '"add"', '"remove"', '"copy"', '"from"', '"path"', '"/spec"', '"/-"', '~0', '~1', '/0', 'null'],
  run: (input) => patched(input),
};

/** The most that a policy may cost: each expression has a budget, and validations and annotations have one in common. */
function costLimit({ validations, variables, annotations }: ReturnType<typeof compilePolicy>): number {
  const messages = validations.filter(({ messageExpression }) => messageExpression !== undefined);
  // Validations, messages and annotations evaluate variables anew.
  const expressions = validations.length + messages.length + annotations.length + 3 * variables.length;
  return Math.min(2 * POLICY_COST, expressions * EXPRESSION_COST) * TOLERANCE;
}

/** Compiles and evaluates a policy for a Pod. Returns whether all of its expressions compile. */
async function judge(policy: JsonObject, pod: JsonObject = POD): Promise<boolean> {
  const compiled = compilePolicy(policy);
  const attributes = attributesFor('CREATE', 'pods', pod);
  const view = { resource: attributes.resource, kind: attributes.kind, version: undefined };
  const input = new ExpressionInput(
    attributes,
    view,
    { object: pod, oldObject: undefined },
    {
      authorizer: requestAuthorizer(
        { authorize: () => ({ decision: 'allow', reason: '', error: '' }) },
        attributes.user,
      ),
      namespaceObject: { metadata: { name: 'ns' } },
    },
  );
  const { cost } = await evaluatePolicy({ ...compiled, bindings: [] }, input, undefined);
  const limit = costLimit(compiled);
  if (cost > limit) throw new Error(`the policy costs ${cost}, more than ${limit}`);
  const { validations, variables, annotations } = compiled;
  return [...validations, ...variables, ...annotations].every((one) => one.compiled.ok);
}

const WORDS = [
  'object',
  'oldObject',
  'request',
  'variables.a',
  'authorizer',
  'namespaceObject',
  '.spec',
  '.all(x, ',
  '.map(x, ',
  '.exists(x, ',
  'has(',
  '[1, 2, 3]',
  '.matches(',
  '.group("")',
  '.check("get")',
  '.allowed()',
  '?.',
  'optional.',
  ')',
  'quantity(',
  'url(',
  ' + ',
  ' && ',
  '"',
  "'",
  'in ',
  '0x',
  '9223372036854775807',
];

const expressions: FuzzTarget = {
  name: 'policy-expressions',
  corpus: [
    'object.spec.containers.all(c, c.image.contains(":")) && request.operation == "CREATE"',
    "variables.a.exists(c, c.name.matches('^[a-z]+$')) || authorizer.group('').resource('pods').check('get').allowed()",
    '[1,2,3].map(a, [1,2,3].map(b, a * b)).size() < 10 && object.?metadata.?labels["app"].orValue("") != ""',
  ],
  words: WORDS,
  stepsPerByte: 4_000,
  stepsPerInput: 4 * EXPRESSION_COST,
  inputs: 0.1,
  run: (input) => {
    const expression = decodeUtf8(input);
    return judge({
      metadata: { name: 'p' },
      spec: { variables: [{ name: 'a', expression: 'object.spec.containers' }], validations: [{ expression }] },
    });
  },
};

const [POLICY_VERSION] = VALIDATING_ADMISSION_POLICY.definition.versions;

const policies: FuzzTarget = {
  name: 'policy-objects',
  corpus: [
    writeJson({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'p' },
      spec: {
        failurePolicy: 'Ignore',
        matchConstraints: { resourceRules: [{ apiGroups: [''], resources: ['pods'], operations: ['*'] }] },
        matchConditions: [{ name: 'c', expression: 'true' }],
        variables: [
          { name: 'a', expression: 'object.spec' },
          { name: 'b', expression: 'variables.a.containers' },
        ],
        validations: [{ expression: 'variables.b.size() > 0', message: 'no', messageExpression: '"a" + "b"' }],
        auditAnnotations: [{ key: 'k', valueExpression: 'object.metadata.name' }],
      },
    }),
  ],
  words: ['"spec"', '"variables"', '"expression"', '"name"', 'null', '[]', '{}', ...WORDS],
  stepsPerByte: 4_000,
  stepsPerInput: 4 * EXPRESSION_COST,
  inputs: 0.1,
  run: (input) => {
    const read = decodeStrictJson(input, { fieldValidation: 'Ignore' });
    if (!read.ok || !isJsonObject(read.value)) return false;
    const normalized = POLICY_VERSION?.normalize(read.value);
    if (normalized?.ok !== true) return false;
    POLICY_VERSION?.setDefaults?.(normalized.object);
    return judge(normalized.object);
  },
};

/** A Pod with long lists, over which nested macros exceed the budgets. */
const LARGE_POD: JsonObject = {
  ...POD,
  spec: {
    containers: Array.from({ length: 40 }, (_, i) => ({
      name: `c${i}`,
      image: `registry/image-${i}:1`,
      args: Array.from({ length: 60 }, (_unused, j) => `--flag-${j}=${i}`),
    })),
    priority: 3,
  },
};

/** The input is the seed of a policy whose expressions all compile. */
const generated: FuzzTarget = {
  name: 'policy-generated',
  corpus: ['a', 'seed'],
  words: ['b', 'seeds'],
  stepsPerInput: 16 * POLICY_COST,
  inputs: 0.02,
  run: async (input) => {
    const seed = input.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
    const policy = generatePolicy(createRandom(seed));
    if (!(await judge(policy, LARGE_POD))) throw new Error(`a generated policy does not compile: ${writeJson(policy)}`);
    return true;
  },
};

export const admissionTargets: readonly FuzzTarget[] = [reviews, patches, expressions, policies, generated];
