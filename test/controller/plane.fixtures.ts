/** A control plane in memory on virtual time, without a socket, for tests of operators, and a kind for them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFields, Logger } from '../../src/base/logger.ts';
import { SILENT } from '../../src/base/logger.ts';
import { settle, VirtualClock } from '../../src/base/virtual-clock.ts';
import type { Client } from '../../src/client/api.ts';
import { createClient } from '../../src/client/create-client.ts';
import { completeOptions } from '../../src/controlplane/complete-options.ts';
import { nodePlatform } from '../../src/controlplane/node/node-platform.ts';
import { serverOptions } from '../../src/controlplane/options.ts';
import { startControlPlane } from '../../src/controlplane/start.ts';
import { CustomResourceDefinition } from '../../src/kinds/api/apiextensions/v1.ts';
import type { Condition, ObjectMeta } from '../../src/kinds/api/meta/v1.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import type { Listener } from '../../src/node/listener.ts';

export interface TestPlane {
  readonly clock: VirtualClock;
  readonly client: Client;
  stop(): Promise<void>;
}

const LISTENER: Listener = {
  address: '127.0.0.1',
  port: 6443,
  url: 'https://127.0.0.1:6443',
  connections: () => 0,
  setTls: () => undefined,
  drain: async () => undefined,
  stop: async () => undefined,
};

export async function startPlane(): Promise<TestPlane> {
  const clock = new VirtualClock();
  const folder = mkdtempSync(join(tmpdir(), 'keelson-controller-'));
  const options = serverOptions({
    storage: 'memory',
    dataDir: join(folder, 'data'),
    serving: { port: 0 },
    // The garbage collector would change what the tests count.
    controllers: [],
  });
  const platform = { ...nodePlatform, clock, listen: async () => LISTENER };
  const plane = await startControlPlane(await completeOptions(options, platform), { logger: SILENT });
  await plane.ready;
  const client = createClient(plane.transport);
  await defineFoo(client);
  return {
    clock,
    client,
    stop: async () => {
      await plane.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface Foo {
  metadata?: ObjectMeta;
  spec: { deploymentName?: string; replicas?: number; config?: string };
  status?: { availableReplicas?: number; note?: string; conditions?: Condition[] };
}

export const Foo: Kind<Foo, 'Namespaced'> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Foo',
  plural: 'foos',
  scope: 'Namespaced',
};

/** A cluster-scoped kind without a status subresource. */
export const Zone: Kind<Foo, 'Cluster'> = { ...Foo, kind: 'Zone', plural: 'zones', scope: 'Cluster' };

async function defineFoo(client: Client): Promise<void> {
  for (const { kind, plural, scope } of [Foo, Zone])
    await client.api(CustomResourceDefinition).create({
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope,
        names: { kind, plural },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            ...(kind === 'Foo' ? { subresources: { status: {} } } : {}),
            schema: { openAPIV3Schema: SCHEMA },
          },
        ],
      },
    });
  for (const { kind, plural } of [Foo, Zone]) {
    const isServed = (status: { readonly conditions?: readonly { type: string; status: string }[] } | undefined) =>
      status?.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') === true;
    await until(
      async () => isServed((await client.api(CustomResourceDefinition).get(`${plural}.example.com`)).status),
      kind,
    );
  }
}

const SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: {
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: {
            type: 'object',
            required: ['type'],
            properties: {
              type: { type: 'string' },
              status: { type: 'string' },
              reason: { type: 'string' },
              message: { type: 'string' },
              lastTransitionTime: { type: 'string', format: 'date-time' },
              observedGeneration: { type: 'integer', format: 'int64' },
            },
          },
        },
      },
    },
  },
};

/** Lets everything that is ready run until the condition holds. Time does not move. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    if (await condition()) return;
    await settle();
  }
  throw new Error(`${what} did not come true`);
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
  readonly error: Error | undefined;
}

export class LogLines implements Logger {
  readonly lines: LogLine[] = [];
  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields, error: undefined });
  }
  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields, error: undefined });
  }
  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields, error: undefined });
  }
  error(message: string, error?: Error, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields, error });
  }
  of(message: string | RegExp): readonly LogLine[] {
    return this.lines.filter((line) =>
      typeof message === 'string' ? line.message === message : message.test(line.message),
    );
  }
}
