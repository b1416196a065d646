/** The kind NetworkPolicy. */
import {
  ensureObject,
  fieldAt,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../apimachinery/meta/object-fields.ts';
import {
  formatLabelSelectorObject,
  hasInvalidLabelValue,
  type LabelSelectorObject,
  validateLabelSelectorObject,
} from '../../../apimachinery/selectors/label-selector-object.ts';
import {
  addIssues,
  complain,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkPortName, checkPortNumber } from '../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { cidrWarnings, networkContains, parseSloppyCidr, validateLegacyCidr } from '../../shared/ip.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
/** The field of the rules of each direction, and the field of the peers of a rule. */
const DIRECTIONS = [
  { rules: 'ingress', peers: 'from' },
  { rules: 'egress', peers: 'to' },
] as const;

/** Values that an update accepts because the stored object has them. */
interface Leniency {
  readonly labelValues: boolean;
  readonly cidrs: ReadonlySet<string>;
}

const networkPolicyTable: () => TableDefinition = tableOf(
  NAME,
  column('Pod-Selector', 'The pods it is about.', (object) =>
    formatLabelSelectorObject((objectAt(object, 'spec', 'podSelector') ?? {}) as LabelSelectorObject),
  ),
  AGE,
);

export const NETWORK_POLICY: KubeResource = {
  definition: storedResource({
    plural: 'networkpolicies',
    shortNames: ['netpol'],
    scope: 'Namespaced',
    versions: [
      builtInVersion({
        group: 'networking.k8s.io',
        version: 'v1',
        kind: 'NetworkPolicy',
        setDefaults: setNetworkPolicyDefaults,
        table: networkPolicyTable,
      }),
    ],
    strategy: strategyWithDefaults({
      countsGeneration: true,
      validate: validateNetworkPolicy,
      validatesMetadata: true,
      warningsOnCreate: networkPolicyWarnings,
      validateUpdate: validateNetworkPolicyUpdate,
      warningsOnUpdate: networkPolicyWarnings,
    }),
  }),
};

function setNetworkPolicyDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  if (listAt(spec, 'policyTypes').length === 0)
    spec['policyTypes'] = listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const { rules } of DIRECTIONS)
    for (const rule of objectsAt(spec, rules))
      for (const port of objectsAt(rule, 'ports')) {
        if (fieldAt(port, 'protocol') === undefined) port['protocol'] = 'TCP';
      }
}

function validateNetworkPolicy(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: true, name: nameIsDnsSubdomain }, METADATA),
    ...validateSpec(object, { labelValues: false, cidrs: new Set() }),
  ];
}

function validateNetworkPolicyUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const cidrs = new Set(blocksOf(old).flatMap(({ block }) => [textAt(block, 'cidr'), ...textsAt(block, 'except')]));
  const labelValues = hasInvalidLabelValue(objectAt(old, 'spec', 'podSelector') as LabelSelectorObject | undefined);
  return [...validateMetaUpdate(object, old), ...validateSpec(object, { labelValues, cidrs })];
}

/** Returns warnings about CIDRs that are not in canonical form. */
function networkPolicyWarnings(object: JsonObject): readonly string[] {
  return blocksOf(object).flatMap(({ block, path }) => [
    ...cidrWarnings(textAt(block, 'cidr'), path.child('cidr')),
    ...textsAt(block, 'except').flatMap((except, i) => cidrWarnings(except, path.child('except').index(i))),
  ]);
}

function blocksOf(object: JsonObject): readonly { readonly block: JsonObject; readonly path: FieldPath }[] {
  return DIRECTIONS.flatMap(({ rules, peers }) =>
    objectsAt(object, 'spec', rules).flatMap((rule, i) =>
      objectsAt(rule, peers).flatMap((peer, j) => {
        const block = objectAt(peer, 'ipBlock');
        const path = SPEC.child(rules).index(i).child(peers).index(j).child('ipBlock');
        return block === undefined ? [] : [{ block, path }];
      }),
    ),
  );
}

