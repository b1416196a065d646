/** The schema of a version of a custom resource, made ready for objects, rules included. Invariant: nothing is decided here. */
import { compileSchema } from '../schema/compile-schema.ts';
import type { CompiledSchema } from '../schema/compiled-schema.ts';
import { rulesOf } from '../schema/rules/rules-of.ts';
import { structuralOf } from '../schema/structural/structural-node.ts';
import { objectMetaView } from '../server/resource/schema/object-metadata-form.ts';
import type { Crd, CrdVersion } from './crd.ts';

/** Undefined if the version has none. What cannot be structural (from v1beta1) validates all the same, and nothing is dropped. */
export function compileVersion(crd: Crd, { schema }: CrdVersion): CompiledSchema | undefined {
  if (schema === undefined) return undefined;
  const structural = structuralOf(schema);
  return compileSchema(structural, {
    preserveUnknownFields: crd.preserveUnknownFields,
    objectMeta: objectMetaView(),
    rules: rulesOf(structural),
  });
}
