/** Certificates: the parser, the verifier of chains, certificate requests and CA bundles, compared with Go's x509. */
import { decodeBase64, encodeBase64 } from '../../src/base/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/base/bytes.ts';
import type { JsonValue } from '../../src/base/json-value.ts';
import { readCaBundle } from '../../src/pki/ca-bundle.ts';
import { type Certificate, readCertificate } from '../../src/pki/certificate.ts';
import { certificateRequestProblem, parseCertificateRequest } from '../../src/pki/certificate-request.ts';
import { type KeyType, name, testKey, writeRequest } from '../../src/pki/certificate-writer.fixtures.ts';
import { formatIp, plainIp } from '../../src/pki/ip.ts';
import { formatPem } from '../../src/pki/pem.ts';
import { verifyCertificate } from '../../src/pki/verify-certificate.ts';
import { verifySignature } from '../../src/pki/verify-signature-node.ts';
import { CertificatePool } from '../../src/pki/x509/certificate-pool.ts';
import type { Random } from '../../test/fuzz/random.ts';
import { certificate, type Entity, entity, HOSTS, NOW, type Traits, traits } from './certificate-generate.ts';
import type { Question } from './oracle.ts';
import type { OurAnswer, Subject } from './subject.ts';

interface TrustQuestion {
  readonly chain: readonly string[];
  readonly roots: readonly string[];
  readonly host: string;
  readonly now: number;
  readonly client: boolean;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  return Array.from({ length: left.length }, () => left.splice(random.int(left.length), 1)[0] as T);
}

/** A chain of authorities in most questions; in the others, authorities that certify each other in any way. */
function trustQuestion(random: Random): TrustQuestion {
  const shared = traits(random);
  const entities: Entity[] = Array.from({ length: 1 + random.int(4) }, (_, i) => entity(random, `authority ${i}`));
  const issued: Uint8Array[] = [];
  const issue = (subject: Entity, issuer: Entity, isLeaf = false): Uint8Array => {
    const made = certificate(random, { subject, issuer, isLeaf, traits: shared });
    issued.push(made);
    return made;
  };
  const anchors = [issue(entities[0]!, entities[0]!)];
  for (let i = 1; i < entities.length; i++) issue(entities[i]!, entities[i - 1]!);
  // Renewed and cross-signed authorities, loops among them.
  if (random.int(3) === 0)
    for (let left = random.int(5); left > 0; left--) issue(random.pick(entities), random.pick(entities));
  // Many candidates of one name, beyond the bound of the verifier.
  if (random.int(60) === 0) {
    const crowd = Array.from({ length: 110 }, () =>
      certificate(random, {
        subject: { ...entities.at(-1)!, key: testKey('P-256', random.int(6)) },
        issuer: entities[0]!,
        isLeaf: false,
        traits: { ...shared, hasConstraints: false },
      }),
    );
    issued.push(...crowd);
  }
  const leaf = certificate(random, {
    subject: entity(random, 'leaf'),
    issuer: entities.at(-1)!,
    isLeaf: true,
    traits: shared,
  });
  if (random.int(8) === 0) anchors.pop();
  if (random.int(6) === 0) anchors.push(leaf);
  if (random.int(4) === 0) anchors.push(random.pick(issued));
  const sent = random.int(6) === 0 ? issued.filter(() => random.int(2) === 0) : issued;
  return {
    chain: [leaf, ...shuffled(random, sent)].map(encodeBase64),
    roots: shuffled(random, anchors).map(encodeBase64),
    host: random.pick([
      '',
      '',
      '',
      '',
      '',
      'example.com',
      'a.example.com',
      'hook.ns.svc',
      '10.0.0.1',
      random.pick(HOSTS),
    ]),
    now: NOW,
    client: random.int(3) === 0,
  };
}

