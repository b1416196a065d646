/**
 * The type Scale of autoscaling/v1, which servers without built-in kinds answer with too. A test compares it with the
 * generated facts of its package.
 */
import type { PackageFacts } from './package-facts.ts';

export const SCALE_FACTS: PackageFacts = {
  id: 'autoscaling-v1',
  goPackage: 'v1',
  modelPrefix: 'io.k8s.api.autoscaling.v1.',
  structs: `
Scale @;metadata meta-v1:ObjectMeta 1? ={};spec ScaleSpec 2? ={};status ScaleStatus 3? ={}
ScaleSpec;replicas int32 1? =0
ScaleStatus;replicas int32 1! =0;selector string 2?`,
};
