/**
 * The volume in which a pod finds the token of its account, the certificate of the server and the name of its namespace. Invariant: a container that mounts something at that
 * path keeps it; the volume is added only if a container needs it.
 */
import { objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { generateName } from '../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../base/json-value.ts';

const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour and a bit: by the odd number servers recognize tokens of pods that may not know that tokens end. */
const EXPIRATION_SECONDS = 3607;

/** Mounts the token in every container of a pod spec, which is changed in place. `random` gives an integer below its argument. */
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