function validateSpec(object: JsonObject, leniency: Leniency): FieldIssue[] {
  const spec = objectAt(object, 'spec') ?? {};
  const issues = validateSelector(objectAt(spec, 'podSelector') ?? {}, SPEC.child('podSelector'), leniency);
  for (const { rules, peers } of DIRECTIONS)
    for (const [i, rule] of objectsAt(spec, rules).entries()) {
      const path = SPEC.child(rules).index(i);
      for (const [j, port] of objectsAt(rule, 'ports').entries())
        addIssues(issues, validatePort(port, path.child('ports').index(j)));
      for (const [j, peer] of objectsAt(rule, peers).entries())
        addIssues(issues, validatePeer(peer, path.child(peers).index(j), leniency));
    }
  const types = [...textsAt(spec, 'policyTypes')];
  const path = SPEC.child('policyTypes');
  if (types.length > 2) return [...issues, invalid(path, types, 'may not specify more than two policyTypes')];
  for (const [i, type] of types.entries())
    if (!TYPES.includes(type)) issues.push(notSupported(path.index(i), type, TYPES));
  return issues;
}

function validateSelector(selector: JsonObject, path: FieldPath, { labelValues }: Leniency): FieldIssue[] {
  return validateLabelSelectorObject(selector as LabelSelectorObject, path, { allowInvalidValues: labelValues });
}

function validatePort(port: JsonObject, path: FieldPath): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const [protocol, number, end] = [fieldAt(port, 'protocol'), fieldAt(port, 'port'), fieldAt(port, 'endPort')];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol as string))
    issues.push(notSupported(path.child('protocol'), protocol, PROTOCOLS));
  const endPath = path.child('endPort');
  if (typeof number === 'number') {
    addIssues(issues, complain(checkPortNumber(number), number, path.child('port')));
    if (typeof end !== 'number') return issues;
    if (end < number) issues.push(invalid(endPath, number, 'must be greater than or equal to `port`'));
    return [...issues, ...complain(checkPortNumber(end), end, endPath)];
  }
  if (end !== undefined) {
    const because = number === undefined ? 'when `port` is not specified' : 'when `port` is non-numeric';
    issues.push(invalid(endPath, end, `may not be specified ${because}`));
  }
  if (typeof number === 'string') addIssues(issues, complain(checkPortName(number), number, path.child('port')));
  return issues;
}

function validatePeer(peer: JsonObject, path: FieldPath, leniency: Leniency): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => objectAt(peer, name) !== undefined);
  for (const name of selectors)
    addIssues(issues, validateSelector(objectAt(peer, name) as JsonObject, path.child(name), leniency));
  const block = objectAt(peer, 'ipBlock');
  if (block !== undefined) {
    addIssues(issues, validateBlock(block, path.child('ipBlock'), leniency));
    if (selectors.length > 0) issues.push(forbidden(path, 'may not specify both ipBlock and another peer'));
  } else if (selectors.length === 0) issues.push(required(path, 'must specify a peer'));
  return issues;
}

function validateBlock(block: JsonObject, path: FieldPath, { cidrs }: Leniency): FieldIssue[] {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [required(path.child('cidr'), '')];
  const issues = validateLegacyCidr(cidr, path.child('cidr'), cidrs);
  const network = parseSloppyCidr(cidr);
  if (network === undefined) return issues;
  for (const [i, except] of textsAt(block, 'except').entries()) {
    const exceptPath = path.child('except').index(i);
    addIssues(issues, validateLegacyCidr(except, exceptPath, cidrs));
    const part = parseSloppyCidr(except);
    if (part !== undefined && (!networkContains(network, part.address) || network.bits >= part.bits))
      issues.push(invalid(exceptPath, except, 'must be a strict subset of `cidr`'));
  }
  return issues;
}
