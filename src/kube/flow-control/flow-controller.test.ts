import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { SILENT } from '../../base/logger.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { parseRequestInfo } from '../../server/http/request-info.ts';
import type { Lister, ListerChange } from '../../server/own/lister.ts';
import type { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import { ADMIN, startTestKube, type TestKube, user } from '../kube-server.fixtures.ts';
import { FlowController, type FlowControllerOptions } from './flow-controller.ts';

const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
const RULES = [
  {
    subjects: [{ kind: 'User', user: { name: 'joe' } }],
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  },
];

describe('flow control', () => {
  let kube: TestKube;

  beforeEach(async () => {
    kube = await startTestKube();
  });
  afterEach(() => kube.stop());

  const flowOf = (name: string) => {
    const parsed = parseRequestInfo('GET', '/api/v1/pods');
    if (!parsed.ok) throw new Error('no request');
    return kube.server.flows.match(user(name), parsed.info);
  };
  const uidOf = async (path: string): Promise<string> =>
    textAt((await kube.request('GET', path)).body, 'metadata', 'uid');
  /** Waits for the condition, which is written in the background. */
  const dangling = async (name: string, status: string): Promise<JsonObject> => {
    for (;;) {
      const { body } = await kube.request('GET', `${SCHEMAS}/${name}`);
      const [condition = {}] = objectsAt(body, 'status', 'conditions');
      if (condition['status'] === status) return condition;
    }
  };

  it('uses a schema when its priority level exists, and sets its condition', async () => {
    const spec = { matchingPrecedence: 50, priorityLevelConfiguration: { name: 'mine' }, rules: RULES };
    await kube.request('POST', SCHEMAS, { metadata: { name: 'joes' }, spec });
    expect(await dangling('joes', 'True')).toMatchObject({
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "mine" but there is no such object',
    });
    expect(flowOf('joe')?.schemaUid).toBe(await uidOf(`${SCHEMAS}/global-default`));
    const level = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    await kube.request('POST', LEVELS, { metadata: { name: 'mine' }, spec: level });
    await dangling('joes', 'False');
    expect(flowOf('joe')).toEqual({
      schemaUid: await uidOf(`${SCHEMAS}/joes`),
      priorityLevelUid: await uidOf(`${LEVELS}/mine`),
    });
    expect(flowOf('jim')?.schemaUid).toBe(await uidOf(`${SCHEMAS}/global-default`));
  });

  it('restores deleted and changed default objects', async () => {
    await kube.request('DELETE', `${SCHEMAS}/exempt`);
    await kube.request('PATCH', `${LEVELS}/system`, { spec: { limited: { nominalConcurrencyShares: 7 } } });
    await kube.clock.advance(61_000);
    expect((await kube.request('GET', `${SCHEMAS}/exempt`)).status).toBe(200);
    expect((await kube.request('GET', `${LEVELS}/system`)).body).toMatchObject({
      metadata: { generation: 3 },
      spec: { limited: { nominalConcurrencyShares: 30 } },
    });
  });

  it('does not update an object with autoupdate-spec=false', async () => {
    await kube.request('PATCH', `${LEVELS}/system`, {
      metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } },
      spec: { limited: { nominalConcurrencyShares: 7 } },
    });
    await kube.clock.advance(61_000);
    expect((await kube.request('GET', `${LEVELS}/system`)).body).toMatchObject({
      spec: { limited: { nominalConcurrencyShares: 7 } },
    });
  });

  it('refuses changes of mandatory specs', async () => {
    const patch = { spec: { limited: { nominalConcurrencyShares: 7 } } };
    const { status, body } = await kube.request('PATCH', `${LEVELS}/catch-all`, patch, { as: ADMIN });
    expect(status).toBe(422);
    expect(textAt(body, 'message')).toContain("spec of 'catch-all' must equal the fixed value");
  });
});

it('writes the condition of each of many schemas once, although every write is a change', async () => {
  const states = new Map<string, JsonObject>();
  for (let i = 0; i < 20; i++)
    states.set(`s${i}`, {
      metadata: { name: `s${i}`, uid: `u${i}`, resourceVersion: '1' },
      spec: { priorityLevelConfiguration: { name: 'none' } },
    });
  const listeners: ((changes: readonly ListerChange[]) => void)[] = [];
  const lister = (objects: ReadonlyMap<string, JsonObject>): Lister => ({
    fresh: () => undefined,
    get: (_namespace, name) => objects.get(name),
    list: () => [...objects.values()],
    subscribe: (listener) => {
      listeners.push(listener);
      return { stop: () => undefined };
    },
  });
  let writes = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const schemaWriter: FlowControllerOptions['schemaWriter'] = {
    applyStatus: ({ name }, status) => {
      writes++;
      const written = queue.then(() => {
        states.set(name, { ...states.get(name), status });
        for (const listener of listeners) listener([]);
        return EMPTY_BYTES;
      });
      queue = written;
      return written;
    },
  };
  const clock = new VirtualClock();
  const ensurer = {} as ObjectEnsurer;
  const controller = new FlowController({
    schemas: lister(states),
    levels: lister(new Map()),
    schemaWriter,
    ensurer,
    clock,
    logger: SILENT,
  });
  await controller.start();
  await queue;
  controller.stop();
  expect(writes).toBe(20);
});
