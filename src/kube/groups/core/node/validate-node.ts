/** Validation of Nodes. As in kube-apiserver, the paths of some issues about spec and status begin with `metadata`. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, listAt, objectAt, objectsAt, textAt, textsAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  internalError,
  invalid,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { metaFacts } from '../../../../server/resource/strategy-fields.ts';
import { parseSloppyCidr, validateLegacyCidr } from '../../../shared/ip.ts';
import { validatePositive, wholeAt } from '../../../shared/numbers.ts';
import { amountOf } from '../../../shared/resource-lists.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';
import { validateResourceAmount } from '../../../shared/validate-resources.ts';
import { validateConfigSource } from './node-config-source.ts';
import { validateNodeAnnotations, validateTaints } from './node-taints.ts';

const METADATA = FieldPath.of('metadata');
const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const POD_CIDRS = SPEC.child('podCIDRs');
const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const MAX_FEATURE = 253;
const SET_ONCE = 'node updates may not change';

export function validateNode(object: JsonObject): FieldIssue[] {
  return [
    ...validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA),
    ...validateNodeAnnotations(object),
    ...validateTaints(objectsAt(object, 'spec', 'taints'), METADATA.child('taints')),
    ...validateResources(object),
    ...validatePositive(
      wholeAt(object, 'status', 'nodeInfo', 'swap', 'capacity'),
      METADATA.child('nodeSwapStatus', 'capacity'),
    ),
    ...validateFeatures(object),
    ...validatePodCidrs(textsAt(object, 'spec', 'podCIDRs')),
  ];
}

/** The rules for updates of the Node and of its status. */
export function validateNodeStatusUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues = [
    ...validateMetaUpdate(object, old),
    ...validateNodeAnnotations(object),
    ...validateResources(object),
    ...validateFeatures(object),
    ...validateAddresses(object),
    ...validateFixedFields(object, old),
  ];
  const source = objectAt(object, 'spec', 'configSource');
  if (source !== undefined) addIssues(issues, validateConfigSource(source, SPEC.child('configSource'), 'spec'));
  for (const name of ['assigned', 'active', 'lastKnownGood']) {
    const used = objectAt(object, 'status', 'config', name);
    if (used !== undefined) addIssues(issues, validateConfigSource(used, STATUS.child('config', name), 'status'));
  }
  addIssues(issues, validateTaints(objectsAt(object, 'spec', 'taints'), METADATA.child('taints')));
  if (textAt(object, 'spec', 'externalID') !== textAt(old, 'spec', 'externalID'))
    issues.push(forbidden(SPEC.child('externalID'), 'may not be updated'));
  return issues;
}

export function validateNodeUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [...validateNode(object), ...validateNodeStatusUpdate(object, old)];
}

function validateResources(object: JsonObject): FieldIssue[] {
  return ['capacity', 'allocatable'].flatMap((list) => {
    const amounts = objectAt(object, 'status', list) ?? {};
    return Object.keys(amounts).flatMap((name) =>
      validateResourceAmount(name, amountOf(amounts[name]), String(amounts[name]), STATUS.child(list, name)),
    );
  });
}

function validateFeatures(object: JsonObject): FieldIssue[] {
  const features = textsAt(object, 'status', 'declaredFeatures');
  const path = STATUS.child('declaredFeatures');
  return features.flatMap((feature, i) => {
    const issues: FieldIssue[] = [];
    const problem = featureProblem(feature);
    if (problem !== '') issues.push(invalid(path.index(i), feature, `invalid feature name "${feature}": ${problem}`));
    const next = features[i + 1];
    if (next === feature) issues.push(duplicate(path.index(i + 1), next));
    else if (next !== undefined && feature > next)
      issues.push(invalid(path.index(i + 1), next, 'list must be sorted alphabetically'));
    return issues;
  });
}

function featureProblem(feature: string): string {
  if (feature.length > MAX_FEATURE) return `must be no more than ${MAX_FEATURE} characters`;
  if (FEATURE.test(feature)) return '';
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function validatePodCidrs(cidrs: readonly string[]): FieldIssue[] {
  const issues = cidrs.flatMap((cidr, i) => validateLegacyCidr(cidr, POD_CIDRS.index(i)));
  if (cidrs.length < 2) return issues;
  const families = new Set(cidrs.map((cidr) => parseSloppyCidr(cidr)?.address.length));
  const bad = cidrs.findIndex((cidr) => parseSloppyCidr(cidr) === undefined);
  if (bad >= 0) {
    const because = `invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`;
    issues.push(internalError(POD_CIDRS, `invalid PodCIDRs. failed to check with dual stack with error:${because}`));
  }
  if (cidrs.length > 2 || families.size !== 2 || families.has(undefined))
    issues.push(invalid(POD_CIDRS, [...cidrs], 'may specify no more than one CIDR for each IP family'));
  return issues;
}

function validateAddresses(object: JsonObject): FieldIssue[] {
  const seen = new Set<string>();
  return objectsAt(object, 'status', 'addresses').flatMap((one, i) => {
    const [type, address] = [textAt(one, 'type'), textAt(one, 'address')];
    const key = `${type} ${address}`;
    const isKnown = seen.has(key);
    seen.add(key);
    if (!isKnown) return [];
    return [declared(duplicate(STATUS.child('addresses').index(i), goValue(coreShapes, 'NodeAddress', one)))];
  });
}

/** podCIDRs and providerID may be set once. */
function validateFixedFields(object: JsonObject, old: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const [cidrs, oldCidrs] = [textsAt(object, 'spec', 'podCIDRs'), textsAt(old, 'spec', 'podCIDRs')];
  const changes = oldCidrs.length === cidrs.length ? oldCidrs.filter((cidr, i) => cidr !== cidrs[i]).length : 1;
  if (listAt(old, 'spec', 'podCIDRs').length > 0)
    for (let i = 0; i < changes; i++) issues.push(forbidden(POD_CIDRS, `${SET_ONCE} podCIDR except from "" to valid`));
  const provider = textAt(old, 'spec', 'providerID');
  if (provider !== '' && fieldAt(object, 'spec', 'providerID') !== provider)
    issues.push(forbidden(SPEC.child('providerID'), `${SET_ONCE} providerID except from "" to valid`));
  return issues;
}
