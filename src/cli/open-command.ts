/** The command `keelson open`: shows an etcd snapshot of any cluster to kubectl, without etcd. */
import { Command } from 'commander';
import { withExamples } from './command-tree.ts';
import type { OpenFlags } from './open-snapshot.ts';

export function openCommand(): Command {
  const command = new Command('open')
    .description('serve an etcd snapshot read-only, or compare two of them; other flags are those of keelson serve')
    .argument('<snapshot>', 'a file of "etcdctl snapshot save", or the data folder of a stopped etcd member')
    .option('--etcd-prefix <prefix>', 'the prefix of the keys, as the flag of the kube-apiserver was', '/registry')
    .option('--encryption-provider-config <file>', 'the EncryptionConfiguration of the cluster, to decrypt values')
    .option('--diff <snapshot>', 'print the differences to this newer snapshot instead; exits with 1 if there are any')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (path: string, flags: OpenFlags, { args }: Command) => {
      const { openSnapshot } = await import('./open-snapshot.ts');
      process.exitCode = await openSnapshot(path, flags, args.slice(1));
    });
  return withExamples(command, [
    ['keelson open backup.db', 'serve a snapshot on a free port of 127.0.0.1'],
    ['keelson open backup.db --secure-port=6443', 'serve it on this port'],
    ['keelson open monday.db --diff tuesday.db', 'list the objects that were added, removed or changed'],
    ['keelson open /var/lib/etcd', 'serve the database of a stopped etcd member'],
  ]);
}
