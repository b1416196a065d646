/** Validation of a container's ports, resize policy and restart policy. The functions append to `issues`. */
import {
  fieldAt,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../../../apimachinery/meta/object-fields.ts';
import {
  declared,
  duplicate,
  type FieldIssue,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkPortName, checkPortNumber } from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { PROTOCOLS } from '../../../../shared/ports.ts';

const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RULE_ACTIONS = ['Restart', 'RestartAllContainers'];
const EXIT_CODE_OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

export function validateContainerPorts(container: JsonObject, path: FieldPath, issues: FieldIssue[]): void {
  const names = new Set<string>();
  objectsAt(container, 'ports').forEach((port, i) => {
    const at = (field: string): FieldPath => path.child('ports').index(i).child(field);
    const name = textAt(port, 'name');
    if (name !== '') {
      const complaints = checkPortName(name);
      for (const complaint of complaints) issues.push(invalid(at('name'), name, complaint));
      if (complaints.length === 0) {
        if (names.has(name)) issues.push(duplicate(at('name'), name));
        names.add(name);
      }
    }
    const containerPort = Number(numberAt(port, 'containerPort'));
    if (containerPort === 0) issues.push(required(at('containerPort'), ''));
    else
      for (const complaint of checkPortNumber(containerPort))
        issues.push(invalid(at('containerPort'), containerPort, complaint));
    const hostPort = Number(numberAt(port, 'hostPort'));
    if (hostPort !== 0)
      for (const complaint of checkPortNumber(hostPort)) issues.push(invalid(at('hostPort'), hostPort, complaint));
    const protocol = textAt(port, 'protocol');
    if (protocol === '') issues.push(required(at('protocol'), ''));
    else if (!PROTOCOLS.includes(protocol)) issues.push(declared(notSupported(at('protocol'), protocol, PROTOCOLS)));
  });
}

/** Reports host ports that two containers use. `path` is the path of the list of containers. */
export function validateHostPorts(containers: readonly JsonObject[], path: FieldPath, issues: FieldIssue[]): void {
  const taken = new Set<string>();
  containers.forEach((container, i) => {
    objectsAt(container, 'ports').forEach((port, j) => {
      const number = numberAt(port, 'hostPort');
      if (Number(number) === 0) return;
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${number}`;
      if (taken.has(key)) issues.push(duplicate(path.index(i).child('ports').index(j).child('hostPort'), key));
      taken.add(key);
    });
  });
}

/** As in kube-apiserver, most issues have the path of the list instead of the item. */
export function validateResizePolicy(
  container: JsonObject,
  podRestartPolicy: string,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const seen = new Set<string>();
  objectsAt(container, 'resizePolicy').forEach((policy, i) => {
    const at = path.child('resizePolicy');
    const resource = textAt(policy, 'resourceName');
    if (seen.has(resource)) issues.push(declared(duplicate(at.index(i), resource)));
    seen.add(resource);
    if (resource === '') issues.push(required(at, ''));
    else if (!RESIZED.includes(resource)) issues.push(declared(notSupported(at, resource, RESIZED)));
    const restart = textAt(policy, 'restartPolicy');
    if (restart === '') issues.push(required(at, ''));
    else if (!RESIZE_POLICIES.includes(restart)) issues.push(declared(notSupported(at, restart, RESIZE_POLICIES)));
    if (podRestartPolicy === 'Never' && restart !== 'NotRequired')
      issues.push(declared(invalid(at, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'")));
  });
}

/**
 * Restart policy and rules. `path` is the container's. The rules of an init container without a policy are not checked.
 */
export function validateContainerRestart(
  container: JsonObject,
  isInit: boolean,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const policy = fieldAt(container, 'restartPolicy');
  const rules = objectsAt(container, 'restartPolicyRules');
  if (policy === undefined) {
    if (rules.length === 0) return;
    issues.push(required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used'));
    if (isInit) return;
  } else if (!RESTART_POLICIES.includes(String(policy)))
    issues.push(declared(notSupported(path.child('restartPolicy'), policy, RESTART_POLICIES)));
  validateRestartRules(rules, path.child('restartPolicyRules'), issues);
}

function validateRestartRules(rules: readonly JsonObject[], path: FieldPath, issues: FieldIssue[]): void {
  if (rules.length > MAX_RULES) issues.push(tooMany(path, rules.length, MAX_RULES));
  rules.forEach((rule, i) => {
    const at = path.index(i);
    const action = textAt(rule, 'action');
    if (!RULE_ACTIONS.includes(action)) issues.push(declared(notSupported(at.child('action'), action, RULE_ACTIONS)));
    const codes = objectAt(rule, 'exitCodes');
    if (codes === undefined) {
      issues.push(required(at.child('exitCodes'), 'must be specified'));
      return;
    }
    const operator = textAt(codes, 'operator');
    if (!EXIT_CODE_OPERATORS.includes(operator))
      issues.push(declared(notSupported(at.child('exitCodes', 'operator'), operator, EXIT_CODE_OPERATORS)));
    const count = listAt(codes, 'values').length;
    if (count > MAX_EXIT_CODES) issues.push(tooMany(at.child('exitCodes', 'values'), count, MAX_EXIT_CODES));
  });
}
