/** The Event about an owner reference to an object in another namespace, with the text of kube-controller-manager. */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { toError } from '../../base/errors.ts';
import { Event } from '../../kinds/api/core/v1.ts';
import type { LoopContext } from '../loop.ts';
import type { ObjectIdentity, OwnerReference } from './owner-graph.ts';

/** Returns at once. A failure is logged and not retried, because nothing depends on the Event. */
export function reportInvalidNamespace(
  { client, clock, logger, random }: LoopContext,
  dependent: ObjectIdentity,
  { apiVersion, kind, name, uid }: OwnerReference,
): void {
  const { namespace } = dependent;
  // Events of cluster-scoped objects are in the default namespace.
  const eventNamespace = namespace === '' ? 'default' : namespace;
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const now = formatTime(instantFromMillis(clock.now()));
  const suffix = Math.floor(random() * 2 ** 48).toString(16);
  client
    .api(Event, eventNamespace)
    .create({
      metadata: { name: `${dependent.name}.${suffix}`, namespace: eventNamespace },
      involvedObject: dependent,
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef ${owner} does not exist in namespace "${namespace}"`,
      source: { component: 'garbage-collector-controller' },
      reportingComponent: 'garbage-collector-controller',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type: 'Warning',
    })
    .catch((caught) => logger.warn('cannot report an owner in another namespace', { reason: toError(caught).message }));
}
