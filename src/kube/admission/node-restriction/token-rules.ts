/**
 * The rules of NodeRestriction for tokens: a kubelet requests tokens of its pods, for audiences that their volumes
 * name.
 */

import { refusal } from '../../../admission/refusal.ts';
import { formatAggregate, quote } from '../../../apimachinery/go-format.ts';
import { nameOf, namespaceOf, uidOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { isStatusError, StatusError } from '../../../apimachinery/status/status.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import type { Authorizer } from '../../../server/authorizer.ts';
import type { ObjectReader } from '../../../server/own/object-reader.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';

/** The readers and the authorizer of NodeRestriction. */
export interface NodeRestrictionOptions {
  readonly pods: ObjectReader;
  readonly nodes: ObjectReader;
  readonly claims: ObjectReader;
  readonly volumes: ObjectReader;
  readonly drivers: ObjectReader;
  readonly authorizer: Authorizer;
}

export async function admitToken(
  node: string,
  attributes: AdmissionAttributes,
  options: NodeRestrictionOptions,
): Promise<void> {
  const { operation, subresource, object, namespace } = attributes;
  if (operation !== 'CREATE' || subresource !== 'token' || object === undefined) return;
  const bound = objectAt(object, 'spec', 'boundObjectRef') ?? {};
  const name = textAt(bound, 'name');
  const uid = textAt(bound, 'uid');
  if (textAt(bound, 'apiVersion') !== 'v1' || textAt(bound, 'kind') !== 'Pod' || name === '')
    throw refusal(attributes, 'node requested token not bound to a pod');
  if (uid === '') throw refusal(attributes, 'node requested token with a pod binding without a uid');
  const answer = await options.pods(namespace, name);
  if ('status' in answer) throw new StatusError(answer.status);
  const pod = answer.object;
  if (uidOf(pod) !== uid) {
    const because = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw refusal(attributes, because);
  }
  if (textAt(specOf(pod), 'nodeName') !== node)
    throw refusal(attributes, 'node requested token bound to a pod scheduled on a different node');
  await checkAudience(attributes, object, pod, options);
}

async function checkAudience(
  attributes: AdmissionAttributes,
  request: JsonObject,
  pod: JsonObject,
  options: NodeRestrictionOptions,
): Promise<void> {
  const audiences = textsAt(request, 'spec', 'audiences');
  if (audiences.length > 1) throw refusal(attributes, 'node may only request 0 or 1 audiences');
  const audience = audiences[0] ?? '';
  if (await namesAudience(attributes, pod, audience, options)) return;
  const { user, namespace, name } = attributes;
  const { decision, error } = await options.authorizer.authorize({
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

/**
 * Returns true if a volume of the pod, or the CSI driver of a volume, names the audience. In-tree volumes name none.
 */
async function namesAudience(
  attributes: AdmissionAttributes,
  pod: JsonObject,
  audience: string,
  options: NodeRestrictionOptions,
): Promise<boolean> {
  const problems: string[] = [];
  for (const volume of objectsAt(pod, 'spec', 'volumes')) {
    const tokens = objectsAt(volume, 'projected', 'sources').map((source) => objectAt(source, 'serviceAccountToken'));
    if (tokens.some((token) => token !== undefined && textAt(token, 'audience') === audience)) return true;
    try {
      const driver = await driverOf(pod, volume, options);
      if (driver === '') continue;
      const found = await read(options.drivers, '', driver);
      if (objectsAt(found, 'spec', 'tokenRequests').some((token) => textAt(token, 'audience') === audience))
        return true;
    } catch (error) {
      if (!isStatusError(error)) throw error;
      problems.push(error.status.message ?? '');
    }
  }
  if (problems.length === 0) return false;
  throw refusal(attributes, `error validating audience ${quote(audience)}: ${formatAggregate(problems)}`);
}

/** Returns the name of a volume's CSI driver, and '' if it has none. */
async function driverOf(pod: JsonObject, volume: JsonObject, options: NodeRestrictionOptions): Promise<string> {
  const driver = textAt(volume, 'csi', 'driver');
  if (driver !== '') return driver;
  const claim =
    volume['ephemeral'] === undefined
      ? textAt(volume, 'persistentVolumeClaim', 'claimName')
      : `${nameOf(pod)}-${textAt(volume, 'name')}`;
  if (claim === '') return '';
  const found = await read(options.claims, namespaceOf(pod), claim);
  const bound = await read(options.volumes, '', textAt(specOf(found), 'volumeName'));
  return textAt(specOf(bound), 'csi', 'driver');
}

async function read(reader: ObjectReader, namespace: string, name: string): Promise<JsonObject> {
  const answer = await reader(namespace, name);
  if ('object' in answer) return answer.object;
  throw new StatusError(answer.status);
}
