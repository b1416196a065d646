/** Which tokens a kubelet may ask for: those of pods on its node, for audiences that the pod's volumes name. */

import { refusal } from '../../../admission/refusal.ts';
import { quote } from '../../../apimachinery/go-format.ts';
import { nameOf, namespaceOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { isStatusError, StatusError } from '../../../apimachinery/status/status.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import type { Authorizer } from '../../../server/authorizer.ts';
import type { ObjectReader } from '../../../server/own/object-reader.ts';
import { specOf } from '../../shared/object-fields.ts';

/** What NodeRestriction asks others. */
export interface NodeWorld {
  readonly pods: () => ObjectReader;
  readonly nodes: () => ObjectReader;
  readonly claims: () => ObjectReader;
  readonly volumes: () => ObjectReader;
  readonly drivers: () => ObjectReader;
  readonly authorizer: () => Authorizer;
}

export async function admitToken(node: string, attributes: AdmissionAttributes, world: NodeWorld): Promise<void> {
  const { operation, subresource, object, namespace } = attributes;
  if (operation !== 'CREATE' || subresource !== 'token' || object === undefined) return;
  const bound = objectAt(object, 'spec', 'boundObjectRef') ?? {};
  const name = textAt(bound, 'name');
  const uid = textAt(bound, 'uid');
  if (textAt(bound, 'apiVersion') !== 'v1' || textAt(bound, 'kind') !== 'Pod' || name === '')
    throw refusal(attributes, 'node requested token not bound to a pod');
  if (uid === '') throw refusal(attributes, 'node requested token with a pod binding without a uid');
  const answer = await world.pods()(namespace, name);
  if ('status' in answer) throw new StatusError(answer.status);
  const pod = answer.object;
  if (uidOf(pod) !== uid) {
    const because = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw refusal(attributes, because);
  }
  if (textAt(specOf(pod), 'nodeName') !== node)
    throw refusal(attributes, 'node requested token bound to a pod scheduled on a different node');
  await checkAudience(attributes, object, pod, world);
}

async function checkAudience(
  attributes: AdmissionAttributes,
  request: JsonObject,
  pod: JsonObject,
  world: NodeWorld,
): Promise<void> {
  const audiences = textsAt(request, 'spec', 'audiences');
  if (audiences.length > 1) throw refusal(attributes, 'node may only request 0 or 1 audiences');
  const audience = audiences[0] ?? '';
  if (await namesAudience(attributes, pod, audience, world)) return;
  const { user, namespace, name } = attributes;
  const { decision, error } = await world.authorizer().authorize({
    user,
    verb: 'request-serviceaccounts-token-audience',
    namespace,
    apiGroup: '',
    apiVersion: 'v1',
    resource: audience,
    subresource: '',
    name,
    path: '',
    isResourceRequest: true,
  });
  if (decision === 'allow') return;
  const prefix = `audience ${quote(audience)} not found in pod spec volume`;
  if (error !== '')
    throw refusal(
      attributes,
      `${prefix}, error authorizing ${user.name} to request tokens for this audience: ${error}`,
    );
  throw refusal(attributes, `${prefix}, ${user.name} is not authorized to request tokens for this audience`);
}

/** Volumes that were part of Kubernetes before they were drivers name no audience. */
async function namesAudience(
  attributes: AdmissionAttributes,
  pod: JsonObject,
  audience: string,
  world: NodeWorld,
): Promise<boolean> {
  const problems: string[] = [];
  for (const volume of objectsAt(pod, 'spec', 'volumes')) {
    const tokens = objectsAt(volume, 'projected', 'sources').map((source) => objectAt(source, 'serviceAccountToken'));
    if (tokens.some((token) => token !== undefined && textAt(token, 'audience') === audience)) return true;
    try {
      const driver = await driverOf(pod, volume, world);
      if (driver === '') continue;
      const found = await read(world.drivers(), '', driver);
      if (objectsAt(found, 'spec', 'tokenRequests').some((token) => textAt(token, 'audience') === audience))
        return true;
    } catch (error) {
      if (!isStatusError(error)) throw error;
      problems.push(error.status.message ?? '');
    }
  }
  if (problems.length === 0) return false;
  const different = [...new Set(problems)];
  const all = different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
  throw refusal(attributes, `error validating audience ${quote(audience)}: ${all}`);
}

/** The name of the driver behind a volume; '' if there is none. */
async function driverOf(pod: JsonObject, volume: JsonObject, world: NodeWorld): Promise<string> {
  const driver = textAt(volume, 'csi', 'driver');
  if (driver !== '') return driver;
  const claim =
    volume['ephemeral'] === undefined
      ? textAt(volume, 'persistentVolumeClaim', 'claimName')
      : `${nameOf(pod)}-${textAt(volume, 'name')}`;
  if (claim === '') return '';
  const found = await read(world.claims(), namespaceOf(pod), claim);
  const bound = await read(world.volumes(), '', textAt(specOf(found), 'volumeName'));
  return textAt(specOf(bound), 'csi', 'driver');
}

async function read(reader: ObjectReader, namespace: string, name: string): Promise<JsonObject> {
  const answer = await reader(namespace, name);
  if ('object' in answer) return answer.object;
  throw new StatusError(answer.status);
}
