/**
 * The command `keelson kubeconfig`: signs a client certificate with the CA of a data folder and writes a kubeconfig
 * with it. It changes nothing in the data folder.
 */
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { readYaml } from '../apimachinery/codec/yaml/yaml.ts';
import { systemClock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import { getField, type JsonValue } from '../base/json-value.ts';
import { defaultOptions } from '../controlplane/options.ts';
import { readTextFile } from '../node/platform.ts';
import { issueClientCertificate } from '../pki/certificates.ts';
import { issuerOf } from '../pki/issuer.ts';
import { formatKubeconfig, writeKubeconfig } from '../pki/kubeconfig.ts';
import { type Authority, loadAuthority } from '../pki/pki-authority.ts';
import { PkiFiles } from '../pki/pki-files.ts';
import { withExamples } from './command-tree.ts';

interface Flags {
  readonly user: string;
  readonly group: readonly string[];
  readonly dataDir: string;
  readonly server?: string;
  readonly output?: string;
}

export function kubeconfigCommand(): Command {
  const command = new Command('kubeconfig')
    .description('sign a client certificate, valid for a year, and print a kubeconfig for it')
    .requiredOption('--user <name>', 'the name of the user')
    .option('--group <name>', 'a group of the user; may be repeated', (value, all: string[]) => [...all, value], [])
    .option('--data-dir <folder>', 'the data folder of the server', defaultOptions.dataDir)
    .option('--server <url>', 'the address of the server for clients (default: that in the admin kubeconfig)')
    .option('--output <file>', 'write to a file that only its owner can read, instead of standard output')
    .action(async (flags: Flags) => run(flags));
  return withExamples(command, [
    ['keelson kubeconfig --user jane --group developers > jane.kubeconfig', 'print a kubeconfig for a user in a group'],
    [
      'keelson kubeconfig --user jane --server https://keelson.example:6443 --output jane.kubeconfig',
      'write a kubeconfig for another machine',
    ],
  ]);
}

async function run({ user, group, dataDir, server, output }: Flags): Promise<void> {
  const ca = await loadCa(dataDir);
  const made = await issueClientCertificate(await issuerOf(ca), { clock: systemClock, user, groups: group });
  const admin = await adminCluster(`${dataDir}/admin.kubeconfig`);
  const { port, bindAddress } = defaultOptions.serving;
  const options = {
    server: server ?? admin.server ?? `https://${bindAddress}:${port}`,
    caPem: admin.caPem ?? ca.certificatePem,
    user,
    credentials: { kind: 'certificate', certificatePem: made.certificatePem, keyPem: made.keyPem },
  } as const;
  if (output === undefined) process.stdout.write(formatKubeconfig(options));
  else await writeKubeconfig(output, options);
}

/** Reads the CA of a data folder and writes nothing. Throws ConfigError if no server has used the folder. */
async function loadCa(dataDir: string): Promise<Authority> {
  const files = await PkiFiles.open(join(dataDir, 'pki'), systemClock, ['ca.crt', 'ca.key']);
  const ca = loadAuthority(files, 'ca');
  if (ca !== undefined) return ca;
  const path = resolve(dataDir);
  throw new ConfigError(
    `no server has used the data folder ${path}: start one with "keelson --data-dir=${dataDir}", or name its folder with --data-dir`,
  );
}

interface Cluster {
  readonly server: string | undefined;
  readonly caPem: string | undefined;
}

/** Returns the address and the CA in the kubeconfig that the last start wrote. */
async function adminCluster(path: string): Promise<Cluster> {
  const text = await readTextFile(path);
  if (text === undefined) return { server: undefined, caPem: undefined };
  const read = readYaml(text);
  if (!read.ok) throw new ConfigError(`cannot parse ${path}: ${read.error.message}`);
  const clusters = fieldOf(read.value, 'clusters');
  const cluster = fieldOf(Array.isArray(clusters) ? clusters[0] : undefined, 'cluster');
  const server = fieldOf(cluster, 'server');
  const data = fieldOf(cluster, 'certificate-authority-data');
  return {
    server: typeof server === 'string' ? server : undefined,
    caPem: typeof data === 'string' ? Buffer.from(data, 'base64').toString('utf8') : undefined,
  };
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? getField(value, name) : undefined;
}
