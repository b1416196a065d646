/**
 * The plugin DefaultTolerationSeconds. It adds tolerations for nodes that are not ready or unreachable, unless the pod
 * already tolerates these taints.
 */
import { objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionPlugin } from '../../../server/admission.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { podOf } from './admitted-pod.ts';

export interface TolerationDefaults {
  /** `--default-not-ready-toleration-seconds`. Default 300. */
  readonly notReadySeconds?: number;
  /** `--default-unreachable-toleration-seconds`. Default 300. */
  readonly unreachableSeconds?: number;
}

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';

export function defaultTolerationSeconds(defaults: TolerationDefaults = {}): AdmissionPlugin {
  const { notReadySeconds = 300, unreachableSeconds = 300 } = defaults;
  return {
    name: 'DefaultTolerationSeconds',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) => {
      const pod = podOf(attributes);
      if (pod === undefined) return;
      const spec = specOf(pod);
      const given = objectsAt(spec, 'tolerations');
      const added: JsonObject[] = [];
      for (const [key, seconds] of [
        [NOT_READY, notReadySeconds],
        [UNREACHABLE, unreachableSeconds],
      ] as const)
        if (!given.some((toleration) => toleratesEviction(toleration, key)))
          added.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds });
      if (added.length > 0) spec['tolerations'] = [...given, ...added];
    },
  };
}

function toleratesEviction(toleration: JsonObject, taint: string): boolean {
  const key = textAt(toleration, 'key');
  const effect = textAt(toleration, 'effect');
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}
