/**
 * The servers of examples/three-servers: the commands of its compose file on a real etcd, with the addresses of this
 * machine, and the command of its systemd unit. Shows that the servers share keys and objects, that all are in the
 * endpoints of `default/kubernetes`, and that one of them runs the control loops.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { objectAt, textsAt } from '../../src/apimachinery/meta/object-fields.ts';
import { isJsonObject } from '../../src/base/json-value.ts';
import { parseServerCommandLine } from '../../src/cli/server-command-line.ts';
import { createClient } from '../../src/client/create-client.ts';
import { Lease } from '../../src/kinds/api/coordination/v1.ts';
import { ConfigMap, Endpoints } from '../../src/kinds/api/core/v1.ts';
import { connect } from '../../src/node/kubeconfig/connect.ts';
import { freePort } from '../peers/free-port.ts';
import { type Child, probe, startChild, waitUntilReady } from '../peers/process.ts';
import { keelsonCli, program, ROOT } from '../peers/programs.ts';
import { type Case, runCases } from '../rows/cases.ts';
import { Cluster } from './cluster.ts';

const EXAMPLE = join(ROOT, 'examples', 'three-servers');

interface ExampleServer {
  readonly dataDir: string;
  readonly port: number;
  readonly args: readonly string[];
}

/** The flags of the servers in the compose file. */
function composeCommands(): readonly (readonly string[])[] {
  const read = readYaml(readFileSync(join(EXAMPLE, 'compose.yaml')));
  if (!read.ok || !isJsonObject(read.value)) throw new Error('compose.yaml is not a YAML object');
  const services = objectAt(read.value, 'services') ?? {};
  const names = Object.keys(services).filter((name) => name.startsWith('keelson-'));
  return names.map((name) => textsAt(services, name, 'command'));
}

/** The flags of the systemd unit, with the values of its environment file. */
function unitCommand(): readonly string[] {
  const values = readFileSync(join(EXAMPLE, 'systemd', 'keelson.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  const environment = new Map([...values].map(([, name = '', value = '']) => [name, value]));
  const unit = readFileSync(join(EXAMPLE, 'systemd', 'keelson.service'), 'utf8').replaceAll('\\\n', ' ');
  const command = /^ExecStart=\S+ serve (.*)$/m.exec(unit)?.[1] ?? '';
  return command
    .trim()
    .split(/\s+/)
    .map((flag) => flag.replace(/\$\{(\w+)\}/, (_, name: string) => environment.get(name) ?? ''));
}

/** Replaces what this machine has differently: the addresses of etcd, folders and ports. */
async function onThisMachine(flags: readonly string[], etcd: Cluster, dataDir: string): Promise<ExampleServer> {
  const port = await freePort();
  const replaced: Readonly<Record<string, string>> = {
    '--etcd-servers': etcd.urls.join(','),
    '--data-dir': dataDir,
    '--bind-address': '127.0.0.1',
    '--secure-port': String(port),
    '--shutdown-delay-duration': '0s',
  };
  const args = flags.map((flag) => {
    const name = flag.slice(0, flag.indexOf('='));
    return replaced[name] === undefined ? flag : `${name}=${replaced[name]}`;
  });
  return { dataDir, port, args };
}

async function start({ dataDir, port, args }: ExampleServer): Promise<Child> {
  const logFile = `${dataDir}.log`;
  const child = startChild(process.execPath, [keelsonCli(), 'serve', ...args], logFile);
  const check = async (): Promise<boolean> => {
    const ca = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
    return (await probe(`https://127.0.0.1:${port}/readyz`, ca)).status === 200;
  };
  await waitUntilReady({ what: `the server in ${dataDir}`, child, logFile, check });
  return child;
}

async function threeServers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'compat-three-servers-'));
  const etcd = await Cluster.start({ program: program('etcd'), members: 3 });
  const children: Child[] = [];
  try {
    const servers: ExampleServer[] = [];
    for (const [i, flags] of composeCommands().entries())
      servers.push(await onThisMachine(flags, etcd, join(folder, `data-${i + 1}`)));
    const [first, ...others] = servers;
    expect(servers.length, 3, 'the servers of the compose file');
    children.push(await start(first!));
    for (const { dataDir } of others) {
      mkdirSync(dataDir);
      cpSync(join(first!.dataDir, 'pki'), join(dataDir, 'pki'), { recursive: true });
    }
    children.push(...(await Promise.all(others.map(start))));
    await compare(servers);
    await Promise.all(children.map((child) => child.stop()));
    expect(children.map((child) => child.ended()).join(), 'exit code 0,exit code 0,exit code 0', 'the ends');
  } finally {
    await Promise.all(children.map((child) => child.stop(0)));
    await etcd.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The certificate of the first server's admin is valid on all. */
async function compare(servers: readonly ExampleServer[]): Promise<void> {
  const text = readFileSync(join(servers[0]!.dataDir, 'admin.kubeconfig'), 'utf8');
  const connections = await Promise.all(
    servers.map(({ port }) => connect({ kubeconfig: text.replace(/(server: \S+:)\d+/, `$1${port}`), env: {} })),
  );
  const clients = connections.map(({ transport }) => createClient(transport));
  for (const [i, client] of clients.entries())
    await client.api(ConfigMap, 'default').create({ metadata: { name: `by-${i}` } });
  for (const client of clients) {
    const names = (await client.api(ConfigMap, 'default').list().toArray()).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name.startsWith('by-')).join(), 'by-0,by-1,by-2', 'the objects on each server');
  }
  const endpoints = await clients[0]!.api(Endpoints, 'default').get('kubernetes');
  const ips = (endpoints.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  expect(ips.join(), '172.28.0.11,172.28.0.12,172.28.0.13', 'the endpoints of default/kubernetes');
  const lease = await clients[2]!.api(Lease, 'kube-system').find('keelson-controllers');
  expect(lease?.spec?.holderIdentity === undefined, false, 'a missing leader');
  await Promise.all(connections.map((connection) => connection.stop()));
}

function expect<T>(actual: T, expected: T, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`);
}

const cases: readonly Case[] = [
  { name: 'the servers of compose.yaml', run: threeServers },
  {
    name: 'the flags of keelson.service',
    run: async () => {
      const { options, ignoredFlags } = parseServerCommandLine(unitCommand());
      expect(ignoredFlags.length, 0, 'flags without effect');
      expect(options.server.serving.advertiseAddress, '10.0.0.11', 'the address');
    },
  },
];
process.exit((await runCases('examples/three-servers', cases, 120_000)) === 0 ? 0 : 1);
