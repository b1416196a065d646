/**
 * The plugins PodNodeSelector and PodTolerationRestriction, which read node selectors and tolerations from annotations
 * of the namespace. A configuration has them for namespaces without annotations. Both are disabled by default.
 * Invariant: node selectors and tolerations of a pod are kept or refused, never replaced.
 */
import { annotationsOf, nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { forbidden, notFound, unknown } from '../../../apimachinery/status/status-catalogue.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import { readJson } from '../../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { qosClassOf } from '../../groups/core/pod/pod-resources.ts';
import { podOf } from './admitted-pod.ts';
import { type Labels, parseNodeSelector } from './node-selector.ts';
import type { NodeSelectors, TolerationConfiguration } from './scheduling-configuration.ts';
import { coversToleration, mergeTolerations } from './tolerations.ts';

/** The key of the default in the configuration of PodNodeSelector. */
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';
const NODE_SELECTOR = 'scheduler.alpha.kubernetes.io/node-selector';
const DEFAULT_TOLERATIONS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const ALLOWED_TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

type Use = (pod: JsonObject, annotations: Labels, namespace: string) => void;

/** `configured` has a default, and per namespace the labels that its pods may select. Default: none. */
export function podNodeSelector(namespaces: Lister, configured: NodeSelectors = new Map()): AdmissionPlugin {
  const wantedBy = (annotations: Labels): Labels => {
    const text = annotations[NODE_SELECTOR];
    return text === undefined ? (configured.get(CLUSTER_DEFAULT) ?? {}) : parseNodeSelector(text);
  };
  const refuse = (pod: JsonObject, because: string): never => {
    throw new StatusError(forbidden({ group: '', resource: 'pods' }, nameOf(pod), because));
  };
  const check: Use = (pod, annotations, namespace) => {
    const wanted = wantedBy(annotations);
    const own = objectAt(specOf(pod), 'nodeSelector') ?? {};
    if (Object.keys(wanted).some((key) => own[key] !== undefined && own[key] !== wanted[key]))
      refuse(pod, 'pod node label selector conflicts with its namespace node label selector');
    const allowed = configured.get(namespace) ?? {};
    if (Object.keys(allowed).length > 0 && Object.keys(own).some((key) => own[key] !== allowed[key]))
      refuse(pod, 'pod node label selector labels conflict with its namespace whitelist');
  };
  return {
    name: 'PodNodeSelector',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE',
    admit: (attributes) =>
      withNamespace(namespaces, attributes, (pod, annotations, namespace) => {
        const spec = specOf(pod);
        const merged = { ...wantedBy(annotations), ...objectAt(spec, 'nodeSelector') };
        if (Object.keys(merged).length > 0) spec['nodeSelector'] = merged;
        check(pod, annotations, namespace);
      }),
    validate: (attributes) => withNamespace(namespaces, attributes, check),
  };
}

/** `configured` is for namespaces without annotations. Default: no tolerations, and all are allowed. */
export function podTolerationRestriction(
  namespaces: Lister,
  configured: TolerationConfiguration = { defaults: [], allowed: [] },
): AdmissionPlugin {
  const check: Use = (pod, annotations) => {
    const text = annotations[ALLOWED_TOLERATIONS];
    const allowed = text === undefined ? configured.allowed : parseTolerations(text);
    const own = objectsAt(specOf(pod), 'tolerations');
    if (allowed.length === 0 || own.every((toleration) => allowed.some((wide) => coversToleration(wide, toleration))))
      return;
    const scope = text === undefined ? 'cluster' : 'namespace';
    const because = `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
    throw new StatusError(unknown(because));
  };
  const defaultsOf = (annotations: Labels): readonly JsonObject[] => {
    const text = annotations[DEFAULT_TOLERATIONS];
    return text === undefined ? configured.defaults : parseTolerations(text);
  };
  return {
    name: 'PodTolerationRestriction',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) =>
      withNamespace(namespaces, attributes, (pod, annotations) => {
        const spec = specOf(pod);
        const more = attributes.operation === 'CREATE' ? [...defaultsOf(annotations)] : [];
        if (podQos(pod) !== 'BestEffort') more.push({ ...MEMORY_PRESSURE });
        if (more.length > 0) spec['tolerations'] = mergeTolerations(objectsAt(spec, 'tolerations'), more);
        check(pod, annotations, attributes.namespace);
      }),
    validate: (attributes) => withNamespace(namespaces, attributes, check),
  };
}

function withNamespace(namespaces: Lister, attributes: AdmissionAttributes, use: Use): MaybePromise<void> {
  const pod = podOf(attributes);
  if (pod === undefined) return undefined;
  return andThen(namespaces.fresh(), () => {
    const namespace = namespaces.get('', attributes.namespace);
    if (namespace === undefined)
      throw new StatusError(notFound({ group: '', resource: 'namespaces' }, attributes.namespace));
    use(pod, annotationsOf(namespace), attributes.namespace);
  });
}

function podQos(pod: JsonObject): string {
  return textAt(pod, 'status', 'qosClass') || qosClassOf(specOf(pod));
}

/** Parses a JSON list. Returns an empty list if the annotation is empty. */
function parseTolerations(text: string): JsonObject[] {
  if (text === '') return [];
  const read = readJson(encodeUtf8(text));
  if (!read.ok) throw new StatusError(unknown(read.error.message));
  return Array.isArray(read.value) ? read.value.filter(isJsonObject) : [];
}
