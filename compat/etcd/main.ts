/**
 * The etcd driver on real etcd: the storage suite and the model scripts on clusters of one and three members, cases
 * with faults, and servers on two clusters. The full form runs them on etcd 3.6, 3.5 and 3.4.
 *
 * usage: main.ts [--full] [--etcd PROGRAM [--no-model]] [--only TEXT] [--scripts N] [--seed N]
 */
import { parseArgs } from 'node:util';
import { checkAgainstModel } from '../../src/storage/storage.model.suite.ts';
import { storageSuite } from '../../src/storage/storage.suite.ts';
import { runSuiteCase, skipReason } from '../../src/storage/suite/run-case.ts';
import { program } from '../peers/programs.ts';
import { type Case, runCases } from '../rows/cases.ts';
import { Cluster } from './cluster.ts';
import { faultCases } from './fault-cases.ts';
import { overrideCases } from './override-cases.ts';
import { etcdDriver } from './suite-driver.ts';
import { tlsCases } from './tls-cases.ts';

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    etcd: { type: 'string' },
    'no-model': { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    scripts: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
let failed = 0;

interface Release {
  readonly name: string;
  /** The path of the program. */
  readonly etcd: string;
  /** False where progress needs a marker, which takes revisions of its own: the model counts every revision. */
  readonly hasModel: boolean;
}

function releases(): readonly Release[] {
  if (values.etcd !== undefined) return [{ name: values.etcd, etcd: values.etcd, hasModel: !values['no-model'] }];
  const newest = { name: 'etcd 3.6', etcd: program('etcd'), hasModel: true };
  if (!values.full) return [newest];
  return [
    newest,
    { name: 'etcd 3.5', etcd: program('etcd-3.5'), hasModel: true },
    { name: 'etcd 3.4', etcd: program('etcd-3.4'), hasModel: false },
  ];
}

/** Times to live take real seconds, so these cases run at the same time, each on a cluster of its own. */
const isTimed = ({ name }: { readonly name: string }): boolean => name.startsWith('time to live: ');

async function onCluster(
  { etcd }: Release,
  members: number,
  run: (cluster: Cluster) => Promise<number>,
): Promise<void> {
  const cluster = await Cluster.start({ program: etcd, members });
  try {
    failed += await run(cluster);
  } finally {
    await cluster.stop();
  }
}

const wanted = storageSuite.filter(({ name }) => name.includes(values.only));

async function runAll(release: Release): Promise<void> {
  for (const members of values.full ? [1, 3] : [1]) {
    await onCluster(release, members, async ({ urls }) => {
      const driver = etcdDriver(urls);
      const run = (each: (typeof storageSuite)[number]): Case => ({
        name: each.name,
        run: () => runSuiteCase(each, driver),
      });
      const cases = wanted.filter((each) => skipReason(each, driver) === undefined && !isTimed(each)).map(run);
      return runCases(`storage suite on ${release.name}, members: ${members}`, cases);
    });
  }
  if (values.full) {
    const timed = wanted.filter((each) => isTimed(each) && skipReason(each, etcdDriver(['localhost'])) === undefined);
    await Promise.all(
      timed.map((each) =>
        onCluster(release, 1, ({ urls }) =>
          runCases(each.name, [{ name: each.name, run: () => runSuiteCase(each, etcdDriver(urls)) }], 60_000),
        ),
      ),
    );
  }
  if (release.hasModel && 'model'.includes(values.only)) {
    const scripts = Number(values.scripts ?? (values.full ? 300 : 15));
    for (const members of values.full ? [1, 3] : [1]) {
      await onCluster(release, members, ({ urls }) => {
        const seed = Number(values.seed);
        const run = (): Promise<void> => checkAgainstModel(etcdDriver(urls), { seed, scripts, commands: 60 });
        return runCases(
          `model on ${release.name}, members: ${members}`,
          [{ name: `${scripts} scripts from ${seed}`, run }],
          // The scripts themselves notice a command that does not end.
          Number.POSITIVE_INFINITY,
        );
      });
    }
  }
  failed += await runCases(
    `${release.name} with faults and with TLS`,
    [...faultCases(release.etcd), ...tlsCases(release.etcd)].filter(({ name }) => name.includes(values.only)),
    60_000,
  );
}

for (const release of releases()) await runAll(release);
if (values.etcd === undefined)
  failed += await runCases(
    'overrides beside kube-apiserver',
    overrideCases(program('etcd')).filter(({ name }) => name.includes(values.only)),
    120_000,
  );
// A case that did not finish may hold a connection.
process.exit(failed === 0 ? 0 : 1);
