import { describe, expect, it } from 'vitest';
import { parseAccept, parseContentType } from './media-type.ts';
import {
  allowsDiscoveryTransform,
  allowsMetaTransform,
  JSON_MEDIA_TYPE,
  negotiateAccept,
  negotiateContentType,
  PROTOBUF_MEDIA_TYPE,
  wantsPretty,
  YAML_MEDIA_TYPE,
} from './negotiation.ts';

const supported = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE];
const options = { supported, allowsTransform: allowsMetaTransform };

function accepted(header: string | undefined): string {
  const result = negotiateAccept(header, options);
  if (!result.ok) return result.message;
  const { accepted: type, target } = result.media;
  return target === undefined ? type.mediaType : `${type.mediaType} ${target.kind}.${target.version}.${target.group}`;
}

describe('parseAccept', () => {
  it('sorts by quality and puts wildcards last', () => {
    const order = parseAccept('*/*, application/*;q=0.9, application/json;q=0.9, a/b').map(
      (c) => `${c.type}/${c.subtype}`,
    );
    expect(order).toEqual(['a/b', 'application/json', 'application/*', '*/*']);
  });

  it('leaves out malformed clauses and reads a malformed quality as zero', () => {
    expect(parseAccept('json, a/b/c, , x/y;q=abc;k=v;z').map((c) => [c.type, c.quality, [...c.params]])).toEqual([
      ['x', 0, [['k', 'v']]],
    ]);
  });
});

describe('Accept', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/yaml;q=0.5, application/json;q=0.4', 'application/yaml'],
    ['application/vnd.kubernetes.protobuf,application/json', 'application/vnd.kubernetes.protobuf'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'application/json Table.v1.meta.k8s.io'],
    ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', 'application/json'],
    [
      'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io, application/json;as=Table;v=v1beta1;g=meta.k8s.io',
      'application/json Table.v1beta1.meta.k8s.io',
    ],
    [
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
      'application/vnd.kubernetes.protobuf PartialObjectMetadataList.v1.meta.k8s.io',
    ],
    ['application/json;foo=bar', 'application/json'],
    ['application/json;stream=other, application/yaml', 'application/yaml'],
    ['application/json;sv=v2', only()],
    ['text/html', only()],
    ['APPLICATION/JSON', only()],
  ])('%s', (header, expected) => {
    expect(accepted(header)).toBe(expected);
  });

  it('takes the aggregated discovery form only where it is served', () => {
    const header = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const result = negotiateAccept(header, { supported, allowsTransform: allowsDiscoveryTransform });
    expect(result).toMatchObject({ ok: true, media: { target: { kind: 'APIGroupDiscoveryList', version: 'v2' } } });
    expect(negotiateAccept(header, { supported })).toMatchObject({ ok: true, media: { target: undefined } });
  });

  it('refuses a Table where there are no columns', () => {
    const allowsTransform: typeof allowsMetaTransform = (target, type) => allowsMetaTransform(target, type, false);
    expect(negotiateAccept('application/json;as=Table;v=v1;g=meta.k8s.io', { supported, allowsTransform }).ok).toBe(
      false,
    );
  });
});

function only(): string {
  return 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
}

describe('Content-Type', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/yaml;', 'application/yaml'],
    ['application/json; a="x\\";y"', 'application/json'],
  ])('%s is read', (header, expected) => {
    expect(negotiateContentType(header, supported)).toMatchObject({ ok: true, type: { mediaType: expected } });
  });

  it.each(['text/plain', 'application/json; x', 'application/json; a=1; a=2', '*/*', '/', 'application/ json'])(
    '%s is refused',
    (header) => {
      expect(negotiateContentType(header, supported)).toEqual({
        ok: false,
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      });
    },
  );

  it('takes time linear in a hostile header', () => {
    expect(parseContentType(`a/b;${' '.repeat(100_000)}x`)).toBeUndefined();
    expect(parseContentType(`a/b;x="${'\\'.repeat(100_001)}`)).toBeUndefined();
  });
});

describe('pretty', () => {
  it('follows the query, then the user agent', () => {
    expect(wantsPretty('true', undefined)).toBe(true);
    expect(wantsPretty('0', 'curl/8')).toBe(false);
    expect(wantsPretty('junk', 'curl/8')).toBe(false);
    expect(wantsPretty(undefined, 'curl/8')).toBe(true);
    expect(wantsPretty('', 'Mozilla/5.0 (X11)')).toBe(true);
    expect(wantsPretty(undefined, 'kubectl/v1.36')).toBe(false);
    expect(negotiateAccept('application/json;pretty=1', options)).toMatchObject({ ok: true, media: { pretty: true } });
  });
});
