import { describe, expect, it } from 'vitest';
import { type Certificate, readCertificate } from './certificate.ts';
import {
  alternativeNames,
  authorityKeyId,
  basicConstraints,
  type CertificateTemplate,
  extendedKeyUsage,
  extension,
  type GeneralName,
  keyUsage,
  name,
  nameConstraints,
  policies,
  policyConstraints,
  testKey,
  writeCertificate,
} from './certificate-writer.fixtures.ts';
import { type VerifyOptions, type VerifyResult, verifyCertificate } from './verify-certificate.ts';
import { verifySignature } from './verify-signature-node.ts';
import { CertificatePool } from './x509/certificate-pool.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;
const SERVER = '1.3.6.1.5.5.7.3.1';
const CLIENT = '1.3.6.1.5.5.7.3.2';
const UNKNOWN = 'x509: certificate signed by unknown authority';
let serial = 0;

/** Issues a certificate. The numbers are those of P-256 keys. */
function issue(
  subject: string,
  issuer: string,
  { keys = [0, 0], ...change }: Partial<CertificateTemplate> & { keys?: [own: number, signer: number] } = {},
): Certificate {
  const der = writeCertificate({
    version: 3,
    serial: Uint8Array.of(1, serial++),
    subject: name(subject),
    issuer: name(issuer),
    notBefore: NOW - DAY,
    notAfter: NOW + DAY,
    key: testKey('P-256', keys[0]),
    signer: testKey('P-256', keys[1]),
    signature: {},
    extensions: [],
    ...change,
  });
  const parsed = readCertificate(der);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.certificate;
}

const CA = [basicConstraints(true)];
const NAMES = [alternativeNames([['dns', 'hook.ns.svc']])];
const root = issue('root', 'root', { extensions: CA });
const middle = issue('middle', 'root', { keys: [1, 0], extensions: CA });
const leaf = issue('leaf', 'middle', { keys: [2, 1], extensions: NAMES });

function verify(
  [first, ...others]: readonly Certificate[],
  roots: readonly Certificate[],
  more: Partial<VerifyOptions> = {},
): VerifyResult {
  return verifyCertificate(first as Certificate, {
    roots: new CertificatePool(roots),
    intermediates: new CertificatePool(others),
    now: NOW,
    usage: 'server',
    verifySignature,
    ...more,
  });
}

function problemOf(...args: Parameters<typeof verify>): string | undefined {
  const result = verify(...args);
  return result.ok ? undefined : result.message;
}

