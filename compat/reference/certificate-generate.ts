/** Generators of certificate chains: entities that issue certificates to each other, with mostly valid certificates. */

import {
  alternativeNames,
  authorityKeyId,
  basicConstraints,
  extendedKeyUsage,
  extension,
  type GeneralName,
  inhibitAnyPolicy,
  type KeyType,
  keyIdentifier,
  keyUsage,
  name,
  nameConstraints,
  policies,
  policyConstraints,
  policyMappings,
  type SignatureOptions,
  subjectKeyId,
  type TestKey,
  testKey,
  writeCertificate,
} from '../../src/pki/certificate-writer.fixtures.ts';
import type { Random } from '../../test/fuzz/random.ts';

/** 2026-03-01T12:00:00Z. */
export const NOW: number = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;

export interface Entity {
  readonly subject: Uint8Array;
  readonly key: TestKey;
}

const USAGES = {
  any: '2.5.29.37.0',
  server: '1.3.6.1.5.5.7.3.1',
  client: '1.3.6.1.5.5.7.3.2',
  code: '1.3.6.1.5.5.7.3.3',
  unknown: '1.2.3.4',
} as const;

const DOMAINS = ['example.com', 'a.example.com', 'b.a.example.com', 'EXAMPLE.com', 'example.org', 'com', 'localhost'];
export const HOSTS: readonly string[] = [
  'example.com',
  'a.example.com',
  'b.a.example.com',
  'A.Example.COM',
  'example.com.',
  'x.example.com',
  '*.example.com',
  'hook.ns.svc',
  'hook_1.ns.svc',
  'localhost',
  '-a.example.com',
  'a..com',
  'xn--bcher-kva.example',
  'bücher.example',
  '10.0.0.1',
  '10.0.0.2',
  '[10.0.0.1]',
  '::1',
  '[::1]',
  '::ffff:10.0.0.1',
  'fd00::1',
  'fe80::1%eth0',
  '[not-an-ip]',
  '.',
];
const DNS_NAMES = [
  ...HOSTS.filter((host) => !host.includes('ü')),
  '*.a.example.com',
  '*',
  '*.',
  'a.*.com',
  'f*.example.com',
  '*.*.com',
  '',
  'a b',
];
const EMAILS = ['a@example.com', 'A@Example.com', 'b@a.example.com', '"a b"@example.com', 'x.y@example.org'];
const BAD_EMAILS = ['a', '@b', 'a..b@example.com', '"a@example.com', 'a@b.'];
const ADDRESSES = ['10.0.0.1', '10.0.0.2', '192.168.1.1', '::1', 'fd00::1', '::ffff:10.0.0.1'];
const URIS = [
  'https://example.com/x',
  'spiffe://a.example.com/ns/x',
  'https://EXAMPLE.com:8443/',
  'https://10.0.0.1/',
  'https://[::1]:80/',
  'urn:uuid:1',
  'https://a.example.com:/',
  'db://a:b:1/',
  'https://example.org?q#f',
];
const MALFORMED_URIS = ['http://%zz/', 'https://a..b/', ':', 'https://[::1/'];
const POLICIES = ['1.2.3', '1.2.4', '1.2.5', '2.5.29.32.0'];

function chance(random: Random, percent: number): boolean {
  return random.int(100) < percent;
}

function some<T>(random: Random, most: number, make: () => T): T[] {
  return Array.from({ length: random.int(most + 1) }, make);
}

function addressBytes(text: string): Uint8Array {
  if (text === '::ffff:10.0.0.1') return Uint8Array.of(...new Array(10).fill(0), 0xff, 0xff, 10, 0, 0, 1);
  if (text.includes('.')) return Uint8Array.from(text.split('.'), Number);
  const bytes = new Uint8Array(16);
  bytes[15] = 1;
  if (text.startsWith('fd')) bytes[0] = 0xfd;
  return bytes;
}

function keyType(random: Random): KeyType {
  if (chance(random, 80)) return 'P-256';
  return random.pick(['P-384', 'P-521', 'P-224', 'RSA-2048', 'RSA-2048', 'RSA-1024', 'RSA-512', 'Ed25519', 'Ed25519']);
}

export function entity(random: Random, label: string): Entity {
  const key = testKey(keyType(random), random.int(6));
  const shown = random.pick([label, label, label, label, 'same', '', 'bücher', 'q"uote\n']);
  return {
    subject: name(
      shown,
      some(random, 1, () => random.pick(['org', '', 'ünï'])),
    ),
    key,
  };
}

