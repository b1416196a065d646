/**
 * Moves all keys from one store to another.
 * Invariants: a target is finished only after it was read back and all its values equal those of the source. Only the
 * keys and one batch of values are in memory.
 */

import type { Clock } from '../../../base/clock.ts';
import { count } from '../../../base/count.ts';
import { ConfigError } from '../../../base/errors.ts';
import { isPrivateKey } from '../../../server/registry/stored-forms.ts';
import { StorageError } from '../../../storage/errors.ts';
import { compareStates, type ResourceTally, type StateComparison, WrittenKeys } from './compare-states.ts';
import type { MovedKey, MovedState, MoveSource, MoveTarget, Report } from './moved-state.ts';

export interface MoveOptions {
  readonly source: MoveSource;
  readonly target: MoveTarget;
  readonly clock: Clock;
  readonly report: Report;
}

export interface MoveResult {
  readonly source: string;
  readonly target: string;
  /** The revision of the source. */
  readonly revision: number;
  /** The revision of the target, after which its next writes follow. */
  readonly nextRevision: number;
  readonly objects: number;
  /** The bytes of the values. */
  readonly bytes: number;
  readonly resources: readonly ResourceTally[];
  readonly notes: readonly string[];
}

/**
 * Moves the data. Throws ConfigError if the source or the target cannot be used; nothing was changed then. Throws
 * StorageError if one of them fails, or if the verification fails.
 */
export async function moveData({ source, target, clock, report }: MoveOptions): Promise<MoveResult> {
  let state: MovedState | undefined;
  try {
    await target.check();
    state = await source.read(report);
    await checkBinding(state, source, target);
    const { keys, leftOut } = selectKeys(state, target, clock.now());
    const written = new WrittenKeys(keys);
    const { revision, imported } = state;
    await target.write({ revision, imported, total: keys.length, batches: written.read(state) }, report);
    const { resources, expired, differences } = await verify(target, written, clock, report);
    const [first] = differences;
    if (first !== undefined) throw verificationError(target, first, differences.length - 1);
    const { revision: nextRevision, notes } = await target.finish();
    return {
      source: source.name,
      target: target.name,
      revision,
      nextRevision,
      objects: resources.reduce((sum, { objects }) => sum + objects, 0),
      bytes: resources.reduce((sum, { bytes }) => sum + bytes, 0),
      resources,
      notes: [
        ...state.notes,
        ...leftOut,
        ...notes,
        ...(expired === 0 ? [] : [`Expired meanwhile: ${count(expired, 'object')}.`]),
      ],
    };
  } finally {
    await state?.close();
    await target.close();
  }
}

async function verify(
  target: MoveTarget,
  written: WrittenKeys,
  clock: Clock,
  report: Report,
): Promise<StateComparison> {
  const found = await target.readBack(report);
  try {
    const onProgress = (done: number): void => report('verify', done, found.keys.length);
    return await compareStates(written, found, { now: () => clock.now(), onProgress });
  } finally {
    await found.close();
  }
}

/**
 * Selects the keys to move. Skips expired keys, and the private keys of kube-apiserver if the target does not take
 * them.
 */
function selectKeys(
  state: MovedState,
  target: MoveTarget,
  now: number,
): { readonly keys: readonly MovedKey[]; readonly leftOut: readonly string[] } {
  const present = state.keys.filter(({ expires }) => expires === 0 || expires > now);
  if (target.takesPrivateKeys) return { keys: present, leftOut: [] };
  const keys = present.filter(({ path }) => !isPrivateKey(`/${path}`, ''));
  const others = present.length - keys.length;
  const leftOut =
    others === 0
      ? []
      : [`Left out: ${count(others, 'key')} that kube-apiserver keeps for itself (ranges, masterleases).`];
  return { keys, leftOut };
}

/** Values of these providers are bound to their whole key, including its prefix. */
const BOUND = /^k8s:enc:(aesgcm|kms):/;
const BOUND_BYTES = 16;

/** Throws if the prefixes differ and a value is bound to its key. Reads all values to find out. */
async function checkBinding(state: MovedState, source: MoveSource, target: MoveTarget): Promise<void> {
  if (source.prefix === target.prefix) return;
  for await (const batch of state.items(state.keys))
    for (const { path, value } of batch) {
      const provider = BOUND.exec(Buffer.from(value.subarray(0, BOUND_BYTES)).toString('latin1'))?.[1];
      if (provider !== undefined)
        throw new ConfigError(
          `the value of ${path} is encrypted by ${provider}, which binds it to the prefix ${source.prefix}: it cannot be moved to the prefix ${target.prefix}`,
        );
    }
}

function verificationError({ name }: MoveTarget, first: string, others: number): StorageError {
  const more = others === 0 ? '' : `, and ${count(others, 'more difference')}`;
  return new StorageError('Corrupt', `${name} does not hold what was written: ${first}${more}`);
}
