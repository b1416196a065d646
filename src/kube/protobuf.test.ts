import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeMessage } from '../apimachinery/protobuf/decode.ts';
import { decodeEnvelope, encodeEnvelope } from '../apimachinery/protobuf/envelope.ts';
import { decodeUtf8, EMPTY_BYTES } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import { kindView, typeName, viewOfTypeName } from '../kinds/views.ts';
import { drainChunks } from '../server/http/chunk-source.ts';
import { requestOf } from '../server/http/requests.fixtures.ts';
import { ADMIN, startTestKube, type TestKube } from './kube-server.fixtures.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

describe('built-in kinds in protobuf', () => {
  let kube: TestKube;

  beforeEach(async () => {
    kube = await startTestKube({ types: { view: viewOfTypeName, typeName } });
  });

  afterEach(async () => {
    await kube.stop();
  });

  async function get(target: string, as = ''): Promise<Uint8Array> {
    const request = requestOf(target, { accept: PROTOBUF + as });
    request.user = ADMIN;
    const answer = await kube.server.handle(request);
    if (answer.kind === 'bytes') return answer.body;
    if (answer.kind === 'chunks') return drainChunks(answer.chunks);
    throw new Error(`an answer of kind ${answer.kind}`);
  }

  it('have the bytes that the reference sends', async () => {
    const { body } = await kube.request('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: 'p1' },
      data: { k: 'v' },
    });
    const { uid, resourceVersion, creationTimestamp } = body['metadata'] as Record<string, string>;
    const seconds = Date.parse(creationTimestamp as string) / 1000;
    const time: number[] = [];
    for (let rest = seconds; rest > 0; rest = Math.floor(rest / 128)) time.push((rest % 128) | (rest > 127 ? 0x80 : 0));
    const text = (value = ''): string => {
      const { length } = value;
      return (
        (length < 128 ? String.fromCharCode(length) : String.fromCharCode((length % 128) | 128, length >> 7)) + value
      );
    };
    const when = String.fromCharCode(8, ...time, 0x10, 0);
    const fields = '{"f:data":{".":{},"f:k":{}}}';
    const entry = `\n\x07unknown\x12\x06Update\x1a\x02v1"${text(when)}2\x08FieldsV1:${text(`\n${text(fields)}`)}B\0`;
    const meta = `\n\x02p1\x12\0\x1a\x07default"\0*${text(uid)}2${text(resourceVersion)}8\0B${text(when)}\x8a\x01${text(entry)}`;
    const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

    expect(latin1(await get('/api/v1/namespaces/default/configmaps/p1'))).toBe(
      `k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12${text(`\n${text(meta)}\x12\x06\n\x01k\x12\x01v`)}\x1a\0"\0`,
    );
    const metadataOnly = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    expect(latin1(await get('/api/v1/namespaces/default/configmaps/p1', metadataOnly))).toBe(
      `k8s\0\n'\n\x0emeta.k8s.io/v1\x12\x15PartialObjectMetadata\x12${text(`\n${text(meta)}`)}\x1a\0"\0`,
    );
    const empty = latin1(await get('/api/v1/namespaces/none/configmaps'));
    expect(empty.replace(/\x12[\x01-\x09]\d+\x1a\0/, '<revision>')).toMatch(
      /^k8s\0\n\x13\n\x02v1\x12\rConfigMapList\x12.\n.\n\0<revision>\x1a\0"\0$/,
    );
  });

  it('have the same content in JSON and protobuf', async () => {
    for (const [target, group, version, kind] of [
      ['/api/v1/namespaces', '', 'v1', 'Namespace'],
      ['/api/v1/configmaps', '', 'v1', 'ConfigMap'],
      ['/apis/rbac.authorization.k8s.io/v1/clusterroles', 'rbac.authorization.k8s.io', 'v1', 'ClusterRole'],
      ['/apis/rbac.authorization.k8s.io/v1/rolebindings', 'rbac.authorization.k8s.io', 'v1', 'RoleBinding'],
    ] as const) {
      const { body } = await kube.request('GET', target);
      const opened = decodeEnvelope(await get(target));
      if (!opened.ok) throw new Error(opened.error.message);
      expect(opened.envelope.kind).toBe(`${kind}List`);
      const decoded = decodeMessage(kindView(group, version, `${kind}List`), opened.envelope.raw);
      if (!decoded.ok) throw new Error(decoded.error.message);
      const { kind: _kind, apiVersion: _apiVersion, ...list } = body;
      expect((list['items'] as JsonObject[]).length).toBeGreaterThan(0);
      expect(decoded.value).toEqual(list);
    }
  });

  it('are accepted and answered by reviews', async () => {
    const request = requestOf(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      { accept: PROTOBUF, 'content-type': PROTOBUF },
      'POST',
    );
    request.user = ADMIN;
    const type = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const bytes = encodeEnvelope({ ...type, raw: EMPTY_BYTES, contentEncoding: '', contentType: '' });
    request.incoming = { ...request.incoming, body: () => ({ outcome: 'ok', bytes }) };
    const answer = await kube.server.handle(request);
    if (answer.kind !== 'bytes') throw new Error(`an answer of kind ${answer.kind}`);
    expect(answer.headers['content-type']).toBe(PROTOBUF);
    expect(decodeUtf8(answer.body)).toContain('SelfSubjectReview');
    expect(decodeUtf8(answer.body)).toContain('\n\x05admin');
  });
});
