/** Validation of a container's probes and lifecycle hooks. */
import {
  fieldAt,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkHttpHeaderName } from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { validateNonnegativeFields } from '../../../../shared/numbers.ts';
import { validatePortNumberOrName } from '../../../../shared/ports.ts';

const SCHEMES = ['HTTP', 'HTTPS'];
const PROBE_COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;
const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM'];

/** The parts of the pod spec that validation of hooks depends on. */
export interface PodFacts {
  /** terminationGracePeriodSeconds. Undefined if absent, which is reported elsewhere. */
  readonly gracePeriod: number | bigint | undefined;
  /** `spec.os.name`, or '' if absent. */
  readonly os: string;
  readonly hasOs: boolean;
}

/** Appends to `issues`. `path` is the path of the container. */
export function validateHooksAndProbes(
  container: JsonObject,
  pod: PodFacts,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const lifecycle = objectAt(container, 'lifecycle');
  if (lifecycle !== undefined) validateLifecycle(lifecycle, pod, path.child('lifecycle'), issues);
  validateProbe(container, 'livenessProbe', pod, path, issues);
  validateProbe(container, 'readinessProbe', pod, path, issues);
  validateProbe(container, 'startupProbe', pod, path, issues);
}

function validateProbe(
  container: JsonObject,
  name: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  pod: PodFacts,
  containerPath: FieldPath,
  issues: FieldIssue[],
): void {
  const probe = objectAt(container, name);
  if (probe === undefined) return;
  const path = containerPath.child(name);
  validateHandler(probe, ['exec', 'httpGet', 'tcpSocket', 'grpc'], pod, path, issues);
  addIssues(issues, validateNonnegativeFields(probe, PROBE_COUNTS, path));
  const grace = fieldAt(probe, 'terminationGracePeriodSeconds');
  const gracePath = path.child('terminationGracePeriodSeconds');
  if (grace !== undefined && Number(grace) <= 0) issues.push(invalid(gracePath, grace, 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (grace !== undefined) issues.push(invalid(gracePath, grace, 'must not be set for readinessProbes'));
  } else if (numberAt(probe, 'successThreshold') !== 1)
    issues.push(invalid(path.child('successThreshold'), numberAt(probe, 'successThreshold'), 'must be 1'));
}

function validateLifecycle(lifecycle: JsonObject, pod: PodFacts, path: FieldPath, issues: FieldIssue[]): void {
  for (const name of ['postStart', 'preStop']) {
    const handler = objectAt(lifecycle, name);
    if (handler !== undefined)
      validateHandler(handler, ['exec', 'httpGet', 'tcpSocket', 'sleep'], pod, path.child(name), issues);
  }
  const signal = fieldAt(lifecycle, 'stopSignal');
  if (typeof signal === 'string') validateStopSignal(signal, pod, path.child('stopSignal'), issues);
}

function validateStopSignal(signal: string, pod: PodFacts, path: FieldPath, issues: FieldIssue[]): void {
  if (!pod.hasOs) issues.push(forbidden(path, 'may not be set for containers with empty `spec.os.name`'));
  else if (pod.os === 'windows') {
    if (!WINDOWS_SIGNALS.includes(signal)) issues.push(declared(notSupported(path, signal, WINDOWS_SIGNALS)));
  } else if (pod.os === 'linux') {
    const signals = linuxSignals();
    if (!signals.includes(signal)) issues.push(declared(notSupported(path, signal, signals)));
  }
}

/** Sorted. Built on demand: the feature gate is off, so only stored objects have a stop signal. */
function linuxSignals(): readonly string[] {
  const names =
    'ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX'.split(
      ' ',
    );
  for (let i = 1; i <= 15; i++) names.push(`RTMIN+${i}`);
  for (let i = 1; i <= 14; i++) names.push(`RTMAX-${i}`);
  return names.map((name) => `SIG${name}`).sort();
}

/** A handler must have exactly one of the actions in `kinds`. */
function validateHandler(
  handler: JsonObject,
  kinds: readonly string[],
  pod: PodFacts,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  let count = 0;
  for (const kind of kinds) {
    const action = objectAt(handler, kind);
    if (action === undefined) continue;
    if (++count > 1) issues.push(forbidden(path.child(kind), 'may not specify more than 1 handler type'));
    else validateAction(kind, action, pod, path.child(kind), issues);
  }
  if (count === 0) issues.push(required(path, 'must specify a handler type'));
}

function validateAction(kind: string, action: JsonObject, pod: PodFacts, path: FieldPath, issues: FieldIssue[]): void {
  switch (kind) {
    case 'exec':
      if (listAt(action, 'command').length === 0) issues.push(required(path.child('command'), ''));
      break;
    case 'httpGet':
      validateHttpGet(action, path, issues);
      break;
    case 'sleep':
      validateSleep(action, pod, path, issues);
      break;
    default:
      addIssues(issues, validatePortNumberOrName(fieldAt(action, 'port'), path.child('port')));
  }
}

function validateHttpGet(action: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  if (textAt(action, 'path') === '') issues.push(required(path.child('path'), ''));
  addIssues(issues, validatePortNumberOrName(fieldAt(action, 'port'), path.child('port')));
  const scheme = textAt(action, 'scheme');
  if (!SCHEMES.includes(scheme)) issues.push(declared(notSupported(path.child('scheme'), scheme, SCHEMES)));
  for (const header of objectsAt(action, 'httpHeaders')) {
    const name = textAt(header, 'name');
    for (const complaint of checkHttpHeaderName(name)) issues.push(invalid(path.child('httpHeaders'), name, complaint));
  }
}

function validateSleep(action: JsonObject, { gracePeriod }: PodFacts, path: FieldPath, issues: FieldIssue[]): void {
  const seconds = numberAt(action, 'seconds');
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  issues.push(invalid(path, seconds, detail));
}
