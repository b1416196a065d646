/** The kind PriorityClass. Names that start with `system-` are reserved for the system classes and their values. */
import { fieldAt, flagAt, numberAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { ensureMeta, metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const VALUE = FieldPath.of('value');
const PREEMPTION = FieldPath.of('preemptionPolicy');
const SYSTEM_PREFIX = 'system-';
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** The classes that every server creates when it starts. */
export const SYSTEM_PRIORITY_CLASSES: readonly {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

const priorityClassTable: () => TableDefinition = tableOf(
  NAME,
  column('Value', 'The priority of pods of this class.', (object) => numberAt(object, 'value'), { type: 'integer' }),
  column(
    'Global-Default',
    'Whether pods that name no class get this one.',
    (object) => flagAt(object, 'globalDefault'),
    { type: 'boolean' },
  ),
  AGE,
  column('PreemptionPolicy', 'Whether pods of this class push others away.', (object) =>
    textAt(object, 'preemptionPolicy'),
  ),
);

export const PRIORITY_CLASS: KubeResource = {
  definition: storedResource({
    plural: 'priorityclasses',
    shortNames: ['pc'],
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'scheduling.k8s.io',
        version: 'v1',
        kind: 'PriorityClass',
        setDefaults: setPriorityClassDefaults,
        table: priorityClassTable,
      }),
    ],
    strategy: strategyWithDefaults({
      prepareForCreate: preparePriorityClassForCreate,
      validate: validatePriorityClass,
      validatesMetadata: true,
      validateUpdate: validatePriorityClassUpdate,
    }),
  }),
};

function setPriorityClassDefaults(object: JsonObject): void {
  object['preemptionPolicy'] ??= 'PreemptLowerPriority';
}

/** The generation is 1 and never changes. */
function preparePriorityClassForCreate(object: JsonObject): void {
  ensureMeta(object)['generation'] = 1;
}

export function validatePriorityClass(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  const name = textAt(object, 'metadata', 'name');
  if (name.startsWith(SYSTEM_PREFIX)) {
    const problem = systemClassProblem(name, object);
    if (problem !== undefined)
      issues.push(
        forbidden(
          METADATA.child('name'),
          `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
  } else if (numberAt(object, 'value') > HIGHEST_USER_PRIORITY)
    issues.push(forbidden(VALUE, `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`));
  addIssues(issues, validatePolicy(fieldAt(object, 'preemptionPolicy')));
  return issues;
}

function systemClassProblem(name: string, object: JsonObject): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.find((one) => one.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (numberAt(object, 'value') !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  return flagAt(object, 'globalDefault') ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePolicy(policy: unknown): FieldIssue[] {
  if (typeof policy !== 'string' || POLICIES.includes(policy)) return [];
  return policy === '' ? [required(PREEMPTION, '')] : [declared(notSupported(PREEMPTION, policy, POLICIES))];
}

export function validatePriorityClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = validateMetaUpdate(object, old);
  if (numberAt(object, 'value') !== numberAt(old, 'value'))
    issues.push(forbidden(VALUE, 'may not be changed in an update.'));
  const [policy, before] = [object, old].map((one) => fieldAt(one, 'preemptionPolicy') ?? null);
  addIssues(issues, validateImmutableField(policy ?? null, before ?? null, PREEMPTION).map(declared));
  return issues;
}
