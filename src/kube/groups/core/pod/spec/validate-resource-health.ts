/** Validation of allocatedResourcesStatus, the health of devices in container statuses. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { utf8Length } from '../../../../../base/utf8.ts';

const HEALTH = ['Healthy', 'Unhealthy', 'Unknown'];
const MESSAGE_MAX = 1024;
const FIELD = 'allocatedResourcesStatus';

/** Appends to `issues`. `path` is the path of the status. */
export function validateResourceHealth(
  status: JsonObject,
  spec: JsonObject,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  for (const kind of ['container', 'initContainer']) {
    const containers = firstByName(objectsAt(spec, `${kind}s`));
    objectsAt(status, `${kind}Statuses`).forEach((one, i) => {
      if (objectsAt(one, FIELD).length === 0) return;
      const known = knownNames(containers.get(textAt(one, 'name')));
      objectsAt(one, FIELD).forEach((allocated, j) => {
        const at = path.child(`${kind}Statuses`).index(i).child(FIELD).index(j);
        if (known !== undefined) validateName(textAt(allocated, 'name'), known, at, issues);
        validateDevices(allocated, at.child('resources'), issues);
      });
    });
  }
  objectsAt(status, 'ephemeralContainerStatuses').forEach((one, i) => {
    if (objectsAt(one, FIELD).length > 0)
      issues.push(
        forbidden(
          path.child('ephemeralContainerStatuses').index(i).child(FIELD),
          'must not be specified in container status',
        ),
      );
  });
}

/** The items by name. The first of several with one name wins. */
export function firstByName(items: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const byName = new Map<string, JsonObject>();
  for (const item of items) {
    const name = textAt(item, 'name');
    if (!byName.has(name)) byName.set(name, item);
  }
  return byName;
}

interface KnownNames {
  readonly claims: ReadonlySet<string>;
  readonly requests: JsonObject;
}

function knownNames(container: JsonObject | undefined): KnownNames | undefined {
  if (container === undefined) return undefined;
  const claims = objectsAt(container, 'resources', 'claims').map((claim) => {
    const request = textAt(claim, 'request');
    return `claim:${textAt(claim, 'name')}${request === '' ? '' : `/${request}`}`;
  });
  return { claims: new Set(claims), requests: objectAt(container, 'resources', 'requests') ?? {} };
}

function validateName(name: string, known: KnownNames, path: FieldPath, issues: FieldIssue[]): void {
  const isClaim = name.startsWith('claim:');
  if (isClaim ? known.claims.has(name) : Object.hasOwn(known.requests, name)) return;
  const detail = isClaim
    ? "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
    : "must match one of the container's resource requests";
  issues.push(declared(invalid(path.child('name'), name, detail)));
}

function validateDevices(allocated: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const seen = new Set<string>();
  objectsAt(allocated, 'resources').forEach((device, i) => {
    const at = path.index(i);
    const health = textAt(device, 'health');
    if (!HEALTH.includes(health)) issues.push(declared(notSupported(at.child('health'), health, HEALTH)));
    const message = fieldAt(device, 'message');
    if (message === '') issues.push(required(at.child('message'), 'must be non-empty if specified'));
    else if (typeof message === 'string' && utf8Length(message) > MESSAGE_MAX)
      issues.push(tooLong(at.child('message'), message, MESSAGE_MAX));
    const id = textAt(device, 'resourceID');
    if (seen.has(id)) issues.push(declared(duplicate(at.child('resourceID'), id)));
    seen.add(id);
  });
}