describe('a trust anchor', () => {
  it('is every certificate of the pool: a root, an intermediate, and the leaf itself', () => {
    expect(verify([leaf, middle], [root])).toEqual({ ok: true, chains: [[leaf, middle, root]] });
    expect(verify([leaf], [middle])).toEqual({ ok: true, chains: [[leaf, middle]] });
    expect(verify([leaf], [leaf])).toEqual({ ok: true, chains: [[leaf]] });
    const alone = issue('alone', 'alone', { extensions: NAMES });
    expect(verify([alone], [alone], { host: 'hook.ns.svc' }).ok).toBe(true);
  });

  it('is not a certificate that the peer sent', () => {
    expect(problemOf([leaf, middle, root], [])).toBe(UNKNOWN);
    expect(problemOf([root, root], [middle])).toBe(UNKNOWN);
    expect(problemOf([leaf], [root])).toBe(UNKNOWN);
  });

  it('must not have expired, nor any certificate below it', () => {
    const expired = 'x509: certificate has expired or is not yet valid: current time 2026-03-01T12:00:00Z is';
    const old = issue('root', 'root', { extensions: CA, notAfter: NOW - 1000 });
    expect(problemOf([leaf, middle], [old])).toBe(`${expired} after 2026-03-01T11:59:59Z`);
    const early = issue('middle', 'root', { keys: [1, 0], extensions: CA, notBefore: NOW + 1000 });
    expect(problemOf([leaf, early], [root])).toBe(`${expired} before 2026-03-01T12:00:01Z`);
    const oldLeaf = issue('leaf', 'leaf', { notAfter: NOW - 1000 });
    expect(problemOf([oldLeaf], [oldLeaf])).toBe(`${expired} after 2026-03-01T11:59:59Z`);
    expect(verify([leaf, early, middle], [old, root]).ok).toBe(true);
  });

  it('of version 1 is an authority; of version 3 without basic constraints it is not', () => {
    const issued = issue('leaf', 'root', { keys: [2, 0] });
    expect(verify([issued], [issue('root', 'root', { version: 1 })]).ok).toBe(true);
    const refused = `${UNKNOWN} (possibly because of "x509: invalid signature: parent certificate cannot sign this kind of certificate" while trying to verify candidate authority certificate "root")`;
    expect(problemOf([issued], [issue('root', 'root')])).toBe(refused);
    expect(problemOf([issued], [issue('root', 'root', { extensions: [basicConstraints(false)] })])).toBe(refused);
    expect(problemOf([issued], [issue('root', 'root', { extensions: [...CA, keyUsage([0])] })])).toBe(refused);
    expect(verify([issued], [issue('root', 'root', { extensions: [...CA, keyUsage([5])] })]).ok).toBe(true);
    // Only a trust anchor may have version 1.
    const old = issue('middle', 'root', { version: 1, keys: [1, 0] });
    expect(problemOf([leaf, old], [root])).toBe('x509: certificate is not authorized to sign other certificates');
  });
});

