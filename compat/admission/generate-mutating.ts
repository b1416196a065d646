/** Generated cases: mutating policies with random expressions, webhooks beside them, and random requests. */
import { createRandom, type Random } from '../../src/base/random.fixtures.ts';
import { patch, post, type Step } from '../diff/request.ts';
import type { AdmissionCase, HookSpec } from './admission-case.ts';
import { SUBJECTS, type Subject, stepsOf } from './generate-webhooks.ts';
import { MUTATIONS, ODD_MUTATIONS, REFUSED_SOURCES, WITH_PARAMS, WITH_VARIABLES } from './mutation-sources.ts';
import { type Fields, limitsOf, paramRefOf, policyObjects, policyTerms, VARIABLES } from './policy-terms.ts';

const { constraints, conditions, bindings, paramKinds } = policyTerms(['CREATE', 'UPDATE']);

/** Returns a mutation. The type of the patch is that of the expression. */
export function applying(expression: string): Fields {
  return expression.includes('JSONPatch')
    ? { patchType: 'JSONPatch', jsonPatch: { expression } }
    : { patchType: 'ApplyConfiguration', applyConfiguration: { expression } };
}

/** Generates the case of a seed. It has one policy: the order of several is random in the reference. */
export function generateMutatingCase(seed: number): AdmissionCase {
  const random = createRandom(seed);
  const name = `mutating-${seed}`;
  const subject = random.pick(SUBJECTS);
  const hasParams = random.int(4) === 0;
  const hasVariables = random.int(4) === 0;
  const kind = String(subject.object['kind']);
  const usual = [
    ...(MUTATIONS['any'] ?? []),
    ...(MUTATIONS[kind] ?? []),
    ...(hasParams ? WITH_PARAMS : []),
    ...(hasVariables ? WITH_VARIABLES : []),
  ];
  const odd = [...(ODD_MUTATIONS['any'] ?? []), ...(ODD_MUTATIONS[kind] ?? [])];
  const policy = {
    ...(random.int(3) === 0 && { failurePolicy: 'Ignore' }),
    reinvocationPolicy: random.pick(['Never', 'IfNeeded']),
    ...(hasParams && { paramKind: random.pick(paramKinds) }),
    ...(hasVariables && { variables: VARIABLES }),
    ...(random.int(2) === 0 && { matchConditions: random.pick(conditions) }),
    ...(random.int(2) === 0 && { matchConstraints: random.pick(constraints) }),
    mutations: Array.from({ length: 1 + random.int(3) }, () =>
      applying(random.pick(random.int(3) === 0 ? odd : usual)),
    ),
  };
  const binding = { ...random.pick(bindings), ...paramRefOf(random, hasParams, name) };
  return {
    name,
    objects: [limitsOf(name), ...policyObjects('Mutating', name, { policy, binding })],
    mutating: random.int(3) === 0 ? [hookOf(random)] : [],
    validating: [],
    steps: [...refusedSteps(random, name), ...stepsOf(random, subject), ...appliedSteps(random, subject)],
  };
}

/** A webhook that changes the object after the policy. */
function hookOf(random: Random): HookSpec {
  const path = `/metadata/annotations/${random.pick(['w', 'n'])}`;
  return {
    behaviour: {
      kind: 'patch',
      operations: [
        { op: 'add', path: '/metadata/annotations', value: {} },
        { op: 'add', path, value: 'hook' },
      ],
    },
    fields: random.int(2) === 0 ? { reinvocationPolicy: 'IfNeeded' } : {},
  };
}

/** Policies that are refused when they are written. */
function refusedSteps(random: Random, name: string): Step[] {
  if (random.int(3) !== 0) return [];
  const mutations = [applying(random.pick(REFUSED_SOURCES))];
  const [policy] = policyObjects('Mutating', name, {
    name: `${name}-refused`,
    policy: { mutations, ...(random.int(4) > 0 && { reinvocationPolicy: 'Never' }) },
  });
  return policy === undefined ? [] : [post(`${policy.path}?dryRun=All`, policy.object)];
}

/** The owners of fields that policies set when the object is applied. */
function appliedSteps(random: Random, { path, object }: Subject): Step[] {
  if (random.int(3) !== 0) return [];
  const at = `${path}/x?fieldManager=applier`;
  const metadata = { ...(object['metadata'] as object), annotations: { applied: 'yes' } };
  return [patch('apply', at, object), patch('apply', at, { ...object, metadata }), patch('apply', at, object)];
}
