/**
 * The protobuf type of DeleteOptions, the only body that every kind accepts. Field numbers are those of the reference's
 * generated.proto.
 */
import { createStructView, type FieldView, type StructView, type TypeView } from '../../../apimachinery/type-view.ts';

const text: TypeView = { kind: 'scalar', scalar: 'string' };
const bool: TypeView = { kind: 'scalar', scalar: 'boolean' };

function field(name: string, number: number, type: TypeView, pointer = true): FieldView {
  return {
    name,
    type,
    patchStrategies: [],
    patchMergeKey: undefined,
    required: false,
    nullable: false,
    defaultValue: undefined,
    wire: { number, pointer, omitEmpty: true },
  };
}

const preconditions: StructView = createStructView('Preconditions', () => [
  field('uid', 1, text),
  field('resourceVersion', 2, text),
]);

export const DELETE_OPTIONS: StructView = createStructView('DeleteOptions', () => [
  field('gracePeriodSeconds', 1, { kind: 'scalar', scalar: 'int64' }),
  field('preconditions', 2, preconditions),
  field('orphanDependents', 3, bool),
  field('propagationPolicy', 4, text),
  field('dryRun', 5, { kind: 'list', items: text, listType: 'atomic', mapKeys: [] }, false),
  field('ignoreStoreReadErrorWithClusterBreakingPotential', 6, bool),
]);
