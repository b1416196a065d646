/**
 * The plugins PodNodeSelector and PodTolerationRestriction, which read node selectors and tolerations from annotations
 * of the namespace. Both are disabled by default. The reference's configuration files for the whole cluster are not
 * supported.
 * Invariant: node selectors and tolerations of a pod are kept or refused, never replaced.
 */
import { annotationsOf, nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { labelKeyIssue } from '../../../apimachinery/selectors/label-selector.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { forbidden, notFound, unknown } from '../../../apimachinery/status/status-catalogue.ts';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import { readJson } from '../../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { Lister } from '../../../server/own/lister.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { qosClassOf } from '../../groups/core/pod/pod-resources.ts';
import { podOf } from './admitted-pod.ts';
import { coversToleration, mergeTolerations } from './tolerations.ts';

const NODE_SELECTOR = 'scheduler.alpha.kubernetes.io/node-selector';
const DEFAULT_TOLERATIONS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const ALLOWED_TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const MEMORY_PRESSURE = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

type Use = (pod: JsonObject, annotations: Readonly<Record<string, string>>) => void;

export function podNodeSelector(namespaces: Lister): AdmissionPlugin {
  const check: Use = (pod, annotations) => {
    const wanted = parseSelector(annotations[NODE_SELECTOR] ?? '');
    const own = objectAt(specOf(pod), 'nodeSelector') ?? {};
    if (Object.keys(wanted).every((key) => own[key] === undefined || own[key] === wanted[key])) return;
    const because = 'pod node label selector conflicts with its namespace node label selector';
    throw new StatusError(forbidden({ group: '', resource: 'pods' }, nameOf(pod), because));
  };
  return {
    name: 'PodNodeSelector',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE',
    admit: (attributes) =>
      withNamespace(namespaces, attributes, (pod, annotations) => {
        check(pod, annotations);
        const spec = specOf(pod);
        const merged = { ...parseSelector(annotations[NODE_SELECTOR] ?? ''), ...objectAt(spec, 'nodeSelector') };
        if (Object.keys(merged).length > 0) spec['nodeSelector'] = merged;
      }),
    validate: (attributes) => withNamespace(namespaces, attributes, check),
  };
}

export function podTolerationRestriction(namespaces: Lister): AdmissionPlugin {
  const check: Use = (pod, annotations) => {
    const allowed = parseTolerations(annotations[ALLOWED_TOLERATIONS]);
    const own = objectsAt(specOf(pod), 'tolerations');
    if (allowed.length === 0 || own.every((toleration) => allowed.some((wide) => coversToleration(wide, toleration))))
      return;
    const because =
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist';
    throw new StatusError(unknown(because));
  };
  return {
    name: 'PodTolerationRestriction',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) =>
      withNamespace(namespaces, attributes, (pod, annotations) => {
        const spec = specOf(pod);
        const more = attributes.operation === 'CREATE' ? parseTolerations(annotations[DEFAULT_TOLERATIONS]) : [];
        if (podQos(pod) !== 'BestEffort') more.push({ ...MEMORY_PRESSURE });
        if (more.length > 0) spec['tolerations'] = mergeTolerations(objectsAt(spec, 'tolerations'), more);
        check(pod, annotations);
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
    use(pod, annotationsOf(namespace));
  });
}

function podQos(pod: JsonObject): string {
  return textAt(pod, 'status', 'qosClass') || qosClassOf(specOf(pod));
}

/** Parses `a=b,c=d`. Throws a 500, as the reference does, for an invalid text. */
function parseSelector(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  if (text === '') return labels;
  for (const part of text.split(',')) {
    const pair = part.split('=');
    if (pair.length !== 2) throw new StatusError(unknown(`invalid selector: [${pair.join(' ')}]`));
    const [key, value] = pair.map((side) => side.trim()) as [string, string];
    const issue = labelKeyIssue(key, undefined);
    if (issue !== undefined) throw new StatusError(unknown(formatIssue(issue)));
    labels[key] = value;
  }
  return labels;
}

/** Parses a JSON list. Returns an empty list if the annotation is absent or empty. */
function parseTolerations(text: string | undefined): JsonObject[] {
  if (text === undefined || text === '') return [];
  const read = readJson(encodeUtf8(text));
  if (!read.ok) throw new StatusError(unknown(read.error.message));
  return Array.isArray(read.value) ? read.value.filter(isJsonObject) : [];
}
