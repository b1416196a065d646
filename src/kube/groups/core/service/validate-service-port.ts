/** Validation of a Service's ports, in two parts: kube-apiserver checks other fields between them. */
import { goValue } from '../../../../apimachinery/go-shape/go-value.ts';
import { fieldAt, numberAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  complain,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { checkQualifiedName } from '../../../../apimachinery/validation/label-syntax.ts';
import { checkDns1123Label, checkPortNumber } from '../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { coreShapes } from '../../../../kinds/shapes/core.ts';
import { validatePortNumberOrName, validateProtocol } from '../../../shared/ports.ts';

const PORTS = FieldPath.of('spec', 'ports');

/**
 * `names` checks each port, and duplicate names. `numbers` checks duplicate numbers and whether the type allows them.
 */
export function validateServicePorts(spec: JsonObject, part: 'names' | 'numbers'): FieldIssue[] {
  const ports = objectsAt(spec, 'ports');
  if (part === 'numbers') return validateNumbers(ports, textAt(spec, 'type'));
  const names = new Set<string>();
  return ports.flatMap((port, i) => validatePort(port, PORTS.index(i), ports.length > 1, names));
}

function validatePort(port: JsonObject, path: FieldPath, needsName: boolean, names: Set<string>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const name = textAt(port, 'name');
  if (name !== '') {
    addIssues(issues, complain(checkDns1123Label(name), name, path.child('name')));
    if (names.has(name)) issues.push(duplicate(path.child('name'), name));
    names.add(name);
  } else if (needsName) issues.push(required(path.child('name'), ''));
  const number = numberAt(port, 'port');
  addIssues(issues, complain(checkPortNumber(Number(number)), number, path.child('port')));
  addIssues(issues, validateProtocol(textAt(port, 'protocol'), path.child('protocol')));
  addIssues(issues, validatePortNumberOrName(fieldAt(port, 'targetPort'), path.child('targetPort')));
  const appProtocol = fieldAt(port, 'appProtocol');
  if (typeof appProtocol === 'string')
    addIssues(issues, complain(checkQualifiedName(appProtocol), appProtocol, path.child('appProtocol')));
  return issues;
}

function validateNumbers(ports: readonly JsonObject[], type: string): FieldIssue[] {
  const issues: FieldIssue[] = [];
  if (type === 'ClusterIP')
    for (const [i, port] of ports.entries())
      if (numberAt(port, 'nodePort') !== 0)
        issues.push(forbidden(PORTS.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
  const nodePorts = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const nodePort = numberAt(port, 'nodePort');
    if (nodePort === 0) continue;
    const key = `${textAt(port, 'protocol')}/${nodePort}`;
    if (nodePorts.has(key)) issues.push(duplicate(PORTS.index(i).child('nodePort'), nodePort));
    nodePorts.add(key);
  }
  const numbers = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const [protocol, number] = [textAt(port, 'protocol'), numberAt(port, 'port')];
    const key = `${protocol}/${number}`;
    if (numbers.has(key)) {
      // The message shows only these two of the fields.
      const shown = goValue(coreShapes, 'ServicePort', { protocol, port: number });
      issues.push(declared(duplicate(PORTS.index(i), shown)));
    }
    numbers.add(key);
  }
  return issues;
}
