/**
 * Keelson and kube-apiserver on one etcd at the same time. Objects of every kind are created through one server and
 * read, listed, watched, updated and deleted through the other; so are names with any characters; ports and addresses
 * of Services are allocated by both; both are in the endpoints of `default/kubernetes`; neither changes the objects of
 * the other.
 *
 * usage: main.ts [--full]
 *   --full   more pairs of encryption keys, JSON values, a rotation of keys with restarts, kills of either server
 */
import { parseArgs } from 'node:util';
import { must, nameOf, repeat } from '../common/json-requests.ts';
import { checkEndpoints, checkKilled, checkStopped } from './endpoints.ts';
import { exchangeEveryKind } from './every-kind-exchange.ts';
import { checkNames } from './names.ts';
import { API_SERVICES, UNAVAILABLE_API_SERVICE } from './objects.ts';
import { OneEtcd, otherSide, SIDES, type Side } from './one-etcd.ts';
import { encryptionFlag, type NamedKey, rotate, valuePrefix } from './rotation.ts';
import { checkServices, PORT_RANGE_FLAG, type TwoServers } from './services.ts';
import { changesOfStart, writesWithin } from './written-keys.ts';

const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } });
const SHOWN = 30;
/** Servers renew their keys every 10 seconds. */
const IDLE_MS = values.full ? 40_000 : 12_000;
let failures = 0;

function report(what: string, differences: readonly string[]): void {
  failures += differences.length;
  console.log(`  ${what}: ${differences.length} differences`);
  for (const difference of differences.slice(0, SHOWN)) console.log(`    ${difference}`);
  if (differences.length > SHOWN) console.log(`    and ${differences.length - SHOWN} more`);
}

interface Run {
  readonly name: string;
  /** The server that starts on an empty etcd. */
  readonly first: Side;
  /** Default: what the servers serve by default. */
  readonly everyVersion?: boolean;
  readonly flags?: readonly string[];
  /** The key with which each server writes; it reads those of both. Default: values are not encrypted. */
  readonly keys?: Readonly<Record<Side, NamedKey>>;
}

async function onOneEtcd(run: Run, more: (etcd: OneEtcd) => Promise<void>): Promise<void> {
  console.log(run.name);
  const { flags = [], everyVersion = false } = run;
  const etcd = await OneEtcd.start({ everyVersion, flags: [PORT_RANGE_FLAG, ...flags] });
  try {
    const { keys, first } = run;
    const flagsOf = (side: Side): readonly string[] =>
      keys === undefined ? [] : [encryptionFlag(etcd, side, { keys: [keys[side], keys[otherSide(side)]] })];
    await etcd.launch(first, flagsOf(first));
    report(
      `start of ${otherSide(first)} beside ${first}`,
      await changesOfStart(etcd, otherSide(first), flagsOf(otherSide(first))),
    );
    const prefixes = keys && { reference: valuePrefix(keys.reference), keelson: valuePrefix(keys.keelson) };
    const { kinds, refused, differences } = await exchangeEveryKind(etcd, {
      prefixes,
      comparesBytes: keys === undefined && run.flags === undefined,
    });
    if (refused.length > 0) console.log(`  refused by both: ${refused.join(', ')}`);
    report(`exchange of ${kinds} kinds, both ways`, differences);
    await more(etcd);
  } finally {
    await etcd.stop();
  }
}

function twoServers(etcd: OneEtcd): TwoServers {
  return { etcdUrl: etcd.url, clients: [etcd.client('reference'), etcd.client('keelson')] };
}

/** Creates an APIService without a server, whose condition both servers check from then on. */
async function createUnavailable(etcd: OneEtcd): Promise<void> {
  await must(etcd.client('keelson'), { method: 'POST', path: API_SERVICES, body: UNAVAILABLE_API_SERVICE });
  const path = `${API_SERVICES}/${nameOf(UNAVAILABLE_API_SERVICE)}`;
  for (const side of SIDES)
    await repeat(etcd.client(side), { method: 'GET', path }, ({ body }) =>
      JSON.stringify(body).includes('ServiceNotFound'),
    );
}

async function plain(etcd: OneEtcd): Promise<void> {
  report('ports and addresses of Services', await checkServices(twoServers(etcd)));
  report('names with characters of all of Unicode', await checkNames(twoServers(etcd)));
  report('endpoints of both servers', await checkEndpoints(etcd));
  await createUnavailable(etcd);
  report(`writes in ${IDLE_MS / 1000} s without requests`, await writesWithin(etcd, IDLE_MS));
  report('endpoints after a kill of keelson', await checkKilled(etcd, 'keelson'));
  if (!values.full) return;
  report('endpoints after a kill of kube-apiserver', await checkKilled(etcd, 'reference'));
  report('endpoints after a stop of keelson', await checkStopped(etcd, 'keelson'));
  report('ports and addresses after the restarts', await checkServices(twoServers(etcd)));
}

const nothing = async (): Promise<void> => undefined;
const key = (cipher: NamedKey['cipher'], name: NamedKey['key'] = 'first'): NamedKey => ({ cipher, key: name });

await onOneEtcd(
  { name: 'kube-apiserver first, every version of every kind', first: 'reference', everyVersion: true },
  plain,
);
await onOneEtcd(
  {
    name: 'Keelson first, between aescbc and secretbox',
    first: 'keelson',
    keys: { reference: key('aescbc'), keelson: key('secretbox') },
  },
  nothing,
);
if (values.full) {
  const pairs: readonly (readonly [NamedKey, NamedKey])[] = [
    [key('secretbox'), key('aesgcm')],
    [key('aesgcm'), key('aescbc')],
    [key('aescbc'), key('aescbc', 'second')],
  ];
  for (const [reference, keelson] of pairs)
    await onOneEtcd(
      {
        name: `between ${valuePrefix(reference)} and ${valuePrefix(keelson)}`,
        first: 'keelson',
        keys: { reference, keelson },
      },
      nothing,
    );
  await onOneEtcd(
    { name: 'values in JSON', first: 'reference', flags: ['--storage-media-type=application/json'] },
    nothing,
  );
  console.log('rotation of keys with restarts');
  const etcd = await OneEtcd.start();
  try {
    report('from aescbc to aesgcm', await rotate(etcd, key('aescbc'), key('aesgcm', 'second')));
  } finally {
    await etcd.stop();
  }
}
process.exit(failures === 0 ? 0 : 1);
