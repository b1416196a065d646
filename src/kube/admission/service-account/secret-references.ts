/**
 * The Secrets that a pod spec refers to. Checks report the first reference that is not allowed, in the reference's
 * order.
 */

import { nameOf } from '../../../apimachinery/meta/meta.ts';
import { fieldAt, objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';

/** The paths in volumes that refer to a Secret. */
const VOLUME_SECRETS: readonly (readonly string[])[] = [
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['flexVolume', 'secretRef'],
  ['rbd', 'secretRef'],
  ['secret'],
  ['scaleIO', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['storageos', 'secretRef'],
  ['csi', 'nodePublishSecretRef'],
];

export function hasSecretReferences(spec: JsonObject): boolean {
  if (objectsAt(spec, 'imagePullSecrets').length > 0) return true;
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => objectsAt(spec, list));
  if (containers.some((container) => envSecrets(container).length > 0)) return true;
  return objectsAt(spec, 'volumes').some(
    (volume) =>
      textAt(volume, 'azureFile', 'secretName') !== '' ||
      objectsAt(volume, 'projected', 'sources').some((source) => source['secret'] !== undefined) ||
      VOLUME_SECRETS.some((path) => fieldAt(volume, ...path) !== undefined),
  );
}

interface EnvSecret {
  /** `envVar NAME` or `envFrom`. */
  readonly where: string;
  readonly secret: string;
}

function envSecrets(container: JsonObject): readonly EnvSecret[] {
  const found: EnvSecret[] = [];
  for (const env of objectsAt(container, 'env')) {
    const reference = objectAt(env, 'valueFrom', 'secretKeyRef');
    if (reference !== undefined)
      found.push({ where: `envVar ${textAt(env, 'name')}`, secret: textAt(reference, 'name') });
  }
  for (const source of objectsAt(container, 'envFrom')) {
    const reference = objectAt(source, 'secretRef');
    if (reference !== undefined) found.push({ where: 'envFrom', secret: textAt(reference, 'name') });
  }
  return found;
}

/**
 * Returns the message for the first Secret that the account does not list, and undefined if it lists all. For accounts
 * with the annotation enforce-mountable-secrets.
 */
export function disallowedSecret(account: JsonObject, spec: JsonObject): string | undefined {
  const allowed = namesIn(account, 'secrets');
  for (const volume of objectsAt(spec, 'volumes')) {
    const secret = objectAt(volume, 'secret');
    if (secret === undefined || allowed.has(textAt(secret, 'secretName'))) continue;
    return `volume with secret.secretName="${textAt(secret, 'secretName')}" is not allowed because service account ${nameOf(account)} does not reference that secret`;
  }
  const problem =
    disallowedEnv(account, allowed, objectsAt(spec, 'initContainers'), 'init container') ??
    disallowedEnv(account, allowed, objectsAt(spec, 'containers'), 'container');
  if (problem !== undefined) return problem;
  const pullSecrets = namesIn(account, 'imagePullSecrets');
  for (const [i, secret] of objectsAt(spec, 'imagePullSecrets').entries()) {
    if (pullSecrets.has(textAt(secret, 'name'))) continue;
    return `imagePullSecrets[${i}].name="${textAt(secret, 'name')}" is not allowed because service account ${nameOf(account)} does not reference that imagePullSecret`;
  }
  return undefined;
}

export function disallowedEphemeralSecret(account: JsonObject, spec: JsonObject): string | undefined {
  const containers = objectsAt(spec, 'ephemeralContainers');
  return disallowedEnv(account, namesIn(account, 'secrets'), containers, 'ephemeral container');
}

function disallowedEnv(
  account: JsonObject,
  allowed: ReadonlySet<string>,
  containers: readonly JsonObject[],
  what: string,
): string | undefined {
  for (const container of containers)
    for (const { where, secret } of envSecrets(container))
      if (!allowed.has(secret))
        return `${what} ${textAt(container, 'name')} with ${where} referencing secret.secretName="${secret}" is not allowed because service account ${nameOf(account)} does not reference that secret`;
  return undefined;
}

function namesIn(account: JsonObject, list: string): ReadonlySet<string> {
  return new Set(objectsAt(account, list).map((item) => textAt(item, 'name')));
}
