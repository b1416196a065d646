/**
 * The fault matrix of webhooks against a control plane on real sockets. For each fault: the answer, that other requests
 * are answered meanwhile, that no connection is left, and that the first request after the fault succeeds.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { statusOf } from '../../src/apimachinery/status/status.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/base/bytes.ts';
import { VirtualClock } from '../../src/base/virtual-clock.ts';
import { MutatingWebhookConfiguration } from '../../src/kinds/api/admissionregistration/v1.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import { createOutboundClient } from '../../src/node/outbound/outbound-client.ts';
import { type Plane, startPlane } from '../loops/plane.fixtures.ts';
import {
  allow,
  CALLBACKS,
  comparable,
  FAULTS,
  type Fault,
  type FaultyServer,
  faultConfiguration,
  type ReviewCall,
  runCallback,
  type SendRequest,
  startFaulty,
} from './webhook-faults.ts';

/** The clock of the outbound client: timeouts of webhooks pass when it is advanced. */
const clock = new VirtualClock(Date.now());
const TIMEOUT_SECONDS = 30;
const MIB = 1 << 20;
let plane: Plane;
const servers: FaultyServer[] = [];

beforeAll(async () => {
  plane = await startPlane({}, undefined, { outbound: createOutboundClient({ clock }) });
});

afterAll(() => plane.plane.stop());

afterEach(async () => {
  await plane.client.api<unknown>(MutatingWebhookConfiguration, undefined).deleteCollection();
  for (const server of servers.splice(0)) await server.stop();
});

async function start(fault: () => Fault, label: string): Promise<FaultyServer> {
  const server = await startFaulty(fault);
  servers.push(server);
  await plane.client.api(MutatingWebhookConfiguration).create(faultConfiguration(server, label, TIMEOUT_SECONDS));
  return server;
}

const maps = () => plane.client.api(ConfigMap, 'default');
const labelled = (name: string, fault: string): ConfigMap => ({
  metadata: { name, labels: { fault } },
  data: { k: 'v' },
});

async function expectOthersServed(name: string): Promise<void> {
  expect((await maps().create({ metadata: { name } })).metadata.name).toBe(name);
  await maps().delete(name);
}

describe('a webhook', () => {
  it.each(FAULTS.map((fault, i) => ({ ...fault, label: `f${i}` })))(
    'that $name gets the answer of the reference',
    async ({ label, ...fault }) => {
      let current: Fault = fault;
      const server = await start(() => current, label);
      const answered = maps()
        .create(labelled(label, label))
        .catch((caught: unknown) => caught);
      if (fault.hangs === true) {
        await expect.poll(() => server.received()).toBe(1);
        await expectOthersServed(`other-${label}`);
        await clock.advance(TIMEOUT_SECONDS * 1000);
      } else await expectOthersServed(`other-${label}`);
      const { code, message = '' } = statusOf(await answered) ?? {};
      expect(code).toBe(fault.code);
      expect(comparable(message, server.port)).toMatch(fault.message);
      current = { name: 'no fault', code: 0, message: /x/ };
      if (fault.certificate === undefined && fault.listens === undefined)
        expect((await maps().create(labelled(label, label))).metadata.name).toBe(label);
      // At most the kept connection of the last request.
      await expect.poll(() => server.sockets.size).toBeLessThanOrEqual(1);
      expect(server.sent()).toBeLessThan(24 * MIB);
    },
  );

  it('that answers with 100 MB to many requests at once leaves no memory behind', async () => {
    const large = FAULTS.find(({ name }) => name === 'answers with 100 MB') as Fault;
    const server = await start(() => large, 'many');
    const before = process.memoryUsage().arrayBuffers;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        maps()
          .create(labelled(`many-${i}`, 'many'))
          .catch((caught: unknown) => statusOf(caught)?.code),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, () => 500));
    await expect.poll(() => server.sockets.size).toBe(0);
    // Ten answers of the largest size that is read are 84 MB.
    await expect.poll(() => process.memoryUsage().arrayBuffers - before, { timeout: 20_000 }).toBeLessThan(100 * MIB);
  });

  it.each(CALLBACKS.map((callback, i) => ({ ...callback, label: `c${i}` })))(
    'that $name gets the answer of the reference',
    async ({ label, ...callback }) => {
      const webhook = { server: undefined as unknown as FaultyServer, answer: allow as (call: ReviewCall) => void };
      const fault = { name: 'callback', code: 0, message: /x/, answer: (call: ReviewCall) => webhook.answer(call) };
      webhook.server = await start(() => fault, label);
      expect(await runCallback(callback, label, send, webhook)).toBe(
        `${callback.code} ${callback.reason}, ${callback.reviews} reviews`,
      );
    },
  );
});

const send: SendRequest = async (method, target, body) => {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await plane.client.transport({
    method,
    target,
    headers: { 'content-type': type },
    ...(body && { body: encodeUtf8(JSON.stringify(body)) }),
  });
  const chunks: Uint8Array[] = [];
  if (answer.body instanceof Uint8Array) chunks.push(answer.body);
  else for await (const chunk of answer.body) chunks.push(chunk);
  return { status: answer.status, body: JSON.parse(decodeUtf8(Buffer.concat(chunks))) as { reason?: string } };
};