describe('a chain', () => {
  it('must have valid signatures', () => {
    const broken = issue('leaf', 'root', { keys: [2, 0], signature: { isBroken: true } });
    const because = (text: string): string =>
      `${UNKNOWN} (possibly because of "${text}" while trying to verify candidate authority certificate "root")`;
    expect(problemOf([broken], [root])).toBe(because('x509: ECDSA verification failure'));
    const sha1 = issue('leaf', 'root', { keys: [2, 0], signature: { hash: 'sha1' } });
    expect(problemOf([sha1], [root])).toBe(because('x509: cannot verify signature: insecure algorithm ECDSA-SHA1'));
    const otherKey = issue('root', 'root', {
      key: testKey('RSA-2048', 0),
      signer: testKey('RSA-2048', 0),
      extensions: CA,
    });
    const plain = issue('leaf', 'root', { keys: [2, 0] });
    expect(problemOf([plain], [otherKey])).toBe(
      because('x509: signature algorithm specifies an ECDSA public key, but have public key of type *rsa.PublicKey'),
    );
  });

  it('may be signed by every kind of key that Go verifies', () => {
    for (const [type, signature] of [
      ['P-224', {}],
      ['P-384', { hash: 'sha384' }],
      ['P-521', { hash: 'sha512' }],
      ['RSA-2048', {}],
      ['RSA-1024', { hash: 'sha384' }],
      ['RSA-2048', { isPss: true }],
      ['RSA-2048', { isPss: true, hash: 'sha512' }],
      ['Ed25519', {}],
    ] as const) {
      const signer = testKey(type, 0);
      const authority = issue('root', 'root', { key: signer, signer, extensions: CA });
      expect(verify([issue('leaf', 'root', { signer, signature })], [authority]).ok, type).toBe(true);
    }
    const small = testKey('RSA-512', 0);
    const weak = issue('root', 'root', { key: small, signer: small, extensions: CA });
    expect(problemOf([issue('leaf', 'root', { signer: small })], [weak])).toContain('512-bit keys are insecure');
    const salt = { isPss: true, saltLength: 20 };
    const rsa = testKey('RSA-2048', 0);
    const authority = issue('root', 'root', { key: rsa, signer: rsa, extensions: CA });
    expect(problemOf([issue('leaf', 'root', { signer: rsa, signature: salt })], [authority])).toContain(
      'unimplemented',
    );
  });

  it('must respect path lengths and critical extensions', () => {
    const short = issue('root', 'root', { extensions: [basicConstraints(true, 0)] });
    expect(problemOf([leaf, middle], [short])).toBe('x509: too many intermediates for path length constraint');
    const direct = issue('leaf', 'root', { keys: [2, 0] });
    expect(verify([direct], [short]).ok).toBe(true);
    const odd = issue('leaf', 'root', { keys: [2, 0], extensions: [extension('1.2.3.4', Uint8Array.of(5, 0), true)] });
    expect(problemOf([odd], [odd])).toBe('x509: unhandled critical extension');
    const fine = issue('leaf', 'root', { keys: [2, 0], extensions: [extension('1.2.3.4', Uint8Array.of(5, 0))] });
    expect(verify([fine], [root]).ok).toBe(true);
  });

  it('must allow the usage in every certificate, of the leaf and of its authorities', () => {
    const wrong = 'x509: certificate specifies an incompatible key usage';
    const forClients = issue('leaf', 'root', { keys: [2, 0], extensions: [extendedKeyUsage([CLIENT])] });
    expect(problemOf([forClients], [root])).toBe(wrong);
    expect(verify([forClients], [root], { usage: 'client' }).ok).toBe(true);
    expect(problemOf([forClients], [forClients])).toBe(wrong);
    const limited = issue('root', 'root', { extensions: [...CA, extendedKeyUsage([SERVER])] });
    const both = issue('leaf', 'root', { keys: [2, 0], extensions: [extendedKeyUsage([CLIENT, SERVER])] });
    expect(problemOf([both], [limited], { usage: 'client' })).toBe(wrong);
    expect(verify([both], [limited]).ok).toBe(true);
    const any = issue('root', 'root', { extensions: [...CA, extendedKeyUsage(['2.5.29.37.0'])] });
    expect(verify([both], [any], { usage: 'client' }).ok).toBe(true);
  });

  it('may be found among cross-signed authorities, which may sign each other', () => {
    const old = issue('old', 'old', { keys: [3, 3], extensions: CA });
    const crossed = issue('root', 'old', { keys: [0, 3], extensions: CA });
    const back = issue('old', 'root', { keys: [3, 0], extensions: CA });
    expect(verify([leaf, middle, crossed, back, root], [old])).toEqual({
      ok: true,
      chains: [[leaf, middle, crossed, old]],
    });
    expect(problemOf([leaf, middle, crossed, back, root], [])).toBe(UNKNOWN);
  });

  it('is sought among at most 100 candidates', () => {
    const crowd = Array.from({ length: 110 }, (_, i) =>
      issue('middle', 'root', { keys: [3 + (i % 3), 0], extensions: CA }),
    );
    expect(problemOf([leaf, ...crowd], [root])).toBe(
      'x509: signature check attempts limit reached while verifying certificate chain',
    );
    const hinted = issue('leaf', 'middle', {
      keys: [2, 1],
      extensions: [authorityKeyId(Uint8Array.of(7))],
    });
    const known = issue('middle', 'root', {
      keys: [1, 0],
      extensions: [...CA, extension('2.5.29.14', Uint8Array.of(4, 1, 7))],
    });
    expect(verify([hinted, ...crowd, known], [root]).ok).toBe(true);
  });

  it('must have a valid policy if an authority requires one', () => {
    const strict = issue('middle', 'root', {
      keys: [1, 0],
      extensions: [...CA, policies(['1.2.3']), policyConstraints(0, undefined)],
    });
    expect(problemOf([leaf, strict], [root])).toBe(
      'x509: no valid chains built: 1 candidate chains with invalid policies',
    );
    const approved = issue('leaf', 'middle', { keys: [2, 1], extensions: [policies(['1.2.3'])] });
    expect(verify([approved, strict], [root]).ok).toBe(true);
  });
});