function malformedName(random: Random): GeneralName {
  return random.pick<GeneralName>([
    ['uri', random.pick(MALFORMED_URIS)],
    ['dns', 'é'],
    ['email', 'é@example.com'],
    ['ip', Uint8Array.of(1, 2, 3)],
  ]);
}

function alternativeName(random: Random, isWellFormed: boolean): GeneralName {
  if (!isWellFormed && chance(random, 5)) return malformedName(random);
  switch (random.int(10)) {
    case 0:
      return ['email', random.pick(chance(random, 90) ? EMAILS : BAD_EMAILS)];
    case 1:
      return ['uri', random.pick(URIS)];
    case 2:
    case 3:
      return ['ip', addressBytes(random.pick(ADDRESSES))];
    case 4:
      return chance(random, 20) ? ['other', 'x'] : ['dns', random.pick(DNS_NAMES)];
    default:
      // One that is valid and, mostly, allowed.
      return ['dns', random.pick(['example.com', 'a.example.com', '*.example.com', 'hook.ns.svc', 'localhost'])];
  }
}

const NETWORKS: readonly (readonly number[])[] = [
  [10, 0, 0, 0, 255, 0, 0, 0],
  [10, 1, 2, 3, 255, 0, 0, 0],
  [9, 0, 0, 0, 255, 0, 0, 0],
  [10, 0, 0, 1, 255, 255, 255, 255],
  [192, 168, 0, 0, 255, 255, 0, 0],
  [0, 0, 0, 0, 0, 0, 0, 0],
  [...new Array(32).fill(0)],
  [0xfd, ...new Array(15).fill(0), 0xff, ...new Array(15).fill(0)],
  [...new Array(10).fill(0), 0xff, 0xff, 10, 0, 0, 0, ...new Array(13).fill(0xff), 0, 0, 0],
];

function malformedConstraint(random: Random): GeneralName {
  return random.pick<GeneralName>([
    ['dns', random.pick(['a..b', 'é', 'example.com.', '.', 'a b'])],
    ['email', random.pick([...BAD_EMAILS, 'é'])],
    ['uri', random.pick(['10.0.0.1', '::1', 'a..b', 'é'])],
    [
      'ip',
      Uint8Array.from(
        random.pick([
          [10, 0, 0, 0, 255, 0, 255, 0],
          [1, 2, 3],
          [1, 2, 3, 4, 0, 0, 0, 1],
        ]),
      ),
    ],
  ]);
}

function constraint(random: Random, isWellFormed: boolean): GeneralName {
  if (!isWellFormed && chance(random, 10)) return malformedConstraint(random);
  switch (random.int(8)) {
    case 0:
      return ['email', random.pick([...DOMAINS, ...EMAILS, '.example.com', ''])];
    case 1:
      return ['uri', random.pick([...DOMAINS, '.example.com', ''])];
    case 2:
    case 3:
      return ['ip', Uint8Array.from(random.pick(NETWORKS))];
    case 4:
      return chance(random, 3) ? ['other', 'x'] : ['dns', random.pick(['', 'svc', 'ns.svc', 'hook.ns.svc'])];
    default:
      return ['dns', random.pick([...DOMAINS, '.example.com', '.a.example.com', 'svc', 'com', 'localhost'])];
  }
}

/** An authority permits most names, so that chains with several constraints can be valid. */
function constraintsOf(random: Random, isWellFormed: boolean): Uint8Array {
  const permitted = some(random, 4, () => constraint(random, isWellFormed));
  if (chance(random, 60))
    permitted.push(['dns', random.pick(['com', 'example.com', ''])], ['dns', 'svc'], ['dns', 'localhost']);
  const excluded = some(random, 2, () => constraint(random, isWellFormed));
  if (isWellFormed && permitted.length + excluded.length === 0) excluded.push(['dns', 'a.example.com']);
  return nameConstraints(permitted, excluded);
}

function policyExtensions(random: Random): Uint8Array[] {
  const extensions: Uint8Array[] = [];
  if (chance(random, 80)) extensions.push(policies([...new Set(some(random, 3, () => random.pick(POLICIES)))]));
  if (chance(random, 30))
    extensions.push(policyMappings(some(random, 2, () => [random.pick(POLICIES), random.pick(POLICIES)] as const)));
  if (chance(random, 40))
    extensions.push(
      policyConstraints(random.pick([undefined, 0, 0, 1, 2, 0x81]), random.pick([undefined, undefined, 0, 1])),
    );
  if (chance(random, 15)) extensions.push(inhibitAnyPolicy(random.int(3)));
  return extensions;
}

