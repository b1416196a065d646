import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { invalid } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { Deferred } from '../../../base/deferred.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { Answer, Incoming, WebSocketPeer } from '../../http/exchange.ts';
import { IN_PROCESS } from '../../http/exchange.ts';
import { defineResource } from '../define-resource.ts';
import { causesOf, serve } from './kit.fixtures.ts';
import { roundTripProblems } from './round-trip.ts';

const NAMES = { group: 'example.com', version: 'v1', kind: 'Pool' } as const;
const POOLS = '/apis/example.com/v1/namespaces/default/pools';
const X = `${POOLS}/x`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const pool = (spec: object, version = 'v1'): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Pool',
  metadata: { name: 'x' },
  spec: spec as JsonObject,
});

const Pool = defineResource({
  ...NAMES,
  spec: z.object({ replicas: z.int32().default(1), image: z.string().default('') }),
  status: z.object({ replicas: z.int32().optional(), selector: z.string().optional() }),
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  validate: ({ spec }) =>
    spec.replicas > 10 ? [invalid(FieldPath.of('spec', 'replicas'), spec.replicas, 'too many')] : [],
  versions: [
    {
      version: 'v1beta1',
      deprecated: true,
      spec: z.object({ size: z.int32().default(1), image: z.string().default('') }),
      status: z.object({ size: z.int32().optional(), selector: z.string().optional() }),
      toHub: ({ spec, status, ...rest }) => ({
        ...rest,
        ...renamed('spec', spec, 'size', 'replicas'),
        ...renamed('status', status, 'size', 'replicas'),
      }),
      fromHub: ({ spec, status, ...rest }) => ({
        ...rest,
        ...renamed('spec', spec, 'replicas', 'size'),
        ...renamed('status', status, 'replicas', 'size'),
      }),
    },
  ],
  selectableFields: ['spec.image'],
});

function renamed(part: string, value: unknown, from: string, to: string): JsonObject {
  if (value === undefined) return {};
  const { [from]: moved, ...rest } = value as JsonObject;
  return { [part]: moved === undefined ? rest : { ...rest, [to]: moved } };
}

