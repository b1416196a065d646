import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../virtual-clock.ts';
import { WorkQueue } from '../work-queue.ts';
import { MetricRegistry } from './metric-registry.ts';
import { WorkQueueMetrics } from './work-queue-metrics.ts';

function createObserved() {
  const clock = new VirtualClock();
  const registry = new MetricRegistry();
  const metrics = new WorkQueueMetrics(registry, clock);
  const queue = new WorkQueue<string>({ clock, observer: metrics.observer('pods') });
  const values = (): Record<string, string> =>
    Object.fromEntries(
      registry
        .print()
        .split('\n')
        .filter((line) => line.includes('{name="pods"}'))
        .map((line) => line.replace('workqueue_', '').replace('{name="pods"}', '').split(' ') as [string, string]),
    );
  return { clock, registry, metrics, queue, values };
}

describe('the metrics of a work queue', () => {
  it('count adds that are not deduplicated, and the keys that wait', async () => {
    const { queue, values } = createObserved();
    for (const key of ['a', 'a', 'b']) queue.add(key);
    expect(values()).toMatchObject({ adds_total: '2', depth: '2' });
    await queue.get();
    expect(values()).toMatchObject({ adds_total: '2', depth: '1' });
    queue.add('a');
    queue.add('a');
    expect(values()).toMatchObject({ adds_total: '3', depth: '2' });
    queue.done('a');
    expect(values()).toMatchObject({ adds_total: '3', depth: '2' });
  });

  it('count a delayed add as a retry at once and as an add when its delay ends', async () => {
    const { queue, values, clock } = createObserved();
    queue.addAfter('a', 10);
    expect(values()).toMatchObject({ adds_total: '0', depth: '0', retries_total: '1' });
    await clock.advance(10);
    expect(values()).toMatchObject({ adds_total: '1', depth: '1', retries_total: '1' });
    queue.addRateLimited('b');
    await clock.advance(5);
    expect(values()).toMatchObject({ adds_total: '2', depth: '2', retries_total: '2' });
  });

  it('measure the time in the queue from the first add to the hand-out, and the work until done', async () => {
    const { queue, values, clock } = createObserved();
    queue.add('a');
    await clock.advance(2000);
    queue.add('a');
    await clock.advance(1000);
    await queue.get();
    await clock.advance(500);
    queue.done('a');
    expect(values()).toMatchObject({
      queue_duration_seconds_sum: '3',
      queue_duration_seconds_count: '1',
      work_duration_seconds_sum: '0.5',
      work_duration_seconds_count: '1',
    });
  });

  it('measure the time of a key that was added during its processing from that add', async () => {
    const { queue, values, clock } = createObserved();
    queue.add('a');
    await queue.get();
    queue.add('a');
    await clock.advance(1000);
    queue.done('a');
    await queue.get();
    expect(values()).toMatchObject({ queue_duration_seconds_sum: '1', queue_duration_seconds_count: '2' });
  });

  it('add up the work in progress, and show the longest', async () => {
    const { queue, values, clock } = createObserved();
    queue.add('a');
    await queue.get();
    await clock.advance(3000);
    queue.add('b');
    await queue.get();
    await clock.advance(1000);
    expect(values()).toMatchObject({ unfinished_work_seconds: '5', longest_running_processor_seconds: '4' });
    queue.done('a');
    expect(values()).toMatchObject({ unfinished_work_seconds: '1', longest_running_processor_seconds: '1' });
    queue.done('b');
    expect(values()).toMatchObject({ unfinished_work_seconds: '0', longest_running_processor_seconds: '0' });
  });

  it('have no depth after a stop', async () => {
    const { queue, values } = createObserved();
    queue.add('a');
    await queue.stop();
    expect(values()).toMatchObject({ depth: '0', adds_total: '1' });
  });

  it("have client-go's names and buckets", () => {
    const { registry } = createObserved();
    const text = registry.print();
    expect(text.match(/^# TYPE .*$/gm)).toEqual([
      '# TYPE workqueue_adds_total counter',
      '# TYPE workqueue_depth gauge',
      '# TYPE workqueue_longest_running_processor_seconds gauge',
      '# TYPE workqueue_queue_duration_seconds histogram',
      '# TYPE workqueue_retries_total counter',
      '# TYPE workqueue_unfinished_work_seconds gauge',
      '# TYPE workqueue_work_duration_seconds histogram',
    ]);
    expect(
      text.match(/workqueue_work_duration_seconds_bucket.*/g)?.map((line) => /le="(.*?)"/.exec(line)?.[1]),
    ).toEqual([
      '1e-08',
      '1e-07',
      '1e-06',
      '9.999999999999999e-06',
      '9.999999999999999e-05',
      '0.001',
      '0.01',
      '0.1',
      '1',
      '10',
      '+Inf',
    ]);
  });
});
