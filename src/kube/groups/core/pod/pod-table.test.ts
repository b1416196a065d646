import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../base/json-value.ts';
import { podTable, podTemplateTable } from './pod-table.ts';

const NOW = Date.parse('2026-11-15T15:00:00Z');
const AT = '2020-01-01T00:00:00Z';
const TWO = { containers: [{ name: 'a' }, { name: 'b' }] };
const INIT = { containers: [{ name: 'a' }], initContainers: [{ name: 'x' }, { name: 's', restartPolicy: 'Always' }] };

const running = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  ready: true,
  state: { running: {} },
  ...more,
});
const ended = (name: string, terminated: JsonObject): JsonObject => ({ name, state: { terminated } });
const waiting = (name: string, reason: string, more: JsonObject = {}): JsonObject => ({
  name,
  state: { waiting: { reason } },
  ...more,
});

/** The cells of kube-apiserver: ready containers, status, restarts. */
const STATES: readonly [title: string, spec: JsonObject, status: JsonObject, cells: readonly string[]][] = [
  ['pending', TWO, { phase: 'Pending' }, ['0/2', 'Pending', '0']],
  [
    'running',
    TWO,
    { phase: 'Running', podIP: '10.0.0.1', nominatedNodeName: 'n', containerStatuses: [running('a'), running('b')] },
    ['2/2', 'Running', '0'],
  ],
  [
    'crashing',
    TWO,
    {
      phase: 'Running',
      containerStatuses: [
        running('a'),
        waiting('b', 'CrashLoopBackOff', { restartCount: 3, lastState: { terminated: { finishedAt: AT } } }),
      ],
    },
    ['1/2', 'CrashLoopBackOff', '3 (6y320d ago)'],
  ],
  [
    'completed and running',
    TWO,
    {
      phase: 'Running',
      containerStatuses: [ended('a', { exitCode: 0, reason: 'Completed' }), running('b')],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
    ['1/2', 'Running', '0'],
  ],
  [
    'completed, one not ready',
    TWO,
    { phase: 'Running', containerStatuses: [ended('a', { exitCode: 0, reason: 'Completed' }), running('b')] },
    ['1/2', 'NotReady', '0'],
  ],
  [
    'completed, one failed',
    TWO,
    {
      phase: 'Running',
      containerStatuses: [
        ended('a', { exitCode: 0, reason: 'Completed' }),
        ended('b', { exitCode: 2, reason: 'Error' }),
      ],
    },
    ['0/2', 'Error', '0'],
  ],
  [
    'exit code',
    TWO,
    { phase: 'Failed', containerStatuses: [ended('a', { exitCode: 3 }), ended('b', { exitCode: 0 })] },
    ['0/2', 'ExitCode:3', '0'],
  ],
  [
    'signal',
    TWO,
    { phase: 'Failed', containerStatuses: [ended('a', { exitCode: 1, signal: 9 })] },
    ['0/2', 'Signal:9', '0'],
  ],
  ['evicted', TWO, { phase: 'Failed', reason: 'Evicted' }, ['0/2', 'Evicted', '0']],
  [
    'init waits',
    INIT,
    { initContainerStatuses: [waiting('x', ''), waiting('s', '')], phase: 'Pending' },
    ['0/2', 'Init:0/2', '0'],
  ],
  [
    'init pulls',
    INIT,
    { initContainerStatuses: [waiting('x', 'ErrImagePull', { restartCount: 2 }), waiting('s', '')], phase: 'Pending' },
    ['0/2', 'Init:ErrImagePull', '2'],
  ],
  [
    'init failed',
    INIT,
    { initContainerStatuses: [ended('x', { exitCode: 1 }), waiting('s', '')], phase: 'Pending' },
    ['0/2', 'Init:ExitCode:1', '0'],
  ],
  [
    'sidecar starting',
    INIT,
    { initContainerStatuses: [ended('x', { exitCode: 0 }), running('s', { started: false })], phase: 'Pending' },
    ['0/2', 'Init:1/2', '0'],
  ],
  [
    'sidecar ready',
    INIT,
    {
      phase: 'Running',
      initContainerStatuses: [ended('x', { exitCode: 0 }), running('s', { started: true, restartCount: 1 })],
      containerStatuses: [running('a')],
    },
    ['2/2', 'Running', '1'],
  ],
];

describe('the row of a pod', () => {
  const { cells, conditions } = podTable();
  test.each(STATES)('%s', (_title, spec, status, expected) => {
    expect(cells({ spec, status }, NOW).slice(1, 4)).toEqual(expected);
  });

  test('shows gates, deletion and nodes', () => {
    const gated = { conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] };
    expect(cells({ spec: TWO, status: gated }, NOW)[2]).toBe('SchedulingGated');
    const metadata = { deletionTimestamp: AT };
    expect(cells({ metadata, spec: TWO, status: { phase: 'Running' } }, NOW)[2]).toBe('Terminating');
    expect(cells({ metadata, spec: TWO, status: { phase: 'Failed' } }, NOW)[2]).toBe('Failed');
    expect(cells({ metadata, spec: TWO, status: { reason: 'NodeLost' } }, NOW)[2]).toBe('Unknown');
    const spec = { ...TWO, nodeName: 'n', readinessGates: [{ conditionType: 'x/a' }, { conditionType: 'x/b' }] };
    const status = { podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'x/a', status: 'True' }] };
    expect(cells({ spec, status }, NOW).slice(5)).toEqual(['10.0.0.1', 'n', '<none>', '1/2']);
  });

  test('has a condition if the pod has ended', () => {
    expect(conditions?.({ status: { phase: 'Failed' } })).toEqual([
      { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
    ]);
    expect(conditions?.({ status: { phase: 'Running' } })).toBeUndefined();
  });
});

test('the row of a pod template shows containers, images and labels', () => {
  const template = {
    metadata: { labels: { b: '2', a: '1' } },
    spec: {
      containers: [
        { name: 'x', image: 'i' },
        { name: 'y', image: 'j' },
      ],
    },
  };
  const row = podTemplateTable().cells({ metadata: { name: 't' }, template }, NOW);
  expect(row).toEqual(['t', 'x,y', 'i,j', 'a=1,b=2']);
});
