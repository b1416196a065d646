/** Validation of Events. The strict rules of events.k8s.io/v1 apply only to requests of that version. */

import { goPointer } from '../../../../apimachinery/go-shape/go-value.ts';
import type { GroupVersion } from '../../../../apimachinery/meta/gvk.ts';
import { fieldAt, numberAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Subdomain } from '../../../../apimachinery/validation/name-syntax.ts';
import { FIELD_IMMUTABLE } from '../../../../apimachinery/validation/validate-object-meta.ts';
import { equalJson, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { utf8Length } from '../../../../base/utf8.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { metaFacts } from '../../../../server/resource/strategy-fields.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../../shared/validate-kube-meta.ts';

const METADATA = FieldPath.of('metadata');
const MAX_SHORT_TEXT = 128;
const MAX_NOTE = 1024;

export function isCoreEvent({ group, version }: GroupVersion): boolean {
  return group === '' && version === 'v1';
}

/** The event is in core v1; `request` is the version of the request. */
export function validateEvent(event: JsonObject, request: GroupVersion): FieldIssue[] {
  const issues = validateAnyEvent(event, request);
  if (isCoreEvent(request)) return issues;
  addIssues(issues, validateKubeMeta(metaFacts(event), { namespaced: true, name: nameIsDnsSubdomain }, METADATA));
  addIssues(issues, validateSeries(event));
  if (!isSet(event, 'eventTime')) issues.push(required(FieldPath.of('eventTime'), ''));
  const type = textAt(event, 'type');
  if (type !== 'Normal' && type !== 'Warning')
    issues.push(invalid(FieldPath.of('type'), '', `has invalid value: ${type}`));
  const old = {
    firstTimestamp: isSet(event, 'firstTimestamp'),
    lastTimestamp: isSet(event, 'lastTimestamp'),
    count: numberAt(event, 'count') !== 0,
    source: textAt(event, 'source', 'component') !== '' || textAt(event, 'source', 'host') !== '',
  };
  for (const [name, set] of Object.entries(old))
    if (set) issues.push(invalid(FieldPath.of(name), '', 'needs to be unset'));
  return issues;
}

/** The fields that events.k8s.io/v1 cannot change, in the order of kube-apiserver's checks; `reason` occurs twice. */
const IMMUTABLE_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

export function validateEventUpdate(event: JsonObject, old: JsonObject, request: GroupVersion): FieldIssue[] {
  const issues = validateAnyEvent(event, request);
  if (isCoreEvent(request)) return issues;
  addIssues(issues, validateMetaUpdate(event, old));
  if (!sameField(event, old, 'series')) addIssues(issues, validateSeries(event));
  for (const name of IMMUTABLE_FIELDS) {
    if (sameField(event, old, name)) continue;
    const path = FieldPath.of(name === 'reportingComponent' ? 'reportingController' : name);
    issues.push(declared(invalid(path, shownValue(event, name), FIELD_IMMUTABLE)));
  }
  return issues;
}

/** The Go types of the fields that messages print by their Go names. */
const GO_TYPES: Readonly<Record<string, 'EventSource' | 'ObjectReference'>> = {
  involvedObject: 'ObjectReference',
  related: 'ObjectReference',
  source: 'EventSource',
};

function shownValue(event: JsonObject, name: string): JsonValue {
  const type = GO_TYPES[name];
  const value = fieldAt(event, name);
  return type === undefined ? (value ?? null) : goPointer(coreShapes, type, value);
}

/** The rules of both groups. An event with an eventTime must name the reporting controller and instance. */
function validateAnyEvent(event: JsonObject, request: GroupVersion): FieldIssue[] {
  const namespace = textAt(event, 'metadata', 'namespace');
  const issues = isSet(event, 'eventTime')
    ? validateNewEvent(event, namespace, request)
    : validateOldEvent(event, namespace);
  for (const complaint of checkDns1123Subdomain(namespace))
    issues.push(invalid(FieldPath.of('namespace'), namespace, complaint));
  return issues;
}

function validateOldEvent(event: JsonObject, namespace: string): FieldIssue[] {
  const involved = textAt(event, 'involvedObject', 'namespace');
  const agrees = involved === '' ? namespace === '' || namespace === 'default' : involved === namespace;
  return agrees ? [] : [wrongNamespace(involved)];
}

function validateNewEvent(event: JsonObject, namespace: string, request: GroupVersion): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const involved = textAt(event, 'involvedObject', 'namespace');
  if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') issues.push(wrongNamespace(involved));
  const controller = textAt(event, 'reportingComponent');
  const controllerPath = FieldPath.of(isCoreEvent(request) ? 'reportingComponent' : 'reportingController');
  if (controller === '') issues.push(required(controllerPath, ''));
  for (const complaint of checkQualifiedName(controller)) issues.push(invalid(controllerPath, controller, complaint));
  for (const name of ['reportingInstance', 'action', 'reason'] as const) {
    const text = textAt(event, name);
    if (text === '') issues.push(required(FieldPath.of(name), ''));
    issues.push(...validateLength(text, name, MAX_SHORT_TEXT));
  }
  issues.push(...validateLength(textAt(event, 'message'), 'message', MAX_NOTE));
  return issues;
}

function validateLength(text: string, name: string, max: number): FieldIssue[] {
  if (utf8Length(text) <= max) return [];
  return [invalid(FieldPath.of(name), '', `can have at most ${max} characters`)];
}

function validateSeries(event: JsonObject): FieldIssue[] {
  const series = objectAt(event, 'series');
  const issues: FieldIssue[] = [];
  if (series === undefined) return issues;
  if (numberAt(series, 'count') < 2) issues.push(invalid(FieldPath.of('series.count'), '', 'should be at least 2'));
  if (!isSet(series, 'lastObservedTime')) issues.push(required(FieldPath.of('series.lastObservedTime'), ''));
  return issues;
}

function wrongNamespace(involved: string): FieldIssue {
  return invalid(FieldPath.of('involvedObject', 'namespace'), involved, 'does not match event.namespace');
}

function isSet(object: JsonObject, time: string): boolean {
  return textAt(object, time) !== '';
}

/** Absent, null, '' and 0 are equal. */
function sameField(event: JsonObject, old: JsonObject, name: string): boolean {
  const [a, b] = [event, old].map((object) => {
    const value = fieldAt(object, name) ?? null;
    return value === '' || value === 0 ? null : value;
  });
  return equalJson(a ?? null, b ?? null);
}