/** A chain without oddities: a root, some authorities below it, and a leaf. */
function plainQuestion(random: Random, authorities: number, special: Partial<Traits>): TrustQuestion {
  const shared: Traits = { hasPolicies: false, hasConstraints: false, isWellFormed: true, oddity: 0, ...special };
  const entities = Array.from({ length: authorities + 1 }, (_, i) => ({
    subject: name(i === authorities ? 'leaf' : `authority ${i}`),
    key: testKey('P-256', i % 6),
  }));
  const issued = entities.map((subject, i) =>
    certificate(random, {
      subject,
      issuer: entities[Math.max(0, i - 1)]!,
      isLeaf: i === authorities,
      traits: shared,
    }),
  );
  const [root, ...chain] = issued.map(encodeBase64) as [string, ...string[]];
  return { chain: chain.reverse(), roots: [root], host: '', now: NOW, client: false };
}

/** A leaf that is its own anchor, so that only its names count. */
function hostQuestion(random: Random): TrustQuestion {
  const question = plainQuestion(random, 1, {});
  return { ...question, roots: question.chain, host: random.pick(HOSTS) };
}

function parseAll(list: readonly string[]): Certificate[] | string {
  const certificates: Certificate[] = [];
  for (const text of list) {
    const parsed = readCertificate(decodeBase64(text) as Uint8Array);
    if (!parsed.ok) return parsed.problem;
    certificates.push(parsed.certificate);
  }
  return certificates;
}

function verifyAnswer({ doc = '' }: Question): OurAnswer {
  const { chain, roots, host, now, client } = JSON.parse(doc) as TrustQuestion;
  const anchors = parseAll(roots);
  if (typeof anchors === 'string') return { ok: false, error: anchors };
  const sent = parseAll(chain);
  if (typeof sent === 'string') return { ok: false, error: sent };
  const result = verifyCertificate(sent[0] as Certificate, {
    roots: new CertificatePool(anchors),
    intermediates: new CertificatePool(sent.slice(1)),
    now,
    verifySignature,
    usage: client ? 'client' : 'server',
    ...(host === '' ? {} : { host }),
  });
  if (!result.ok) return { ok: false, error: result.message };
  const serials = result.chains.map((found) =>
    found.map(({ serialNumber }) => BigInt(`0x${serialNumber}`).toString(16)),
  );
  return { ok: true, out: serials };
}

/** Changes, removes or repeats bytes. */
function mutated(random: Random, der: Uint8Array): Uint8Array {
  const bytes = [...der];
  for (let left = 1 + random.int(2); left > 0; left--) {
    const at = random.int(bytes.length);
    switch (random.int(6)) {
      case 0:
        bytes.splice(at, 1);
        break;
      case 1:
        bytes.splice(at, 0, random.int(256));
        break;
      case 2:
        bytes[at] = random.pick([
          0, 1, 2, 3, 4, 5, 6, 0x0c, 0x13, 0x16, 0x17, 0x18, 0x1e, 0x30, 0x31, 0x7f, 0x80, 0x81, 0xff,
        ]);
        break;
      default:
        bytes[at] = random.int(256);
    }
  }
  return Uint8Array.from(bytes);
}

function describe(parsed: Certificate): JsonValue {
  const { extensions } = parsed;
  const names = extensions.alternativeNames;
  return {
    version: parsed.version,
    serial: BigInt(`0x${parsed.serialNumber}`).toString(16),
    commonName: parsed.commonName,
    organizations: [...parsed.organizations],
    notBefore: parsed.notBefore,
    notAfter: parsed.notAfter,
    signature: parsed.signatureScheme?.name ?? '',
    key: parsed.publicKey?.algorithm ?? '',
    isCa: extensions.isCa,
    keyUsage: extensions.keyUsage,
    dnsNames: [...(names?.dnsNames ?? [])],
    emailAddresses: [...(names?.emailAddresses ?? [])],
    ipAddresses: (names?.ipAddresses ?? []).map((ip) => formatIp(plainIp(ip)) ?? ''),
    uris: (names?.uris ?? []).map((uri) => uri.text),
    isUnhandled: extensions.unknownCritical.length > 0,
  };
}

