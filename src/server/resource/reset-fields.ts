/**
 * Reset fields: the fields that a strategy restores or clears on every write, such as the status on the main resource.
 * A manager never becomes their owner, because its value for them is not stored.
 */
import { fieldSetOf } from '../../apimachinery/field-set/field-set.ts';
import type { Path } from '../../apimachinery/field-set/path-element.ts';
import { excludeFilter, type SetFilter } from '../../apimachinery/field-set/set-filter.ts';
import type { VersionDefinition } from './version-definition.ts';

/**
 * Returns the filter of the fields that count in `version`; undefined if all of them do. `requested` is the version of
 * the request; `version` is that of a manager. Called once per version.
 */
export type ResetFields = (version: VersionDefinition, requested: VersionDefinition) => SetFilter | undefined;

/** Resets the given fields and everything below them, in all versions. */
export function resetting(...paths: readonly Path[]): ResetFields {
  const filter = excludeFilter(fieldSetOf(...paths));
  return () => filter;
}

/** The main resource of most kinds. */
export const RESETS_STATUS: ResetFields = resetting(['status']);

/** The `status` subresource of most kinds. */
export const RESETS_SPEC: ResetFields = resetting(['spec']);

/** The `status` subresource of kinds whose strategy also restores the metadata. */
export const RESETS_SPEC_AND_METADATA: ResetFields = resetting(['metadata'], ['spec']);

/** Strategies that reset nothing. */
export const RESETS_NOTHING: ResetFields = () => undefined;
