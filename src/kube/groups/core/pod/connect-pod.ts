/**
 * The subresources of Pods that a kubelet or the pod itself serves: log, exec, attach, portforward and proxy. No
 * kubelet is reachable, so requests fail as in kube-apiserver for an unscheduled pod or an unreachable node. The log of
 * an unscheduled pod is empty.
 */
import { fieldAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { intParam } from '../../../../apimachinery/meta/options-decode.ts';
import { firstParam, type QueryParams } from '../../../../apimachinery/meta/query.ts';
import { parseTime } from '../../../../apimachinery/scalars/time.ts';
import { StatusError } from '../../../../apimachinery/status/status.ts';
import {
  badRequest,
  invalid as invalidStatus,
  notFound,
  serviceUnavailable,
  unknown,
} from '../../../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, forbidden, invalid } from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { EMPTY_BYTES } from '../../../../base/bytes.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { kindView } from '../../../../kinds/views.ts';
import type { Answer } from '../../../../server/http/exchange.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type { ConnectOptions, ConnectRequest, ResourceContext } from '../../../../server/resource/resource-store.ts';
import type { KubeContext } from '../../../kube-context.ts';
import { builtInVersion } from '../../../shared/built-in.ts';
import { parseSloppyIp } from '../../../shared/ip.ts';
import { kubeletAddress } from '../node/kubelet-address.ts';
import { PROXY_METHODS, parseProxyAddress } from '../proxy-address.ts';
import { allContainers } from './spec/pod-containers.ts';

const STREAM_METHODS = ['GET', 'POST'];
/** As the reference's gate AuthorizePodWebsocketUpgradeCreatePermission, which is on by default since 1.35. */
const RUNS: ConnectOptions = { requiresCreate: true };
const EMPTY: Answer = { kind: 'bytes', status: 204, headers: {}, body: EMPTY_BYTES };

type Connect = (kube: KubeContext, context: ResourceContext, request: ConnectRequest) => Promise<Answer>;

export function connectSubresources(kube: KubeContext): readonly SubresourceDefinition[] {
  const subresource = (
    name: string,
    kind: string,
    connectMethods: readonly string[],
    connect: Connect,
    connectOptions: ConnectOptions = {},
  ): SubresourceDefinition => ({
    name,
    ...(kind === '' ? undefined : { version: builtInVersion({ group: '', version: 'v1', kind, stored: false }) }),
    store: () => ({ connectMethods, connectOptions, connect: (context, request) => connect(kube, context, request) }),
  });
  return [
    subresource('log', '', ['GET'], readLog, { isRead: true, parameters: () => kindView('', 'v1', 'PodLogOptions') }),
    subresource('exec', 'PodExecOptions', STREAM_METHODS, openStream, RUNS),
    subresource('attach', 'PodAttachOptions', STREAM_METHODS, openStream, RUNS),
    subresource('portforward', 'PodPortForwardOptions', STREAM_METHODS, forwardPort, RUNS),
    subresource('proxy', 'PodProxyOptions', PROXY_METHODS, reachPod, { takesPath: true }),
  ];
}

async function readLog(kube: KubeContext, context: ResourceContext, { params }: ConnectRequest): Promise<Answer> {
  const issues = validateLogOptions(params);
  if (issues.length > 0)
    throw new StatusError(invalidStatus({ group: '', kind: 'PodLogOptions' }, context.name, issues));
  const pod = await readPod(kube, context);
  const container = chooseContainer(pod, params);
  const node = textAt(pod, 'spec', 'nodeName');
  if (node === '') return EMPTY;
  const host = await hostOf(kube, node);
  const path = `/containerLogs/${context.namespace}/${context.name}/${container}`;
  throw new StatusError(unknown(`Get "https://${host}:10250${path}": no kubelet answers for node ${node}`));
}

/** Throws BadRequest for malformed parameters. */
function validateLogOptions(params: QueryParams): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const number = (name: string): number | bigint | undefined => {
    const parsed = intParam(params, name);
    if (!parsed.ok) throw new StatusError(badRequest(parsed.message));
    return parsed.value;
  };
  const [since, tail, limit] = [number('sinceSeconds'), number('tailLines'), number('limitBytes')];
  const time = firstParam(params, 'sinceTime');
  const parsedTime = time === undefined ? undefined : parseTime(time);
  if (parsedTime?.ok === false) throw new StatusError(badRequest(parsedTime.message));
  if (tail !== undefined && tail < 0)
    issues.push(invalid(FieldPath.of('tailLines'), tail, 'must be greater than or equal to 0'));
  if (limit !== undefined && limit < 1)
    issues.push(invalid(FieldPath.of('limitBytes'), limit, 'must be greater than 0'));
  if (since !== undefined && time !== undefined)
    issues.push(forbidden(FieldPath.of(''), 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (since !== undefined && since < 1)
    issues.push(invalid(FieldPath.of('sinceSeconds'), since, 'must be greater than 0'));
  if (firstParam(params, 'stream') !== undefined)
    issues.push(forbidden(FieldPath.of('stream'), 'may not be specified'));
  return issues;
}

/** Serves exec and attach. */
async function openStream(kube: KubeContext, context: ResourceContext, request: ConnectRequest): Promise<Answer> {
  const pod = await readPod(kube, context);
  chooseContainer(pod, request.params);
  return refuseStream(kube, context, pod, request);
}

async function forwardPort(kube: KubeContext, context: ResourceContext, request: ConnectRequest): Promise<Answer> {
  return refuseStream(kube, context, await readPod(kube, context), request);
}

async function refuseStream(
  kube: KubeContext,
  context: ResourceContext,
  pod: JsonObject,
  { incoming }: ConnectRequest,
): Promise<Answer> {
  const node = textAt(pod, 'spec', 'nodeName');
  if (node === '') throw new StatusError(badRequest(`pod ${context.name} does not have a host assigned`));
  await hostOf(kube, node);
  if (!/upgrade/i.test(incoming.header('connection') ?? ''))
    throw new StatusError(badRequest('Upgrade request required'));
  throw new StatusError(unknown(`error dialing backend: no kubelet answers for node ${node}`));
}

async function reachPod(kube: KubeContext, context: ResourceContext): Promise<Answer> {
  const address = parseProxyAddress(context.name);
  if (address === undefined) throw new StatusError(badRequest(`invalid pod request "${context.name}"`));
  const pod = await readPod(kube, { ...context, name: address.name });
  const ip = parseSloppyIp(textAt(objectsAt(pod, 'status', 'podIPs')[0] ?? {}, 'ip'));
  if (ip === undefined || !isGlobalUnicast(ip)) throw new StatusError(badRequest('address not allowed'));
  throw new StatusError(serviceUnavailable('error trying to reach service: this server runs no pods'));
}

function isGlobalUnicast(ip: Uint8Array): boolean {
  const [a = 0, b = 0] = ip;
  if (ip.every((byte) => byte === 0)) return false;
  if (ip.length === 4)
    return a !== 127 && (a < 224 || a > 239) && !(a === 169 && b === 254) && !ip.every((byte) => byte === 255);
  const isLoopback = ip.every((byte, i) => byte === (i === 15 ? 1 : 0));
  return !isLoopback && a !== 0xff && !(a === 0xfe && (b & 0xc0) === 0x80);
}

async function readPod(kube: KubeContext, { namespace, name }: ResourceContext): Promise<JsonObject> {
  const answer = await kube.reader('pods')(namespace, name);
  if ('status' in answer) throw new StatusError(answer.status);
  return answer.object;
}

/** The container that the request names, or the only one. Throws BadRequest if there is no such container. */
function chooseContainer(pod: JsonObject, params: QueryParams): string {
  const asked = firstParam(params, 'container') ?? '';
  const name = textAt(pod, 'metadata', 'name');
  const spec = fieldAt(pod, 'spec') as JsonObject;
  const containers = objectsAt(spec, 'containers');
  const all = allContainers(spec).map((container) => textAt(container, 'name'));
  if (asked !== '') {
    if (all.includes(asked)) return asked;
    throw new StatusError(badRequest(`container ${asked} is not valid for pod ${name}`));
  }
  const [only] = containers;
  if (only !== undefined && containers.length === 1) return textAt(only, 'name');
  const choice = containers.length === 0 ? '' : `, choose one of: [${all.join(' ')}]`;
  throw new StatusError(badRequest(`a container name must be specified for pod ${name}${choice}`));
}

/** The kubelet's address. As in kube-apiserver, the error about a missing node names the resource `pods`. */
async function hostOf(kube: KubeContext, node: string): Promise<string> {
  const answer = await kube.reader('nodes')('', node);
  if ('status' in answer) throw new StatusError(notFound({ group: '', resource: 'pods' }, node));
  return kubeletAddress(answer.object);
}
