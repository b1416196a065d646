/**
 * The loop of finished Jobs: deletes a Job once `spec.ttlSecondsAfterFinished` have passed since it completed or
 * failed, together with its pods.
 */
import { millisFromTime } from '../apimachinery/scalars/time.ts';
import type { Stored } from '../client/object-types.ts';
import { keyOf, parseKey } from '../controller/keys.ts';
import { Job } from '../kinds/api/batch/v1.ts';
import { KeyedLoop } from './keyed-loop.ts';
import type { LoopDefinition } from './loop.ts';
import { unlessChanged } from './outdated-writes.ts';

export const ttlAfterFinishedLoop: LoopDefinition = {
  name: 'ttl-after-finished-controller',
  serviceAccount: 'ttl-after-finished-controller',
  start: (context) => {
    const { client, informers, clock } = context;
    const jobs = informers.informer(Job);
    const loop = new KeyedLoop(context);
    loop.follow(jobs, (job) => (expiryOf(job) === undefined ? [] : [keyOf(job)]));
    return loop.start(context, {
      failure: 'cannot delete a finished Job, retrying',
      sync: async (key) => {
        const expiry = expiryOf(jobs.store.getByKey(key));
        if (expiry === undefined) return;
        if (expiry > clock.now()) return loop.addAfter(key, expiry - clock.now());
        const { namespace = '', name } = parseKey(key);
        const api = client.api(Job, namespace);
        // The time to live may have been changed a moment ago.
        const fresh = await api.find(name);
        if (fresh === undefined || (expiryOf(fresh) ?? Number.POSITIVE_INFINITY) > clock.now()) return;
        const { uid } = fresh.metadata;
        await unlessChanged(api.delete(name, { propagationPolicy: 'Foreground', preconditions: { uid } }));
      },
    });
  },
};

/** The time at which a Job is deleted, in milliseconds since the epoch. Undefined if it is not to be deleted. */
function expiryOf(job: Stored<Job> | undefined): number | undefined {
  const seconds = job?.spec?.ttlSecondsAfterFinished;
  if (job === undefined || seconds === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const finished = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  const finishedAt = millisFromTime(finished?.lastTransitionTime ?? '');
  return finishedAt === undefined ? undefined : finishedAt + seconds * 1000;
}