describe('a host', () => {
  const withNames = (...names: GeneralName[]): Certificate =>
    issue('leaf', 'leaf', { extensions: [alternativeNames(names)] });
  const check = (certificate: Certificate, host: string): string | undefined =>
    problemOf([certificate], [certificate], { host });

  it.each([
    ['hook.ns.svc', 'hook.ns.svc'],
    ['HOOK.ns.SVC', 'hook.NS.svc'],
    ['hook.ns.svc', 'hook.ns.svc.'],
    ['*.ns.svc', 'hook.ns.svc'],
    ['not a host', 'not a host'],
  ])('matches: %s for %s', (pattern, host) => {
    expect(check(withNames(['dns', pattern]), host)).toBeUndefined();
  });

  it.each([
    ['*.ns.svc', 'a.hook.ns.svc'],
    ['*.ns.svc', 'ns.svc'],
    ['h*.ns.svc', 'hook.ns.svc'],
    ['*', 'hook'],
    ['hook.ns.svc.', 'hook.ns.svc'],
    ['10.0.0.1', '10.0.0.1'],
  ])('does not match: %s for %s', (pattern, host) => {
    expect(check(withNames(['dns', pattern]), host)).toMatch(/^x509: /);
  });

  it('has the messages of Go', () => {
    const named = withNames(['dns', 'a'], ['dns', 'b'], ['ip', Uint8Array.of(10, 0, 0, 1)]);
    expect(check(named, 'c')).toBe('x509: certificate is valid for a, b, not c');
    expect(check(named, '10.0.0.2')).toBe('x509: certificate is valid for 10.0.0.1, not 10.0.0.2');
    expect(check(named, '::ffff:10.0.0.1')).toBeUndefined();
    expect(check(named, '[10.0.0.1]')).toBeUndefined();
    expect(check(withNames(['dns', 'a']), '::1')).toBe(
      "x509: cannot validate certificate for ::1 because it doesn't contain any IP SANs",
    );
    expect(check(withNames(['email', 'a@b']), 'a')).toBe(
      'x509: certificate is not valid for any names, but wanted to match a',
    );
    expect(check(issue('leaf', 'leaf'), 'leaf')).toBe(
      'x509: certificate relies on legacy Common Name field, use SANs instead',
    );
    const many = withNames(...Array.from({ length: 100 }, (_, i): GeneralName => ['dns', `n${i}`]));
    expect(check(many, 'x')).toBe('x509: certificate is valid for 100 names, but none matched x');
  });
});

