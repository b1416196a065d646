/**
 * The move of all keys from one store to another.
 * Invariant: a target is finished only if it was read again and every value in it equals the one of the source.
 */

import type { Clock } from '../../../base/clock.ts';
import { count } from '../../../base/count.ts';
import { ConfigError } from '../../../base/errors.ts';
import { isPrivateKey } from '../../../server/registry/stored-forms.ts';
import { StorageError } from '../../../storage/errors.ts';
import { compareStates, type ResourceTally } from './compare-states.ts';
import type { MovedItem, MovedState, MoveSource, MoveTarget, Report } from './moved-state.ts';

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
  /** The revision after which the target continues. */
  readonly nextRevision: number;
  readonly objects: number;
  /** The bytes of the values. */
  readonly bytes: number;
  readonly resources: readonly ResourceTally[];
  readonly notes: readonly string[];
}

/**
 * Moves the data. Throws ConfigError if the source or the target cannot be used, and nothing has changed then; and
 * StorageError if one of them fails or the verification does.
 */
export async function moveData({ source, target, clock, report }: MoveOptions): Promise<MoveResult> {
  try {
    await target.check();
    const read = await source.read(report);
    checkBinding(read.items, source, target);
    const { state, leftOut } = selectItems(read, target, clock.now());
    await target.write(state, report);
    const found = await target.readBack(report);
    const { resources, expired, differences } = compareStates(state.items, found.items, clock.now());
    const [first] = differences;
    if (first !== undefined) throw verificationError(target, first, differences.length - 1);
    const { revision: nextRevision, notes } = await target.finish();
    return {
      source: source.name,
      target: target.name,
      revision: state.revision,
      nextRevision,
      objects: resources.reduce((sum, { objects }) => sum + objects, 0),
      bytes: resources.reduce((sum, { bytes }) => sum + bytes, 0),
      resources,
      notes: [
        ...read.notes,
        ...leftOut,
        ...notes,
        ...(expired === 0 ? [] : [`Expired meanwhile: ${count(expired, 'object')}.`]),
      ],
    };
  } finally {
    await target.close();
  }
}

/** Leaves out keys that have expired, and keys of kube-apiserver itself if the target does not take them. */
function selectItems(
  state: MovedState,
  target: MoveTarget,
  now: number,
): { readonly state: MovedState; readonly leftOut: readonly string[] } {
  const present = state.items.filter(({ expires }) => expires === 0 || expires > now);
  if (target.takesPrivateKeys) return { state: { ...state, items: present }, leftOut: [] };
  const items = present.filter(({ path }) => !isPrivateKey(`/${path}`, ''));
  const others = present.length - items.length;
  const leftOut =
    others === 0
      ? []
      : [`Left out: ${count(others, 'key')} that kube-apiserver keeps for itself (ranges, masterleases).`];
  return { state: { ...state, items }, leftOut };
}

/** Encryption with these providers authenticates the whole key with the value. */
const BOUND = /^k8s:enc:(aesgcm|kms):/;
const BOUND_BYTES = 16;

function checkBinding(items: readonly MovedItem[], source: MoveSource, target: MoveTarget): void {
  if (source.prefix === target.prefix) return;
  for (const { path, value } of items) {
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
