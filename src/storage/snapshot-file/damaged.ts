/** The error of a snapshot file that is damaged or truncated. */
import { StorageError } from '../errors.ts';
import type { RandomAccess } from './random-access.ts';

/** `offset` is the place in the file where the problem was found. */
export function damaged({ name }: Pick<RandomAccess, 'name'>, offset: number, problem: string): StorageError {
  return new StorageError('Corrupt', `${name}: damaged at offset ${offset}: ${problem}`);
}
