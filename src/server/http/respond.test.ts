import { describe, expect, it } from 'vitest';
import { CBOR_MEDIA_TYPE } from '../../apimachinery/codec/negotiation.ts';
import { struct } from '../../apimachinery/patch/strategic-merge.fixtures.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { badRequest, notFound, success, tooManyRequests } from '../../apimachinery/status/status-catalogue.ts';
import type { TypeView } from '../../apimachinery/type-view.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { Answer } from './exchange.ts';
import { parseRequestInfo } from './request-info.ts';
import { encodeValue, STANDARD_MEDIA_TYPES, statusAnswer, statusOfError } from './respond.ts';
import { ServerRequest } from './server-request.ts';

function request(headers: Readonly<Record<string, string>> = {}, target = '/'): ServerRequest {
  const info = parseRequestInfo('GET', target);
  if (!info.ok) throw new Error('the target is good');
  const incoming = { method: 'GET', target, header: (name: string) => headers[name] };
  return new ServerRequest(incoming as unknown as ServerRequest['incoming'], info.info, 0);
}

function shown(answer: Answer): readonly [number, unknown, string] {
  if (answer.kind !== 'bytes') throw new Error(`the answer is ${answer.kind}`);
  return [answer.status, answer.headers['content-type'], decodeUtf8(answer.body)];
}

describe('statusAnswer', () => {
  const missing = notFound({ group: '', resource: 'pods' }, 'a');

  it('answers in JSON with a newline by default', () => {
    const [code, type, text] = shown(statusAnswer(request(), missing));
    expect([code, type]).toEqual([404, 'application/json']);
    expect(text).toMatch(/^\{"kind":"Status","apiVersion":"v1","metadata":\{\},"status":"Failure".*"code":404\}\n$/);
    expect(shown(statusAnswer(undefined, missing))[2]).toBe(text);
  });

  it('answers in YAML and, where it is served, in CBOR', () => {
    expect(shown(statusAnswer(request({ accept: 'application/yaml' }), missing))[2]).toMatch(
      /^apiVersion: v1\ncode: 404\n/,
    );
    const answer = statusAnswer(request({ accept: 'application/cbor' }), missing, [
      ...STANDARD_MEDIA_TYPES,
      CBOR_MEDIA_TYPE,
    ]);
    expect(answer.headers['content-type']).toBe('application/cbor');
    expect(answer.kind === 'bytes' && [...answer.body.subarray(0, 3)]).toEqual([0xd9, 0xd9, 0xf7]);
  });

  it('answers in protobuf to a request that has the types for it', () => {
    const accepting = request({ accept: 'application/vnd.kubernetes.protobuf,application/json' });
    expect(statusAnswer(accepting, missing).headers['content-type']).toBe('application/json');
    const text: TypeView = { kind: 'scalar', scalar: 'string' };
    accepting.types = { view: () => struct('Status', { status: text, reason: text }), typeName: () => undefined };
    expect(shown(statusAnswer(accepting, missing))).toEqual([
      404,
      'application/vnd.kubernetes.protobuf',
      'k8s\0\n\x0c\n\x02v1\x12\x06Status\x12\x13\n\x07Failure\x12\x08NotFound\x1a\0"\0',
    ]);
  });

  it('falls back to indented JSON if the accepted media types are not supported', () => {
    for (const accept of ['text/html', 'application/json;as=Table;g=meta.k8s.io;v=v1', 'application/cbor']) {
      const [code, type, text] = shown(statusAnswer(request({ accept }), missing));
      expect([code, type]).toEqual([404, 'application/json']);
      expect(text).toMatch(/^\{\n {2}"kind": "Status"/);
      expect(text.endsWith('}')).toBe(true);
    }
    const plainToo = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';
    expect(shown(statusAnswer(request({ accept: plainToo }), missing))[2]).toMatch(/^\{"kind"/);
  });

  it('indents for browsers and curl', () => {
    expect(shown(statusAnswer(request({ 'user-agent': 'Mozilla/5.0 (X11)' }), missing))[2]).toMatch(/^\{\n/);
    expect(shown(statusAnswer(request({}, '/?pretty=1'), missing))[2]).toMatch(/^\{\n/);
  });

  it('has a Retry-After header', () => {
    expect(statusAnswer(request(), tooManyRequests('busy', 7)).headers['retry-after']).toBe('7');
    expect(statusAnswer(request(), missing).headers).not.toHaveProperty('retry-after');
  });

  it('uses a default code for a Status without one', () => {
    expect(statusAnswer(request(), success({ group: '', resource: 'pods' }, 'a', 'u'))).toMatchObject({ status: 200 });
    const { code: _code, ...failed } = missing;
    expect(statusAnswer(request(), failed)).toMatchObject({ status: 500 });
  });
});

describe('statusOfError', () => {
  it('finds the Status of an error or of its cause', () => {
    const status = badRequest('no');
    expect(statusOfError(new StatusError(status))).toBe(status);
    expect(statusOfError(new Error('outer', { cause: new StatusError(status) }))).toBe(status);
  });

  it('is a 500 with the message and without a reason for any other error', () => {
    expect(statusOfError(new Error('boom'))).toMatchObject({ status: 'Failure', message: 'boom', code: 500 });
    expect(statusOfError(new Error('boom'))).not.toHaveProperty('reason');
    expect(statusOfError('text').code).toBe(500);
  });
});

describe('encodeValue', () => {
  it('escapes markup in JSON as the reference does, indented or not', () => {
    expect(decodeUtf8(encodeValue({ a: '<' }, 'application/json', false))).toBe('{"a":"\\u003c"}\n');
    expect(decodeUtf8(encodeValue({ a: '<' }, 'application/json', true))).toBe('{\n  "a": "\\u003c"\n}');
    expect(decodeUtf8(encodeValue({ a: '<' }, 'application/yaml', true))).toBe('a: <\n');
  });
});
