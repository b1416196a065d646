/** Type views from facts that the oracle reads from the Go types. */
import {
  createStructView,
  type FieldView,
  type ListView,
  type MapView,
  type ScalarType,
  type StructView,
  type TypeView,
} from '../../src/apimachinery/type-view.ts';

interface TypeFacts {
  readonly kind: 'scalar' | 'any' | 'map' | 'list' | 'struct';
  readonly scalar?: ScalarType;
  readonly raw?: 'raw-extension' | 'fields-v1';
  readonly name?: string;
  readonly of?: TypeFacts;
}

interface FieldFacts {
  readonly name: string;
  readonly number: number;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly inline: readonly number[];
  readonly wrapped: boolean;
  readonly goType: string;
  readonly goInline: readonly string[];
  readonly type: TypeFacts;
}

export interface FactBook {
  readonly root: string;
  readonly structs: Readonly<Record<string, readonly FieldFacts[]>>;
}

export function viewOfFacts(book: FactBook): StructView {
  const made = new Map<string, StructView>();
  const typeOf = (facts: TypeFacts): TypeView => {
    switch (facts.kind) {
      case 'scalar':
        return { kind: 'scalar', scalar: facts.scalar as ScalarType };
      case 'any':
        return { kind: 'any', raw: facts.raw ?? 'json' };
      case 'map':
        return { kind: 'map', atomic: false, values: typeOf(facts.of as TypeFacts) } satisfies MapView;
      case 'list':
        return {
          kind: 'list',
          items: typeOf(facts.of as TypeFacts),
          listType: 'atomic',
          mapKeys: [],
        } satisfies ListView;
      case 'struct':
        return structOf(facts.name as string);
    }
  };
  const fieldOf = ({ name, type, goType, goInline, ...wire }: FieldFacts): FieldView => ({
    name,
    type: typeOf(type),
    patchStrategies: [],
    patchMergeKey: undefined,
    required: false,
    nullable: false,
    defaultValue: undefined,
    goType,
    goInline,
    wire,
  });
  const structOf = (name: string): StructView => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const view = createStructView(name, () => (book.structs[name] ?? []).map(fieldOf));
    made.set(name, view);
    return view;
  };
  return structOf(book.root);
}
