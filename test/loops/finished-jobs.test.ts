import { afterEach, describe, expect, it } from 'vitest';
import { formatTime, instantFromMillis } from '../../src/apimachinery/scalars/time.ts';
import type { Stored } from '../../src/client/object-types.ts';
import { Job } from '../../src/kinds/api/batch/v1.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

async function createFinished(name: string, ttlSecondsAfterFinished?: number): Promise<Stored<Job>> {
  const jobs = plane.client.api(Job, 'default');
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] } };
  const spec = { template, ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }) };
  const made = await jobs.create({ metadata: { name }, spec } as Job);
  const now = formatTime(instantFromMillis(plane.clock.now()));
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
  }));
  return jobs.updateStatus({ ...made, status: { startTime: now, completionTime: now, conditions } } as Stored<Job>);
}

describe('the loop of finished Jobs', () => {
  it('deletes a Job when its time is over, and keeps one without a time to live', async () => {
    plane = await startPlane();
    const jobs = plane.client.api(Job, 'default');
    await createFinished('short', 30);
    await createFinished('kept');
    await plane.clock.advance(29_000);
    expect(await jobs.find('short')).toBeDefined();
    await plane.clock.advance(2_000);
    await until('it is gone', async () => (await jobs.find('short')) === undefined);
    expect(await jobs.find('kept')).toBeDefined();
    expect(plane.problems).toEqual([]);
  });

  it('waits for a time to live that was made longer', async () => {
    plane = await startPlane();
    const jobs = plane.client.api(Job, 'default');
    await createFinished('longer', 30);
    await jobs.patch('longer', { type: 'merge', body: { spec: { ttlSecondsAfterFinished: 300 } } });
    await plane.clock.advance(60_000);
    expect(await jobs.find('longer')).toBeDefined();
    await plane.clock.advance(300_000);
    await until('it is gone', async () => (await jobs.find('longer')) === undefined);
  });
});