describe('name constraints', () => {
  const ip = (...bytes: number[]): GeneralName => ['ip', Uint8Array.from(bytes)];
  const check = (
    names: readonly GeneralName[],
    permitted: readonly GeneralName[],
    excluded: readonly GeneralName[] = [],
  ): string | undefined => {
    const limited = issue('root', 'root', { extensions: [...CA, nameConstraints(permitted, excluded)] });
    const named = issue('leaf', 'root', { keys: [2, 0], extensions: [alternativeNames(names)] });
    return problemOf([named], [limited])?.replace(
      'x509: a root or intermediate certificate is not authorized to sign for this name: ',
      '',
    );
  };

  it.each<[string, GeneralName[], GeneralName[], GeneralName[]]>([
    ['a subdomain', [['dns', 'a.Example.com']], [['dns', 'example.COM']], []],
    ['a subdomain of a domain with a period', [['dns', 'a.example.com']], [['dns', '.example.com']], []],
    ['a name of another type', [ip(10, 0, 0, 1)], [['dns', 'example.com']], []],
    ['an address', [ip(10, 1, 2, 3)], [ip(10, 0, 0, 0, 255, 0, 0, 0)], [ip(10, 2, 0, 0, 255, 255, 0, 0)]],
    ['an e-mail address of a domain', [['email', 'a@example.com']], [['email', 'example.com']], []],
    ['an e-mail address', [['email', 'a@example.com']], [['email', 'a@EXAMPLE.com']], [['email', 'b@example.com']]],
    ['a URI', [['uri', 'https://a.example.com:443/x']], [['uri', '.example.com']], []],
    ['any name', [['dns', 'a']], [['dns', '']], []],
  ])('allow %s', (_, names, permitted, excluded) => {
    expect(check(names, permitted, excluded)).toBeUndefined();
  });

  it.each<[string, GeneralName[], GeneralName[], GeneralName[]]>([
    [
      'DNS name "example.org" is not permitted by any constraint',
      [['dns', 'example.org']],
      [['dns', 'example.com']],
      [],
    ],
    [
      'DNS name "aexample.com" is not permitted by any constraint',
      [['dns', 'aexample.com']],
      [['dns', 'example.com']],
      [],
    ],
    [
      'DNS name "example.com" is not permitted by any constraint',
      [['dns', 'example.com']],
      [['dns', '.example.com']],
      [],
    ],
    [
      'DNS name "a.example.com" is excluded by constraint "example.com"',
      [['dns', 'a.example.com']],
      [],
      [
        ['dns', 'a.example.com'],
        ['dns', 'example.com'],
      ],
    ],
    [
      'DNS name "*.example.com" is excluded by constraint "a.example.com"',
      [['dns', '*.example.com']],
      [],
      [['dns', 'a.example.com']],
    ],
    ['DNS name "x" is excluded by constraint ""', [['dns', 'x']], [], [['dns', '']]],
    ['IP address "10.0.0.1" is not permitted by any constraint', [ip(10, 0, 0, 1)], [ip(9, 0, 0, 0, 255, 0, 0, 0)], []],
    [
      'IP address "10.2.0.1" is excluded by constraint "10.2.0.0/16"',
      [ip(10, 2, 0, 1)],
      [],
      [ip(10, 2, 0, 0, 255, 255, 0, 0)],
    ],
    [
      'email address "a@example.org" is not permitted by any constraint',
      [['email', 'a@example.org']],
      [['email', 'example.com']],
      [],
    ],
    [
      'email address "b@example.com" is excluded by constraint "b@example.com"',
      [['email', 'b@Example.com']],
      [],
      [['email', 'b@example.com']],
    ],
    [
      'URI "https://a.org/" is not permitted by any constraint',
      [['uri', 'https://a.org/']],
      [['uri', 'example.com']],
      [],
    ],
    [
      'URI with IP ("https://10.0.0.1/") cannot be matched against constraints',
      [['uri', 'https://10.0.0.1/']],
      [['dns', 'a']],
      [],
    ],
    ['URI with empty host ("urn:x") cannot be matched against constraints', [['uri', 'urn:x']], [['dns', 'a']], []],
  ])('refuse: %s', (message, names, permitted, excluded) => {
    expect(check(names, permitted, excluded)).toBe(message);
  });

  it('of all authorities apply, also to the names of authorities', () => {
    const limited = issue('root', 'root', { extensions: [...CA, nameConstraints([['dns', 'svc']], [])] });
    const below = issue('middle', 'root', {
      keys: [1, 0],
      extensions: [...CA, nameConstraints([['dns', 'ns.svc']], [])],
    });
    expect(verify([leaf, below], [limited]).ok).toBe(true);
    const named = issue('middle', 'root', {
      keys: [1, 0],
      extensions: [...CA, alternativeNames([['dns', 'example.com']])],
    });
    expect(problemOf([leaf, named], [limited])).toContain('DNS name "example.com" is not permitted');
    const other = issue('leaf', 'middle', { keys: [2, 1], extensions: [alternativeNames([['dns', 'a.svc']])] });
    expect(problemOf([other, below], [limited])).toContain('DNS name "a.svc" is not permitted');
  });

  it('of an unknown type refuse every certificate below', () => {
    const limited = issue('root', 'root', { extensions: [...CA, nameConstraints([['other', 'x']], [])] });
    const issued = issue('leaf', 'root', { keys: [2, 0] });
    expect(problemOf([issued], [limited])).toBe('x509: unhandled critical extension');
  });
});
