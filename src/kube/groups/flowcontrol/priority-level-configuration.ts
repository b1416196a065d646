/** The kind PriorityLevelConfiguration: the concurrency limit and the queues of one priority level. */
import { fieldAt, numberAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource } from '../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../server/resource/strategy.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { defaultPriorityLevels, FLOW_CONTROL_GROUP, mandatorySpec } from '../../flow-control/default-flows.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta } from '../../shared/validate-kube-meta.ts';
import { flowStatusSubresource, flowStrategy, validateFlowConditions } from './flow-strategy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
/** Written by the conversion from v1beta3, which is no longer served. */
const ROUNDTRIP_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const DEFAULT_SHARES = 30;
const DEFAULT_QUEUES = { queues: 64, handSize: 8, queueLengthLimit: 50 };
const MAX_QUEUES = 10_000_000;
const MAX_HASH_BITS = 60;

const priorityLevelTable: () => TableDefinition = tableOf(
  NAME,
  column('Type', 'Whether there is a limit.', (object) => textAt(object, 'spec', 'type')),
  column('NominalConcurrencyShares', 'Its share of what the server does at once.', (object) => {
    const shares = fieldAt(object, 'spec', 'limited', 'nominalConcurrencyShares');
    return objectAt(object, 'spec', 'limited') === undefined ? '<none>' : (shares ?? 0);
  }),
  queueColumn('Queues', 'queues'),
  queueColumn('HandSize', 'handSize'),
  queueColumn('QueueLengthLimit', 'queueLengthLimit'),
  AGE,
);

const PRIORITY_LEVEL_STRATEGY: Strategy = flowStrategy(validatePriorityLevel);

export const PRIORITY_LEVEL_CONFIGURATION: KubeResource = {
  definition: storedResource({
    plural: 'prioritylevelconfigurations',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: FLOW_CONTROL_GROUP,
        version: 'v1',
        kind: 'PriorityLevelConfiguration',
        setDefaults: setPriorityLevelDefaults,
        table: priorityLevelTable,
      }),
    ],
    strategy: PRIORITY_LEVEL_STRATEGY,
    subresources: [flowStatusSubresource(PRIORITY_LEVEL_STRATEGY)],
  }),
};

function queueColumn(name: string, field: string) {
  return column(name, 'How requests that must wait are queued.', (object): JsonValue => {
    const queuing = objectAt(object, 'spec', 'limited', 'limitResponse', 'queuing');
    return queuing === undefined ? '<none>' : numberAt(queuing, field);
  });
}

export function setPriorityLevelDefaults(object: JsonObject): void {
  const exempt = objectAt(object, 'spec', 'exempt');
  if (exempt !== undefined) {
    exempt['nominalConcurrencyShares'] ??= 0;
    exempt['lendablePercent'] ??= 0;
  }
  const limited = objectAt(object, 'spec', 'limited');
  if (limited === undefined) return;
  limited['nominalConcurrencyShares'] ??= DEFAULT_SHARES;
  limited['lendablePercent'] ??= 0;
  const queuing = objectAt(limited, 'limitResponse', 'queuing');
  if (queuing === undefined) return;
  for (const [field, value] of Object.entries(DEFAULT_QUEUES))
    if (numberAt(queuing, field) === 0) queuing[field] = value;
}

export function validatePriorityLevel(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  if (fieldAt(object, 'metadata', 'annotations', ROUNDTRIP_ANNOTATION) !== undefined)
    issues.push(forbidden(METADATA.child('annotations'), `annotation '${ROUNDTRIP_ANNOTATION}' is forbidden`));
  const name = textAt(object, 'metadata', 'name');
  const spec = objectAt(object, 'spec') ?? {};
  addIssues(issues, validateSpec(spec, name));
  addIssues(issues, validateFixedSpec(spec, name));
  addIssues(issues, validateFlowConditions(object));
  return issues;
}

