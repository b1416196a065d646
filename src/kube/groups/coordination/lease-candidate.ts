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
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInStrategy, builtInVersion, storedResource } from '../../shared/built-in.ts';
import { metaFacts } from '../../shared/object-fields.ts';
import { OLDEST_EMULATION_VERSION, validateLeaseStrategy } from './lease-strategy.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');

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
    strategy: builtInStrategy({
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
  const emulated = parseSemver(emulation);
  if (emulation !== '' && emulated === undefined)
    issues.push(invalid(SPEC.child('emulationVersion'), emulation, 'must be a valid semantic version'));
  const binary = textAt(object, 'spec', 'binaryVersion');
  const own = parseSemver(binary);
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

interface Semver {
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];
}

const ZERO: Semver = { numbers: [0n, 0n, 0n], pre: [] };
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

function parseSemver(text: string): Semver | undefined {
  const match = SEMVER.exec(text);
  if (match === null) return undefined;
  const numbers = [match[1], match[2], match[3]] as string[];
  const pre = match[4]?.split('.') ?? [];
  if (![...numbers, ...pre].every(fitsUint64)) return undefined;
  return { numbers: numbers.map(BigInt), pre };
}

/** Reports whether a part is not a number, or a number of at most 64 bits. */
function fitsUint64(part: string): boolean {
  if (!/^\d+$/.test(part)) return true;
  return part.length <= 20 && BigInt(part) < 2n ** 64n;
}

function compareSemver(a: Semver, b: Semver): number {
  for (const [i, number] of a.numbers.entries()) {
    const other = b.numbers[i] as bigint;
    if (number !== other) return number < other ? -1 : 1;
  }
  // A pre-release is less than its release.
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length);
  for (const [i, part] of a.pre.entries()) {
    const order = i >= b.pre.length ? 1 : comparePart(part, b.pre[i] as string);
    if (order !== 0) return order;
  }
  return a.pre.length < b.pre.length ? -1 : 0;
}

/** Numeric identifiers are less than alphanumeric ones (semver.org, rule 11). */
function comparePart(a: string, b: string): number {
  const [x, y] = [a, b].map((part) => /^\d+$/.test(part)) as [boolean, boolean];
  if (x !== y) return x ? -1 : 1;
  if (x) return Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b));
  return Number(a > b) - Number(a < b);
}
