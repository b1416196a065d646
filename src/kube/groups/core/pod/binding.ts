/**
 * Binding of Pods to nodes: the `binding` subresource of Pods, and the deprecated kind Binding. Invariant: a Pod is
 * bound at most once, and not while it has scheduling gates or is being deleted.
 */

import { quote } from '../../../../apimachinery/go-format.ts';
import { ensureObject, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../../apimachinery/status/status.ts';
import { badRequest, conflict, unknown } from '../../../../apimachinery/status/status-catalogue.ts';
import {
  type FieldIssue,
  formatIssues,
  notSupported,
  required,
} from '../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../apimachinery/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../apimachinery/validation/name-rules.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { OwnWriter } from '../../../../server/own/own-writer.ts';
import type { SubresourceDefinition } from '../../../../server/resource/resource-definition.ts';
import type {
  CreateRequest,
  ResourceContext,
  ResourceStore,
  WriteAnswer,
} from '../../../../server/resource/resource-store.ts';
import { strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../../server/resource/strategy.ts';
import { ensureMeta } from '../../../../server/resource/strategy-fields.ts';
import type { VersionDefinition } from '../../../../server/resource/version-definition.ts';
import type { KubeContext, KubeResource } from '../../../kube-context.ts';
import { builtInVersion, unstoredResource } from '../../../shared/built-in.ts';
import { setPodCondition } from './pod-conditions.ts';
import { canonicalizePod } from './pod-strategy.ts';
import { SUCCESS } from './success.ts';

const TARGET = FieldPath.of('target');

const BINDING: VersionDefinition = builtInVersion({ group: '', version: 'v1', kind: 'Binding', stored: false });

/** Has none of the rules for updates of a Pod: they refuse a new `spec.nodeName`, which a Binding sets. */
const BINDING_STRATEGY: Strategy = strategyWithDefaults({ canonicalize: canonicalizePod });

export function bindingSubresource(kube: KubeContext): SubresourceDefinition {
  return {
    name: 'binding',
    version: BINDING,
    store: () => ({
      create: (context, binding, request) => {
        if (context.name !== textAt(binding, 'metadata', 'name'))
          throw new StatusError(badRequest('name in URL does not match name in Binding object'));
        return bindPod(kube, context, binding, request);
      },
      // The uid and resourceVersion of a Binding are preconditions for the Pod.
      keepsSystemFields: true,
    }),
  };
}

/** The deprecated kind Binding, posted to `bindings`. Its name is that of the pod. */
export function bindingResource(kube: KubeContext): KubeResource {
  const create: NonNullable<ResourceStore['create']> = (context, binding, request) => {
    const name = textAt(binding, 'metadata', 'name');
    return bindPod(kube, { ...context, name }, binding, request);
  };
  return {
    definition: unstoredResource({
      version: BINDING,
      scope: 'Namespaced',
      nameRule: nameIsDnsSubdomain,
      store: () => ({ create, keepsSystemFields: true }),
    }),
  };
}

async function bindPod(
  kube: KubeContext,
  context: ResourceContext,
  binding: JsonObject,
  request: CreateRequest,
): Promise<WriteAnswer> {
  const issues = validateBinding(binding);
  if (issues.length > 0) throw new StatusError(unknown(formatIssues(issues)));
  await request.validate(binding);
  const pods = new OwnWriter(kube.resource('pods'), { strategy: BINDING_STRATEGY });
  const uid = textAt(binding, 'metadata', 'uid') || undefined;
  const resourceVersion = textAt(binding, 'metadata', 'resourceVersion') || undefined;
  await pods.update(context, (pod) => assign(pod, binding, context.request.receivedAt), {
    request: context.request,
    dryRun: request.dryRun,
    preconditions: { uid, resourceVersion },
    fieldManager: null,
  });
  return SUCCESS;
}

function validateBinding(binding: JsonObject): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const kind = textAt(binding, 'target', 'kind');
  if (kind !== '' && kind !== 'Node') issues.push(notSupported(TARGET.child('kind'), kind, ['Node', '<empty>']));
  if (textAt(binding, 'target', 'name') === '') issues.push(required(TARGET.child('name'), ''));
  return issues;
}

/** Binds the pod, in place. Throws a Conflict if it cannot be bound. */
function assign(pod: JsonObject, binding: JsonObject, now: number): void {
  const name = textAt(pod, 'metadata', 'name');
  const refuse = (because: string): never => {
    throw new StatusError(conflict({ group: '', resource: 'pods/binding' }, name, because));
  };
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== '')
    refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const spec = ensureObject(pod, 'spec');
  const node = textAt(spec, 'nodeName');
  if (node !== '') refuse(`pod ${name} is already assigned to node ${quote(node)}`);
  if (objectsAt(spec, 'schedulingGates').length > 0) refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  spec['nodeName'] = textAt(binding, 'target', 'name');
  const status = ensureObject(pod, 'status');
  if (status['nominatedNodeName'] !== undefined) delete status['nominatedNodeName'];
  for (const field of ['annotations', 'labels']) {
    const added = objectAt(binding, 'metadata', field);
    if (added !== undefined) Object.assign(ensureObject(ensureMeta(pod), field), added);
  }
  setPodCondition(status, { type: 'PodScheduled', status: 'True' }, now);
}
