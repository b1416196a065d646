/**
 * The projected volume with the token of a pod's account, the CA certificate of the server and the name of the
 * namespace. A container that mounts another volume at the same path keeps it. The volume is added only if a container
 * mounts it.
 */
import { objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { generateName } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';

const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/**
 * The reference's value. The token endpoint extends tokens with exactly this lifetime, for clients that never reload
 * them.
 */
const EXPIRATION_SECONDS = 3607;

/** Mounts the token in every container. Modifies the spec in place. `random` returns an integer below its argument. */
export function mountToken(spec: JsonObject, random: (below: number) => number): void {
  const volumes = objectsAt(spec, 'volumes');
  const present = volumes.find((volume) => textAt(volume, 'name').startsWith(VOLUME_PREFIX));
  const name = present === undefined ? generateName(VOLUME_PREFIX, random) : textAt(present, 'name');
  let needed = false;
  for (const container of [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')]) {
    const mounts = objectsAt(container, 'volumeMounts');
    if (mounts.some((mount) => textAt(mount, 'mountPath') === MOUNT_PATH)) continue;
    container['volumeMounts'] = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    needed = true;
  }
  if (needed && present === undefined) spec['volumes'] = [...volumes, tokenVolume(name)];
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
