/** The defaults of containers, init containers and ephemeral containers. */
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { roundResourceRequirements } from '../../../../shared/round-resources.ts';
import { defaultPullPolicy } from './image-name.ts';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const HOOKS = ['postStart', 'preStop'] as const;
const PROBE_NUMBERS = [
  ['timeoutSeconds', 1],
  ['periodSeconds', 10],
  ['successThreshold', 1],
  ['failureThreshold', 3],
] as const;

export function setContainerDefaults(container: JsonObject): void {
  if (textAt(container, 'imagePullPolicy') === '')
    container['imagePullPolicy'] = defaultPullPolicy(textAt(container, 'image'));
  if (textAt(container, 'terminationMessagePath') === '') container['terminationMessagePath'] = '/dev/termination-log';
  if (textAt(container, 'terminationMessagePolicy') === '') container['terminationMessagePolicy'] = 'File';
  for (const port of objectsAt(container, 'ports')) if (textAt(port, 'protocol') === '') port['protocol'] = 'TCP';
  for (const variable of objectsAt(container, 'env')) setSourceDefaults(objectAt(variable, 'valueFrom'));
  roundResourceRequirements(container);
  for (const name of PROBES) setProbeDefaults(objectAt(container, name));
  for (const name of HOOKS) setHttpGetDefaults(objectAt(container, 'lifecycle', name));
}

function setSourceDefaults(source: JsonObject | undefined): void {
  if (source === undefined) return;
  const field = objectAt(source, 'fieldRef');
  if (field !== undefined && textAt(field, 'apiVersion') === '') field['apiVersion'] = 'v1';
  const file = objectAt(source, 'fileKeyRef');
  if (file !== undefined && fieldAt(file, 'optional') === undefined) file['optional'] = false;
}

function setProbeDefaults(probe: JsonObject | undefined): void {
  if (probe === undefined) return;
  for (const [name, value] of PROBE_NUMBERS) if ((fieldAt(probe, name) ?? 0) === 0) probe[name] = value;
  setHttpGetDefaults(probe);
  const grpc = objectAt(probe, 'grpc');
  if (grpc !== undefined && fieldAt(grpc, 'service') === undefined) grpc['service'] = '';
}

function setHttpGetDefaults(handler: JsonObject | undefined): void {
  const httpGet = handler === undefined ? undefined : objectAt(handler, 'httpGet');
  if (httpGet === undefined) return;
  if (textAt(httpGet, 'path') === '') httpGet['path'] = '/';
  if (textAt(httpGet, 'scheme') === '') httpGet['scheme'] = 'HTTP';
}
