/** The kind LeaseCandidate: a candidate of coordinated leader election. */
import { textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { checkConfigMapKey } from '../../../apimachinery/validation/name-syntax.ts';
import { validateObjectMeta } from '../../../apimachinery/validation/validate-object-meta.ts';
import {
  validateImmutableField,
  validateObjectMetaUpdate,
} from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { compareSemver, parseSemver, type Semver } from '../../../cel/libraries/go/go-semver.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { OLDEST_EMULATION_VERSION, validateLeaseStrategy } from './lease-strategy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const ZERO: Semver = { major: 0n, minor: 0n, patch: 0n, prerelease: [], build: [] };

const leaseCandidateTable: () => TableDefinition = tableOf(
  NAME,
  column('LeaseName', 'The lease that it would hold.', (object) => textAt(object, 'spec', 'leaseName')),
  column('BinaryVersion', 'The version of the candidate.', (object) => textAt(object, 'spec', 'binaryVersion')),
  column('EmulationVersion', 'The version that it behaves as.', (object) => textAt(object, 'spec', 'emulationVersion')),
  AGE,
);

const VERSION = { group: 'coordination.k8s.io', kind: 'LeaseCandidate', table: leaseCandidateTable } as const;

export const LEASE_CANDIDATE: KubeResource = {
  definition: storedResource({
    plural: 'leasecandidates',
    scope: 'Namespaced',
    versions: [builtInVersion({ ...VERSION, version: 'v1beta1' }), builtInVersion({ ...VERSION, version: 'v1alpha2' })],
    strategy: strategyWithDefaults({
      allowUnconditionalUpdate: false,
      allowCreateOnUpdate: true,
      validate: validateLeaseCandidate,
      validateUpdate: validateLeaseCandidateUpdate,
    }),
  }),
};

export function validateLeaseCandidate(object: JsonObject): FieldIssue[] {
  return [
    ...validateObjectMeta(metaFacts(object), { namespaced: true, name: checkConfigMapKey }, METADATA),
    ...validateSpec(object),
  ];
}

function validateLeaseCandidateUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const [lease, before] = [object, old].map((one) => textAt(one, 'spec', 'leaseName')) as [string, string];
  return [
    ...validateObjectMetaUpdate(metaFacts(object), metaFacts(old), METADATA),
    ...validateSpec(object),
    ...validateImmutableField(lease, before, SPEC.child('leaseName')),
  ];
}

function validateSpec(object: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (textAt(object, 'spec', 'leaseName') === '') issues.push(required(SPEC.child('leaseName'), ''));
  const emulation = textAt(object, 'spec', 'emulationVersion');
  const emulated = semverOf(emulation);
  if (emulation !== '' && emulated === undefined)
    issues.push(invalid(SPEC.child('emulationVersion'), emulation, 'must be a valid semantic version'));
  const binary = textAt(object, 'spec', 'binaryVersion');
  const own = semverOf(binary);
  if (binary === '') issues.push(required(SPEC.child('binaryVersion'), ''));
  else if (own === undefined)
    issues.push(invalid(SPEC.child('binaryVersion'), binary, 'must be a valid semantic version'));
  if (binary !== '' && emulation !== '' && compareSemver(own ?? ZERO, emulated ?? ZERO) < 0)
    issues.push(invalid(SPEC.child('binaryVersion'), binary, 'must be greater than or equal to `emulationVersion`'));
  const strategy = textAt(object, 'spec', 'strategy');
  if (strategy === '') return [...issues, required(SPEC.child('strategy'), '')];
  if (strategy === OLDEST_EMULATION_VERSION && compareSemver(emulated ?? ZERO, ZERO) === 0)
    issues.push(
      required(SPEC.child('emulationVersion'), "must be specified when `strategy` is 'OldestEmulationVersion'"),
    );
  return [...issues, ...validateLeaseStrategy(strategy)];
}

/** kube-apiserver uses the same parser as the CEL library. */
function semverOf(text: string): Semver | undefined {
  const parsed = parseSemver(text);
  return parsed.ok ? parsed.value : undefined;
}
