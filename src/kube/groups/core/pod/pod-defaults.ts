/**
 * The defaults of Pods and pod templates. They include what kube-apiserver's conversion to internal types does: it
 * aligns serviceAccount with serviceAccountName, and drops the annotations of beta init containers.
 */
import {
  fieldAt,
  flagAt,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../../apimachinery/meta/object-fields.ts';
import { formatQuantity } from '../../../../apimachinery/scalars/quantity.ts';
import { type JsonObject, setField } from '../../../../base/json-value.ts';
import {
  isHugePageResource,
  isOvercommitAllowed,
  isPodLevelResource,
  sortedResourceList,
} from '../../../shared/resource-lists.ts';
import { roundResourceList, roundResourceRequirements } from '../../../shared/round-resources.ts';
import { setVolumeDefaults } from '../volume/volume-defaults.ts';
import { aggregateContainers } from './pod-resources.ts';
import { setContainerDefaults } from './spec/container-defaults.ts';

const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const STATUS_LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;
const INIT_ANNOTATIONS = ['init-containers', 'init-container-statuses'] as const;

/** The defaults of a Pod. */
export function setPodDefaults(pod: JsonObject): void {
  const spec = objectAt(pod, 'spec');
  if (spec !== undefined) {
    for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')])
      requestLimits(objectAt(container, 'resources'));
    setPodLevelDefaults(spec);
    if (fieldAt(spec, 'enableServiceLinks') === undefined) spec['enableServiceLinks'] = true;
    if (flagAt(spec, 'hostNetwork')) setHostPorts(spec);
    setPodSpecDefaults(spec);
    if (numberAt(spec, 'terminationGracePeriodSeconds') < 0) spec['terminationGracePeriodSeconds'] = 1;
  }
  dropInitAnnotations(pod);
  const status = objectAt(pod, 'status');
  if (status !== undefined) setStatusDefaults(status);
}

/** The defaults of a pod template: those of the spec, without the ones that only a Pod gets. */
export function setTemplateDefaults(template: JsonObject): void {
  const spec = objectAt(template, 'spec');
  if (spec !== undefined) setPodSpecDefaults(spec);
  dropInitAnnotations(template);
}

function setPodSpecDefaults(spec: JsonObject): void {
  if (textAt(spec, 'dnsPolicy') === '') spec['dnsPolicy'] = 'ClusterFirst';
  if (textAt(spec, 'restartPolicy') === '') spec['restartPolicy'] = 'Always';
  if (fieldAt(spec, 'securityContext') === undefined) spec['securityContext'] = {};
  if (fieldAt(spec, 'terminationGracePeriodSeconds') === undefined) spec['terminationGracePeriodSeconds'] = 30;
  if (textAt(spec, 'schedulerName') === '') spec['schedulerName'] = 'default-scheduler';
  for (const volume of objectsAt(spec, 'volumes')) setVolumeDefaults(volume);
  for (const list of CONTAINER_LISTS) for (const container of objectsAt(spec, list)) setContainerDefaults(container);
  roundResourceList(fieldAt(spec, 'overhead'));
  roundResourceRequirements(spec);
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') {
    spec['serviceAccountName'] = account;
    spec['serviceAccount'] = account;
  }
}

/** Sets requests to the limits where they are absent. */
function requestLimits(resources: JsonObject | undefined): void {
  const limits = resources === undefined ? undefined : objectAt(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  const requests: JsonObject = { ...objectAt(resources, 'requests') };
  for (const name of Object.keys(limits))
    if (!Object.hasOwn(requests, name)) setField(requests, name, limits[name] ?? '0');
  resources['requests'] = sortedResourceList(requests);
}

/** Sets absent pod-level requests to the sum of the containers' requests or else to the pod-level limits. */
function setPodLevelDefaults(spec: JsonObject): void {
  const resources = objectAt(spec, 'resources');
  if (resources === undefined) return;
  const limits: JsonObject = { ...objectAt(resources, 'limits') };
  const requests: JsonObject = { ...objectAt(resources, 'requests') };
  if (Object.keys(limits).length + Object.keys(requests).length === 0) return;
  for (const [name, amount] of aggregateContainers(spec, 'limits'))
    if (isHugePageResource(name) && !Object.hasOwn(requests, name) && !Object.hasOwn(limits, name))
      setField(limits, name, formatQuantity(amount));
  if (Object.keys(limits).length === 0) return;
  resources['limits'] = sortedResourceList(limits);
  for (const [name, amount] of aggregateContainers(spec, 'requests'))
    if (!Object.hasOwn(requests, name) && isPodLevelResource(name) && isOvercommitAllowed(name))
      setField(requests, name, formatQuantity(amount));
  for (const name of Object.keys(limits))
    if (!Object.hasOwn(requests, name) && isPodLevelResource(name)) setField(requests, name, limits[name] ?? '0');
  if (Object.keys(requests).length > 0) resources['requests'] = sortedResourceList(requests);
}

/** On the host network, hostPort defaults to containerPort. */
function setHostPorts(spec: JsonObject): void {
  for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')])
    for (const port of objectsAt(container, 'ports'))
      if (numberAt(port, 'hostPort') === 0 && numberAt(port, 'containerPort') !== 0)
        port['hostPort'] = numberAt(port, 'containerPort');
}

function dropInitAnnotations(object: JsonObject): void {
  const annotations = objectAt(object, 'metadata', 'annotations');
  if (annotations === undefined) return;
  for (const stage of ['beta', 'alpha'])
    for (const name of INIT_ANNOTATIONS) delete annotations[`pod.${stage}.kubernetes.io/${name}`];
}

/** Makes podIP and podIPs agree. podIP replaces a list that does not start with it. */
function setStatusDefaults(status: JsonObject): void {
  for (const list of STATUS_LISTS)
    for (const container of objectsAt(status, list)) {
      roundResourceList(fieldAt(container, 'allocatedResources'));
      roundResourceRequirements(container);
    }
  roundResourceList(fieldAt(status, 'allocatedResources'));
  roundResourceRequirements(status);
  const ip = textAt(status, 'podIP');
  const first = objectsAt(status, 'podIPs')[0];
  if (ip !== '' && (first === undefined || textAt(first, 'ip') !== ip)) status['podIPs'] = [{ ip }];
  else if (ip === '' && listAt(status, 'podIPs').length > 0 && first !== undefined) {
    const address = textAt(first, 'ip');
    if (address !== '') status['podIP'] = address;
  }
}
