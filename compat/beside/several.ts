/**
 * Two Keelsons on one etcd, with all loops: objects that are written through one server take effect on the other, and
 * ports, addresses and quotas that both use are allocated once. The cases wait for watch events, not for a time.
 *
 * usage: several.ts [--only TEXT]
 */
import { parseArgs } from 'node:util';
import { runCases } from '../rows/cases.ts';
import { ACCESS_CASES } from './access-cases.ts';
import { CLAIM_CASES } from './claim-cases.ts';
import { DEFINITION_CASES } from './definition-cases.ts';
import { Servers } from './servers.ts';

const TIMEOUT_MS = 90_000;
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const servers = await Servers.start();
let failed = 0;
try {
  const cases = [...ACCESS_CASES, ...DEFINITION_CASES, ...CLAIM_CASES]
    .filter(([name]) => name.includes(values.only))
    .map(([name, run]) => ({ name, run: () => run(servers) }));
  failed = await runCases('two servers on one etcd', cases, TIMEOUT_MS);
} finally {
  await servers.stop();
}
process.exit(failed === 0 ? 0 : 1);
