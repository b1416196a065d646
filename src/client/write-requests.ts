/** Makes the queries, bodies and media types of write requests. */

import type { JsonValue } from '../base/json-value.ts';
import { writeJsonBytes } from '../base/json-write.ts';
import type { ApplyOptions, DeleteOptions, ObjectPatch, WriteOptions } from './api.ts';
import { formatQuery } from './paths.ts';

export const JSON_TYPE = 'application/json';
/** JSON is valid YAML. Servers since 1.16 accept this type; only some also accept the type for JSON. */
export const APPLY_TYPE = 'application/apply-patch+yaml';

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export function patchType(patch: ObjectPatch): string {
  return PATCH_TYPES[patch.type];
}

export function patchBody(patch: ObjectPatch): Uint8Array {
  return encodeBody(patch.type === 'json' ? patch.operations : patch.body);
}

/** Encodes a body as JSON. Undefined fields are left out; bigints are printed in full. */
export function encodeBody(body: object): Uint8Array {
  return writeJsonBytes(body as unknown as JsonValue, { escapeHtml: false });
}

export function writeQuery({ fieldManager, dryRun, fieldValidation }: WriteOptions): string {
  return formatQuery({ fieldManager, dryRun: dryRun === true ? 'All' : undefined, fieldValidation });
}

export function applyQuery({ fieldManager, dryRun, fieldValidation, force }: ApplyOptions): string {
  return formatQuery({ fieldManager, force, dryRun: dryRun === true ? 'All' : undefined, fieldValidation });
}

/** Encodes the DeleteOptions of a request; undefined if all options have their defaults. */
export function deleteBody(options: DeleteOptions): Uint8Array | undefined {
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
  const fields = {
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    dryRun: dryRun === true ? ['All'] : undefined,
  };
  if (Object.values(fields).every((value) => value === undefined)) return undefined;
  return encodeBody({ kind: 'DeleteOptions', apiVersion: 'v1', ...fields });
}
