/**
 * The growth of the cost of one request with the number of stored objects: GET, create and a list of one namespace, per
 * object, at 1k, 10k and 100k objects.
 */
import { startKeelson } from '../../compat/peers/keelson.ts';
import { type Credentials, TOKEN_USERS } from '../../compat/peers/peer.ts';
import { median } from '../measure.ts';
import { ask, type Side } from './side.ts';
import { format } from './table.ts';
import { create, fill, get, list, prepare } from './work.ts';

const MOST = 1.3;
const LISTED = 500;

interface Costs {
  readonly get: number;
  readonly create: number;
  readonly listPerObject: number;
}

/**
 * Microseconds of server CPU. The listed namespace has the same size at every step; only the objects around it grow.
 */
async function costs(side: Side, short: boolean): Promise<Costs> {
  const rounds = short ? 2 : 5;
  const samples: Costs[] = [];
  for (let i = -1; i < rounds; i++) {
    const sample = {
      get: (await get(side, short ? 3000 : 10_000)).cpuMicros,
      create: (await create(side, short ? 500 : 2000, 'scratch')).cpuMicros,
      listPerObject: (await list(side, short ? 50 : 200, { namespace: 'listed' })).cpuMicros / LISTED,
    };
    if (i >= 0) samples.push(sample);
    // Objects that the creates left would count as stored objects.
    await ask(side, 'DELETE', '/api/v1/namespaces/scratch/configmaps');
  }
  const of = (key: keyof Costs): number => median(samples.map((sample) => sample[key]));
  return { get: of('get'), create: of('create'), listPerObject: of('listPerObject') };
}

/** Prints the steps. Returns false if one of the three grows by more than 1.3×. */
export async function printGrowth(credentials: Credentials, short: boolean): Promise<boolean> {
  const peer = await startKeelson({ credentials, storage: 'lmdb', controllers: null });
  const side: Side = { ...peer, token: TOKEN_USERS.admin.token, stop: () => peer.stop() };
  try {
    await prepare(side);
    for (const name of ['stored', 'listed', 'scratch'])
      await ask(side, 'POST', '/api/v1/namespaces', { metadata: { name } });
    await fill(side, LISTED, 'listed');
    await create(side, 3000, 'scratch');
    await ask(side, 'DELETE', '/api/v1/namespaces/scratch/configmaps');
    const steps: Costs[] = [];
    for (const count of short ? [1000, 5000] : [1000, 10_000, 100_000]) {
      await fill(side, count, 'stored');
      const step = await costs(side, short);
      steps.push(step);
      console.log(
        `${count.toLocaleString('en').padStart(7)} objects stored: GET ${format(step.get)} µs, create ${format(step.create)} µs, list of one namespace ${format(step.listPerObject)} µs an object`,
      );
    }
    const [first, last] = [steps[0] as Costs, steps.at(-1) as Costs];
    const growth = (['get', 'create', 'listPerObject'] as const).map((key) => last[key] / first[key]);
    const holds = growth.every((ratio) => ratio <= MOST);
    console.log(
      `growth: ${growth.map((ratio) => `${ratio.toFixed(2)}×`).join(', ')}   at most ${MOST}×   ${holds ? 'pass' : 'FAIL'}`,
    );
    return holds;
  } finally {
    await peer.stop();
  }
}