describe('scale', () => {
  it('reads and changes replicas as a Scale of autoscaling/v1', async () => {
    const { send, stop } = await serve([Pool]);
    await send('POST', POOLS, pool({}));
    await send('PATCH', `${X}/status`, { status: { replicas: 3, selector: 'a=b' } }, MERGE);
    expect((await send('GET', `${X}/scale`)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { replicas: 3, selector: 'a=b' },
    });
    expect((await send('PATCH', `${X}/scale`, { spec: { replicas: 5 } }, MERGE)).body).toMatchObject({
      spec: { replicas: 5 },
    });
    expect((await send('GET', X)).body).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } });
    const { body: scale } = await send('GET', `${X}/scale`);
    expect((await send('PUT', `${X}/scale`, { ...scale, spec: { replicas: 6 } })).status).toBe(200);
    expect(causesOf(await send('PATCH', `${X}/scale`, { spec: { replicas: 11 } }, MERGE))).toEqual([
      'spec.replicas: Invalid value: 11: too many',
    ]);
    await stop();
  });

  it('works in other versions, and is published with its kind', async () => {
    const { send, stop } = await serve([Pool]);
    await send('POST', POOLS, pool({}));
    const beta = X.replace('v1', 'v1beta1');
    expect((await send('PATCH', `${beta}/scale`, { spec: { replicas: 4 } }, MERGE)).body).toMatchObject({
      spec: { replicas: 4 },
    });
    expect((await send('GET', beta)).body).toMatchObject({ spec: { size: 4 } });
    const { body } = await send('GET', '/apis/example.com/v1');
    expect(objectsAt(body, 'resources').find(({ name }) => name === 'pools/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
    const { body: v3 } = await send('GET', '/openapi/v3/apis/example.com/v1');
    expect(fieldAt(v3, 'components', 'schemas', 'io.k8s.api.autoscaling.v1.Scale', 'properties')).toHaveProperty(
      'spec',
    );
    await stop();
  });

  it('has protobuf', async () => {
    const { send, stop } = await serve([Pool]);
    await send('POST', POOLS, pool({}));
    const { status, headers, bytes } = await send('GET', `${X}/scale`, undefined, {
      accept: 'application/vnd.kubernetes.protobuf',
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/vnd.kubernetes.protobuf']);
    expect(Buffer.from(bytes.subarray(0, 4)).toString('latin1')).toBe('k8s\0');
    await stop();
  });

  it('needs paths below spec and status', () => {
    const declare = (): unknown =>
      defineResource({
        ...NAMES,
        spec: { type: 'object' },
        scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: '.status.replicas' },
      });
    expect(declare).toThrow('scale.specReplicasPath of Pool: "spec.replicas" must be a path below .spec.');
  });
});

describe('versions', () => {
  it('are served through the hub, with the rules of both schemas', async () => {
    const { send, stop } = await serve([Pool]);
    const beta = POOLS.replace('v1', 'v1beta1');
    const created = await send('POST', beta, pool({ size: 3 }, 'v1beta1'));
    expect(created).toMatchObject({
      status: 201,
      body: { apiVersion: 'example.com/v1beta1', spec: { size: 3, image: '' } },
    });
    expect(created.headers['warning']).toContain('299 - "example.com/v1beta1 Pool is deprecated"');
    expect((await send('GET', X)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { replicas: 3, image: '' },
    });
    const { body: list } = await send('GET', beta);
    expect(objectsAt(list, 'items').map((item) => fieldAt(item, 'spec', 'size'))).toEqual([3]);
    expect(causesOf(await send('PATCH', `${beta}/x`, { spec: { size: 'many' } }, MERGE))).toEqual([
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ]);
    expect(causesOf(await send('PATCH', `${beta}/x`, { spec: { size: 11 } }, MERGE))).toEqual([
      'spec.replicas: Invalid value: 11: too many',
    ]);
    await send('PATCH', `${beta}/x`, { spec: { size: 2 } }, MERGE);
    expect((await send('GET', X)).body).toMatchObject({ spec: { replicas: 2 } });
    await stop();
  });

  it('are applied in any of them', async () => {
    const { send, stop } = await serve([Pool]);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const first = await send('PATCH', `${X}?fieldManager=a`, pool({ replicas: 2 }), apply);
    expect(first.status).toBe(201);
    const beta = `${X.replace('v1', 'v1beta1')}?fieldManager=b`;
    const conflict = await send('PATCH', beta, pool({ size: 3 }, 'v1beta1'), apply);
    expect([conflict.status, textAt(conflict.body, 'reason')]).toEqual([409, 'Conflict']);
    const same = await send('PATCH', beta, pool({ size: 2, image: 'i' }, 'v1beta1'), apply);
    expect([same.status, fieldAt(same.body, 'spec', 'image')]).toEqual([200, 'i']);
    await stop();
  });

  it('pass the round-trip test, which finds what a conversion loses', async () => {
    expect(await roundTripProblems(Pool, [pool({ replicas: 3, image: 'i' }), pool({ size: 3 }, 'v1beta1')])).toEqual(
      [],
    );
    const Lossy = defineResource({
      ...NAMES,
      spec: z.object({ list: z.array(z.string()) }),
      versions: [
        {
          version: 'v2',
          spec: z.object({ first: z.string() }),
          toHub: (object) => ({ ...object, spec: { list: [textAt(object, 'spec', 'first')] } }),
          fromHub: (object) => ({ ...object, spec: { first: (fieldAt(object, 'spec', 'list') as string[])[0] ?? '' } }),
        },
      ],
    });
    expect(await roundTripProblems(Lossy, [pool({ list: ['a', 'b'] }), pool({}, 'v3')])).toEqual([
      'sample 0, v1 to v2: it comes back different: spec.list changed',
      expect.stringMatching(/^sample 0 without spec, v1 to v2: .*cannot be converted/),
      expect.stringMatching(/^sample 0 without spec.list, v1 to v2: .*cannot be converted/),
      'sample 1: its apiVersion "example.com/v3" is not served',
    ]);
  });

  it('that cannot convert one object still serve the others', async () => {
    const Choosy = defineResource({
      ...NAMES,
      spec: z.object({ a: z.string() }),
      versions: [
        {
          version: 'v2',
          spec: z.object({ a: z.string() }),
          toHub: (object) => object,
          fromHub: (object) => {
            if (textAt(object, 'spec', 'a') === 'bad') throw new RangeError('bad is not in v2');
            return object;
          },
        },
      ],
    });
    const { send, stop } = await serve([Choosy]);
    await send('POST', POOLS, pool({ a: 'bad' }));
    await send('POST', POOLS, { ...pool({ a: 'good' }), metadata: { name: 'y' } });
    const v2 = POOLS.replace('v1', 'v2');
    expect((await send('GET', `${v2}/y`)).status).toBe(200);
    const failed = await send('GET', `${v2}/x`);
    expect([failed.status, textAt(failed.body, 'message')]).toEqual([500, expect.stringContaining('bad is not in v2')]);
    await stop();
  });

  it('have different names', () => {
    const spoke = {
      version: 'v1',
      spec: { type: 'object' },
      toHub: (o: JsonObject) => o,
      fromHub: (o: JsonObject) => o,
    };
    expect(() => defineResource({ ...NAMES, spec: { type: 'object' }, versions: [spoke] })).toThrow('two versions v1');
  });
});

describe('a stream', () => {
  const finished = new Deferred<boolean>();
  const Talking = defineResource({
    ...NAMES,
    spec: z.object({ greeting: z.string() }),
    streams: {
      talk: (object, socket, { signal }) => {
        signal.addEventListener('abort', () => finished.resolve(true));
        socket.onMessage((message) => socket.send(`${object.spec.greeting} ${Buffer.from(message).toString()}`));
      },
      run: {
        connect: () => {
          throw new RangeError('cannot run');
        },
        protocols: ['v1.run'],
        requiresCreate: true,
        description: 'run something',
      },
    },
  });

  const upgrade = (target: string): Incoming => ({
    method: 'GET',
    target,
    connection: IN_PROCESS,
    header: (name) => ({ upgrade: 'websocket', connection: 'upgrade' })[name],
    headerValues: () => [],
    headerNames: () => ['upgrade', 'connection'],
    body: () => ({ outcome: 'ok', bytes: new Uint8Array() }),
    bodySource: () => {
      throw new RangeError('a handshake has no body');
    },
    onClose: () => {},
  });

  /** The client's end of a socket. */
  class Peer implements WebSocketPeer {
    readonly protocol = '';
    readonly sent: string[] = [];
    closed = '';
    #message: (message: Uint8Array) => void = () => {};
    #close: () => void = () => {};
    send(message: Uint8Array | string): boolean {
      this.sent.push(String(message));
      return true;
    }
    onDrain(): void {}
    onMessage(listener: (message: Uint8Array) => void): void {
      this.#message = listener;
    }
    onClose(listener: () => void): void {
      this.#close = listener;
    }
    close(code: number, reason: string): void {
      this.closed = `${code} ${reason}`;
    }
    say(text: string): void {
      this.#message(Buffer.from(text));
    }
    leave(): void {
      this.#close();
    }
  }

  it('connects the socket with the object', async () => {
    const { send, handler, stop } = await serve([Talking]);
    await send('POST', POOLS, pool({ greeting: 'hello' }));
    const answer = (await handler(upgrade(`${X}/talk`))) as Answer & { kind: 'websocket' };
    expect(answer.kind).toBe('websocket');
    const peer = new Peer();
    answer.start(peer);
    peer.say('world');
    expect(peer.sent).toEqual(['hello world']);
    peer.leave();
    expect(await finished.promise).toBe(true);
    await stop();
  });

  it('closes the socket if its handler fails, and reports the error', async () => {
    const { send, handler, stop } = await serve([Talking]);
    await send('POST', POOLS, pool({ greeting: 'hello' }));
    const answer = (await handler(upgrade(`${X}/run`))) as Answer & { kind: 'websocket' };
    expect(answer.protocols).toEqual(['v1.run']);
    const peer = new Peer();
    answer.start(peer);
    expect(peer.closed).toBe('1011 cannot run');
    await stop();
  });

  it('needs an upgrade, an object, and the permission to create if it says so', async () => {
    const verbs: string[] = [];
    const { send, handler, stop } = await serve([Talking], {
      authenticate: () => ({ outcome: 'ok', user: { name: 'eve', uid: '', groups: [], extra: {} } }),
      authorizer: {
        authorize: ({ verb, subresource }) => {
          verbs.push(`${verb} ${subresource}`);
          const isAllowed = subresource === '' || verb === 'get';
          return { decision: isAllowed ? 'allow' : 'no-opinion', reason: '', error: '' };
        },
      },
    });
    await send('POST', POOLS, pool({ greeting: 'hello' }));
    expect((await send('GET', `${X}/talk`)).status).toBe(400);
    expect((await handler(upgrade(`${POOLS}/z/talk`))).kind).not.toBe('websocket');
    expect((await handler(upgrade(`${X}/talk`))).kind).toBe('websocket');
    expect(await handler(upgrade(`${X}/run`))).toMatchObject({ kind: 'bytes', status: 403 });
    expect(verbs.slice(-2)).toEqual(['get run', 'create run']);
    await stop();
  });

  it('is published in discovery and OpenAPI', async () => {
    const { send, stop } = await serve([Talking]);
    const { body } = await send('GET', '/apis/example.com/v1');
    expect(objectsAt(body, 'resources').map((one) => `${textAt(one, 'name')} ${String(one['verbs'])}`)).toContain(
      'pools/talk get',
    );
    const { body: v3 } = await send('GET', '/openapi/v3/apis/example.com/v1');
    expect(
      textAt(v3, 'paths', '/apis/example.com/v1/namespaces/{namespace}/pools/{name}/run', 'get', 'description'),
    ).toBe('run something');
    await stop();
  });
});