/** The specs of the mandatory levels are fixed, except spec.exempt of the level `exempt`. */
function validateFixedSpec(spec: JsonObject, name: string): FieldIssue[] {
  const fixed = mandatorySpec(defaultPriorityLevels(), name);
  if (fixed === undefined) return [];
  const isExempt = name === 'exempt';
  const { exempt: _own, ...rest } = spec;
  const { exempt: _fixed, ...fixedRest } = fixed;
  if (isExempt ? equalJson(rest, fixedRest) : equalJson(spec, fixed)) return [];
  const except = isExempt ? " except the 'spec.exempt' field" : '';
  return [declared(invalid(SPEC, spec, `spec of '${name}'${except} must equal the fixed value`))];
}

function validateSpec(spec: JsonObject, name: string): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const type = textAt(spec, 'type');
  const typePath = SPEC.child('type');
  if ((name === 'exempt') !== (type === 'Exempt'))
    issues.push(invalid(typePath, type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  const limited = objectAt(spec, 'limited');
  const exempt = objectAt(spec, 'exempt');
  switch (type) {
    case 'Exempt':
      if (limited !== undefined)
        issues.push(forbidden(SPEC.child('limited'), 'must be nil if the type is not Limited'));
      if (exempt !== undefined) addIssues(issues, validateExempt(exempt, SPEC.child('exempt')));
      return issues;
    case 'Limited':
      if (exempt !== undefined) issues.push(forbidden(SPEC.child('exempt'), 'must be nil if the type is Limited'));
      if (limited === undefined) issues.push(required(SPEC.child('limited'), 'must not be empty when type is Limited'));
      else addIssues(issues, validateLimited(limited, SPEC.child('limited')));
      return issues;
    case '':
      return [...issues, required(typePath, '')];
    default:
      return [...issues, notSupported(typePath, type, ['Exempt', 'Limited'])];
  }
}

function validateLimited(limited: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateShares(limited, path);
  addIssues(issues, validateResponse(objectAt(limited, 'limitResponse') ?? {}, path.child('limitResponse')));
  addIssues(issues, validateLendable(limited, path));
  const borrowing = numberAt(limited, 'borrowingLimitPercent');
  if (borrowing < 0)
    issues.push(
      invalid(path.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer'),
    );
  return issues;
}

function validateExempt(exempt: JsonObject, path: FieldPath): FieldIssue[] {
  return [...validateShares(exempt, path), ...validateLendable(exempt, path)];
}

function validateShares(level: JsonObject, path: FieldPath): FieldIssue[] {
  const shares = numberAt(level, 'nominalConcurrencyShares');
  return shares < 0 ? [invalid(path.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer')] : [];
}

function validateLendable(level: JsonObject, path: FieldPath): FieldIssue[] {
  const percent = numberAt(level, 'lendablePercent');
  if (percent >= 0 && percent <= 100) return [];
  return [invalid(path.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive')];
}

function validateResponse(response: JsonObject, path: FieldPath): FieldIssue[] {
  const type = textAt(response, 'type');
  const queuing = objectAt(response, 'queuing');
  switch (type) {
    case 'Reject':
      if (queuing === undefined) return [];
      return [forbidden(path.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      if (queuing !== undefined) return validateQueuing(queuing, path.child('queuing'));
      return [required(path.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited')];
    case '':
      return [required(path.child('type'), '')];
    default:
      return [notSupported(path.child('type'), type, ['Queue', 'Reject'])];
  }
}

function validateQueuing(queuing: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const length = numberAt(queuing, 'queueLengthLimit');
  if (length <= 0) issues.push(invalid(path.child('queueLengthLimit'), length, 'must be positive'));
  const queues = Number(numberAt(queuing, 'queues'));
  if (queues <= 0) issues.push(invalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > MAX_QUEUES)
    issues.push(invalid(path.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  const handSize = Number(numberAt(queuing, 'handSize'));
  const problem = handSizeProblem(handSize, queues);
  if (problem !== undefined) issues.push(invalid(path.child('handSize'), handSize, problem));
  return issues;
}

/** Shuffle sharding deals queues from the bits of a 60-bit hash, which must suffice for queues and hand size. */
function handSizeProblem(handSize: number, queues: number): string | undefined {
  if (handSize <= 0) return 'must be positive';
  if (handSize > queues) return `should not be greater than queues (${queues})`;
  if (Math.ceil(Math.log2(queues) * handSize) <= MAX_HASH_BITS) return undefined;
  return `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
}
