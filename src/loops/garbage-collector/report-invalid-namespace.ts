/** The Event that reports an owner reference to an object in another namespace, in the reference's words. */
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { toError } from '../../base/errors.ts';
import { Event } from '../../kinds/api/core/v1.ts';
import type { LoopContext } from '../loop.ts';
import type { ObjectIdentity, OwnerReference } from './owner-graph.ts';

/** Returns at once. A failure is logged and not retried: the Event is a help, and nothing depends on it. */
export function reportInvalidNamespace(
  { client, clock, logger, random }: LoopContext,
  dependent: ObjectIdentity,
  { apiVersion, kind, name, uid }: OwnerReference,
): void {
  const { namespace } = dependent;
  // Events of cluster-scoped objects are in the default namespace.
  const home = namespace === '' ? 'default' : namespace;
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  const now = formatTime(instantFromMillis(clock.now()));
  const suffix = Math.floor(random() * 2 ** 48).toString(16);
  client
    .api(Event, home)
    .create({
      metadata: { name: `${dependent.name}.${suffix}`, namespace: home },
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