export const trustSubjects: readonly Subject[] = [
  {
    name: 'certificate chains',
    ask: (random) => ({ op: 'verify-certificate', doc: JSON.stringify(trustQuestion(random)) }),
    answer: verifyAnswer,
  },
  {
    name: 'host names',
    ask: (random) => ({ op: 'verify-certificate', doc: JSON.stringify(hostQuestion(random)) }),
    answer: verifyAnswer,
  },
  {
    name: 'name constraints',
    ask: (random) => {
      const question = plainQuestion(random, 1 + random.int(3), { hasConstraints: true });
      return { op: 'verify-certificate', doc: JSON.stringify(question) };
    },
    answer: verifyAnswer,
  },
  {
    name: 'certificate policies',
    ask: (random) => {
      const question = plainQuestion(random, 2 + random.int(3), { hasPolicies: true });
      return { op: 'verify-certificate', doc: JSON.stringify(question) };
    },
    answer: verifyAnswer,
  },
  {
    name: 'certificates',
    ask: (random) => {
      const subject = entity(random, 'subject');
      const made = certificate(random, {
        subject,
        issuer: random.int(2) === 0 ? subject : entity(random, 'issuer'),
        isLeaf: random.int(2) === 0,
        traits: {
          hasPolicies: random.int(4) === 0,
          hasConstraints: random.int(3) === 0,
          isWellFormed: false,
          oddity: 3,
        },
      });
      return { op: 'certificate', text: encodeBase64(random.int(5) === 0 ? made : mutated(random, made)) };
    },
    answer: ({ text = '' }) => {
      const parsed = readCertificate(decodeBase64(text) as Uint8Array);
      return parsed.ok ? { ok: true, out: describe(parsed.certificate) } : { ok: false, error: parsed.problem };
    },
  },
  {
    name: 'certificate requests',
    ask: (random) => {
      const type: KeyType = random.pick(['P-256', 'P-384', 'P-521', 'RSA-2048', 'RSA-1024', 'RSA-512', 'Ed25519']);
      const hash =
        type === 'RSA-512' ? 'sha1' : random.pick(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const);
      const request = writeRequest(name(random.pick(['a', 'system:node:x', ''])), testKey(type, 0), {
        hash: type === 'RSA-1024' && hash === 'sha512' ? 'sha256' : hash,
        isPss: type !== 'RSA-512' && random.int(2) === 0,
        ...(random.int(8) === 0 && type === 'RSA-2048' ? { saltLength: 20 } : {}),
        isBroken: random.int(6) === 0,
      });
      return { op: 'certificate-request', text: encodeBase64(request) };
    },
    answer: async ({ text = '' }) => {
      const parsed = parseCertificateRequest(decodeBase64(text) as Uint8Array);
      if (!parsed.ok) return { ok: false, error: parsed.problem };
      const problem = await certificateRequestProblem(parsed.request);
      return problem === undefined ? { ok: true, out: parsed.request.commonName } : { ok: false, error: problem };
    },
  },
  {
    name: 'CA bundles',
    ask: (random) => {
      const block = (): string => {
        const subject = entity(random, `authority ${random.int(3)}`);
        const made = certificate(random, { subject, issuer: subject, isLeaf: false, traits: traits(random) });
        switch (random.int(6)) {
          case 0:
            return formatPem('CERTIFICATE', mutated(random, made));
          case 1:
            return formatPem('PUBLIC KEY', made);
          case 2:
            return formatPem('CERTIFICATE', made).replace('-----\n', '-----\nkey: value\n\n');
          default:
            return formatPem('CERTIFICATE', made);
        }
      };
      const blocks = Array.from({ length: random.int(4) }, block).join(random.pick(['', '', '# comment\n']));
      return { op: 'ca-bundle', text: encodeBase64(encodeUtf8(blocks === '' ? '\n' : blocks)) };
    },
    answer: ({ text = '' }) => {
      const read = readCaBundle(decodeUtf8(decodeBase64(text) as Uint8Array));
      return read.ok ? { ok: true, out: read.certificates.length } : { ok: false, error: read.problem };
    },
  },
];
