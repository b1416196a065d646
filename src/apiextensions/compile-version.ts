/** Compilation of the schema of one version of a custom resource, with its CEL rules. */
import { compileSchema } from '../schema/compile-schema.ts';
import type { CompiledSchema } from '../schema/compiled-schema.ts';
import { rulesOf } from '../schema/rules/rules-of.ts';
import { structuralOf } from '../schema/structural/structural-node.ts';
import { objectMetaView } from '../server/resource/schema/object-metadata-form.ts';
import type { Crd, CrdVersion } from './crd.ts';

/**
 * Returns undefined for a version without a schema. A schema that is not structural, which only v1beta1 allows,
 * validates objects but prunes nothing.
 */
export function compileVersion(crd: Crd, { schema }: CrdVersion): CompiledSchema | undefined {
  if (schema === undefined) return undefined;
  const structural = structuralOf(schema);
  return compileSchema(structural, {
    preserveUnknownFields: crd.preserveUnknownFields,
    objectMeta: objectMetaView(),
    rules: rulesOf(structural),
  });
}
