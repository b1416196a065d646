/**
 * Validation of DeviceClaim: requests, constraints and driver configurations. Claims and templates use all of it;
 * device classes and allocation results use the parts they have.
 */
import { fieldAt, numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { isLongerThan } from '../../../apimachinery/validation/text-rules.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { validateTolerations } from './taint-rules.ts';
import { validateSelectors } from './validate-device-selector.ts';
import { validateList, validateSet } from './validate-list.ts';
import { validateDriverName, validateFullyQualifiedName, validateLabel, validateSubdomain } from './validate-names.ts';

export const MAX_REQUESTS = 32;
export const MAX_CONFIGS = 32;
const MAX_CONSTRAINTS = 32;
const MAX_ALTERNATIVES = 8;
const MAX_PARAMETER_BYTES = 10 * 1024;
const MODES = ['All', 'ExactCount'];
const NOT_A_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const ONE_OF = 'exactly one of `exactly` or `firstAvailable` is required';

/** The names of the requests of a claim, each with the names of its subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames(devices: JsonObject): RequestNames {
  return new Map(
    objectsAt(devices, 'requests').map((request) => [
      textAt(request, 'name'),
      new Set(objectsAt(request, 'firstAvailable').map((alternative) => textAt(alternative, 'name'))),
    ]),
  );
}

/** `devices` is that of the spec of a claim. */
export function validateDeviceClaim(devices: JsonObject, path: FieldPath): FieldIssue[] {
  const names = requestNames(devices);
  return [
    ...validateSet(objectsAt(devices, 'requests'), MAX_REQUESTS, path.child('requests'), validateRequest, (request) =>
      textAt(request, 'name'),
    ),
    ...validateList(objectsAt(devices, 'constraints'), MAX_CONSTRAINTS, path.child('constraints'), (constraint, at) =>
      validateConstraint(constraint, names, at),
    ),
    ...validateList(objectsAt(devices, 'config'), MAX_CONFIGS, path.child('config'), (config, at) => [
      ...validateRequestReferences(config, names, at),
      ...validateConfiguration(config, at),
    ]),
  ];
}

function validateRequest(request: JsonObject, path: FieldPath): FieldIssue[] {
  const issues = validateLabel(textAt(request, 'name'), path.child('name'));
  const exactly = objectAt(request, 'exactly');
  const alternatives = objectsAt(request, 'firstAvailable');
  if (exactly === undefined && alternatives.length === 0) issues.push(required(path, ONE_OF));
  else if (exactly === undefined)
    addIssues(
      issues,
      validateSet(
        alternatives,
        MAX_ALTERNATIVES,
        path.child('firstAvailable'),
        (alternative, at) => [
          ...validateLabel(textAt(alternative, 'name'), at.child('name')),
          ...validateExactRequest(alternative, at),
        ],
        (alternative) => textAt(alternative, 'name'),
      ),
    );
  else if (alternatives.length > 0) issues.push(invalid(path, null, `${ONE_OF}, but multiple fields are set`));
  else addIssues(issues, validateExactRequest(exactly, path.child('exactly')));
  return issues;
}

function validateExactRequest(request: JsonObject, path: FieldPath): FieldIssue[] {
  const className = textAt(request, 'deviceClassName');
  const classPath = path.child('deviceClassName');
  return [
    ...(className === '' ? [required(classPath, '')] : validateSubdomain(className, classPath)),
    ...validateSelectors(request, path),
    ...validateMode(request, path),
    ...validateTolerations(request, path),
  ];
}

function validateMode(request: JsonObject, path: FieldPath): FieldIssue[] {
  const mode = textAt(request, 'allocationMode');
  const count = numberAt(request, 'count');
  if (!MODES.includes(mode)) return [declared(notSupported(path.child('allocationMode'), mode, MODES))];
  if (mode === 'All')
    return count === 0
      ? []
      : [invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'")];
  return count > 0 ? [] : [invalid(path.child('count'), count, 'must be greater than zero')];
}

function validateConstraint(constraint: JsonObject, names: RequestNames, path: FieldPath): FieldIssue[] {
  const issues = validateRequestReferences(constraint, names, path);
  const match = fieldAt(constraint, 'matchAttribute');
  const distinct = fieldAt(constraint, 'distinctAttribute');
  if (typeof match === 'string') issues.push(...validateFullyQualifiedName(match, path.child('matchAttribute')));
  else if (typeof distinct === 'string')
    issues.push(...validateFullyQualifiedName(distinct, path.child('distinctAttribute')));
  else
    issues.push(
      // kube-apiserver has this message if neither is set, too.
      required(path, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'),
    );
  return issues;
}

/** Validates `requests` of a constraint or configuration. */
export function validateRequestReferences(owner: JsonObject, names: RequestNames, path: FieldPath): FieldIssue[] {
  return validateSet(
    textsAt(owner, 'requests'),
    MAX_REQUESTS,
    path.child('requests'),
    (name, at) => validateRequestReference(name, names, at),
    (name) => name,
  );
}

export function validateRequestReference(name: string, names: RequestNames, path: FieldPath): FieldIssue[] {
  const [request = '', alternative, ...more] = name.split('/');
  if (more.length > 0) return [invalid(path, name, NOT_A_REQUEST)];
  const issues = name.split('/').flatMap((part) => validateLabel(part, path));
  const known = names.get(request);
  if (known === undefined || (alternative !== undefined && !known.has(alternative)))
    issues.push(invalid(path, name, NOT_A_REQUEST));
  return issues;
}

/** Validates the configuration of a class, claim or allocation. `stored` skips the size limit: it did not change. */
export function validateConfiguration(config: JsonObject, path: FieldPath, stored = false): FieldIssue[] {
  const opaque = objectAt(config, 'opaque');
  const at = path.child('opaque');
  if (opaque === undefined) return [required(at, '')];
  return [
    ...validateDriverName(textAt(opaque, 'driver'), at.child('driver')),
    ...validateRawObject(
      fieldAt(opaque, 'parameters'),
      stored ? Number.POSITIVE_INFINITY : MAX_PARAMETER_BYTES,
      at.child('parameters'),
    ),
  ];
}

/** Validates opaque parameters: a JSON object of limited size. */
export function validateRawObject(value: JsonValue | undefined, maxBytes: number, path: FieldPath): FieldIssue[] {
  if (value === undefined || value === null) return [required(path, '')];
  if (isLongerThan(writeJson(value), maxBytes)) return [tooLong(path, undefined, maxBytes)];
  return isJsonObject(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}
