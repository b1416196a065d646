import { describe, expect, it } from 'vitest';
import type { EtcdEvent, WatchResponse } from './messages.ts';
import { beginStream, stepWatch, type WatcherState } from './watch-step.ts';

const HEADER = { clusterId: 'c', revision: 0 };

function response(fields: Partial<WatchResponse>, revision = 0): WatchResponse {
  return {
    header: { ...HEADER, revision },
    watchId: 0,
    created: false,
    canceled: false,
    compactRevision: 0,
    reason: '',
    fragment: false,
    events: [],
    ...fields,
  };
}

function put(revision: number): EtcdEvent {
  const item = { key: 'k', value: new Uint8Array(0), created: revision, revision, version: 1, lease: 0 };
  return { type: 'put', item, previous: undefined };
}

/** The position after each response, and the revisions of the events that were passed on. */
function run(after: number, responses: readonly WatchResponse[]): { positions: number[]; passed: number[] } {
  let state: WatcherState = beginStream(after);
  const positions: number[] = [];
  const passed: number[] = [];
  for (const each of responses) {
    const step = stepWatch(state, each);
    if (step.type !== 'continue') throw new Error(step.type);
    state = step.state;
    positions.push(state.position);
    passed.push(...step.events.map(({ item }) => item.revision));
  }
  return { positions, passed };
}

const created = response({ created: true }, 20);

describe('the steps of an etcd watcher', () => {
  it('moves with events, and with progress once it is created', () => {
    const early = response({}, 30);
    const steps = run(10, [
      early,
      created,
      response({ events: [put(11), put(12)] }, 12),
      response({ watchId: -1 }, 15),
    ]);
    expect(steps).toEqual({ positions: [10, 10, 12, 15], passed: [11, 12] });
  });

  it('joins the fragments of a response before it passes them on', () => {
    const parts = [
      created,
      response({ events: [put(11)], fragment: true }),
      response({ events: [put(11)], fragment: true }),
      response({ events: [put(11), put(12)] }),
    ];
    expect(run(10, parts)).toEqual({ positions: [10, 10, 10, 12], passed: [11, 11, 11, 12] });
  });

  it('does not pass on events at or below its position again', () => {
    expect(run(11, [created, response({ events: [put(11), put(12)] })])).toEqual({ positions: [11, 12], passed: [12] });
  });

  it('does not take the header of its creation for progress: a member may be ahead of what it has sent', () => {
    expect(run(10, [created]).positions).toEqual([10]);
  });

  it('ends compacted with the horizon, and canceled with the reason', () => {
    const state = beginStream(10);
    const compacted = response({ canceled: true, compactRevision: 50 });
    expect(stepWatch(state, compacted)).toEqual({ type: 'compacted', horizon: 50 });
    const canceled = response({ canceled: true, reason: 'etcdserver: no leader' });
    expect(stepWatch(state, canceled)).toEqual({ type: 'canceled', reason: 'etcdserver: no leader' });
  });
});