/** The traits of one question, so that most of its certificates share them. */
export interface Traits {
  readonly hasPolicies: boolean;
  readonly hasConstraints: boolean;
  /** No certificate is malformed. */
  readonly isWellFormed: boolean;
  /** The frequency of unusual and of invalid certificates; 0 for none. */
  readonly oddity: number;
}

export function traits(random: Random): Traits {
  return {
    hasPolicies: chance(random, 15),
    hasConstraints: chance(random, 35),
    isWellFormed: chance(random, 95),
    oddity: random.pick([0, 1, 1, 3]),
  };
}

function validity(random: Random, oddity: number): { notBefore: number; notAfter: number } {
  const good = { notBefore: NOW - random.int(400) * DAY - DAY, notAfter: NOW + random.int(400) * DAY + DAY };
  if (!chance(random, 3 * oddity)) return good;
  return random.pick([
    { ...good, notAfter: NOW - 1000 },
    { ...good, notAfter: NOW },
    { ...good, notBefore: NOW + 1000 },
    { ...good, notBefore: NOW },
    { notBefore: Date.UTC(1950, 0), notAfter: Date.UTC(2049, 11, 31, 23, 59, 59) },
    { notBefore: Date.UTC(1949, 0), notAfter: Date.UTC(9999, 11, 31, 23, 59, 59) },
  ]);
}

function signature(random: Random, signer: TestKey, oddity: number): SignatureOptions {
  const isBroken = chance(random, oddity);
  if (!chance(random, 4 * oddity)) return { isBroken };
  const hash = random.pick(['sha1', 'sha1', 'md5', 'sha384', 'sha512', 'sha224']);
  // A key of 512 bits has no room for a longer hash.
  if (signer.type === 'RSA-512') return { hash: random.pick(['sha1', 'sha256']), isBroken };
  if (signer.type === 'RSA-1024' && hash === 'sha512') return { isBroken };
  return { hash, isPss: chance(random, 40), ...(chance(random, 10) ? { saltLength: 20 } : {}), isBroken };
}

export interface Issue {
  readonly subject: Entity;
  readonly issuer: Entity;
  readonly isLeaf: boolean;
  readonly traits: Traits;
}

export function certificate(
  random: Random,
  { subject, issuer, isLeaf, traits: { oddity, ...has } }: Issue,
): Uint8Array {
  const odd = (percent: number): boolean => chance(random, percent * oddity);
  const extensions: Uint8Array[] = [];
  if (!isLeaf) {
    if (!odd(3)) extensions.push(basicConstraints(!odd(3), odd(8) ? random.int(3) : undefined));
    if (chance(random, 50)) extensions.push(keyUsage(odd(4) ? random.pick([[0], [], [6]]) : [0, 5, 6]));
    if (odd(8)) extensions.push(extendedKeyUsage(some(random, 2, () => random.pick(Object.values(USAGES)))));
    if (has.hasConstraints && chance(random, 60)) extensions.push(constraintsOf(random, has.isWellFormed));
    if (odd(3)) extensions.push(alternativeNames(some(random, 2, () => alternativeName(random, has.isWellFormed))));
  } else {
    if (chance(random, 30)) extensions.push(basicConstraints(odd(10)));
    if (chance(random, 60))
      extensions.push(
        extendedKeyUsage(
          odd(6) ? some(random, 2, () => random.pick(Object.values(USAGES))) : [USAGES.server, USAGES.client],
        ),
      );
    if (!odd(5))
      extensions.push(
        alternativeNames(
          some(random, 3, () => alternativeName(random, has.isWellFormed)),
          odd(5),
        ),
      );
  }
  if (has.hasPolicies) extensions.push(...policyExtensions(random));
  if (chance(random, 50)) extensions.push(subjectKeyId(odd(5) ? Uint8Array.of(1) : keyIdentifier(subject.key)));
  if (chance(random, 50)) extensions.push(authorityKeyId(odd(5) ? Uint8Array.of(2) : keyIdentifier(issuer.key)));
  if (odd(1)) extensions.push(extension('1.2.3.4.5', Uint8Array.of(5, 0), chance(random, 60)));
  const version = odd(4) ? random.pick([1, 1, 2] as const) : 3;
  return writeCertificate({
    version,
    serial: Uint8Array.of(1 + random.int(127), random.int(256), random.int(256), random.int(256)),
    subject: subject.subject,
    issuer: odd(1) ? subject.subject : issuer.subject,
    ...validity(random, oddity),
    key: subject.key,
    signer: odd(1) ? testKey('P-256', 5) : issuer.key,
    signature: signature(random, issuer.key, oddity),
    extensions: version === 3 || chance(random, 10) ? extensions : [],
  });
}
