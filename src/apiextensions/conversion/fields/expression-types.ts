/** The schemas behind the object types of expressions. Invariant: the names of types are those of `declaredType`. */
import type { ObjectType } from '../../../cel/types.ts';
import { escapeName } from '../../../schema/rules/escape-name.ts';
import { withObjectMeta } from '../../../schema/rules/with-object-meta.ts';
import type { StructuralSchema } from '../../../schema/structural/structural.ts';
import { isAlwaysSet } from './schema-fields.ts';

/**
 * Returns the schema of an object type; undefined if the type is not of this schema. `root` is the schema of `self`.
 */
export function schemaOfType(root: StructuralSchema, name: string): StructuralSchema | undefined {
  const [self, ...steps] = name.split('.');
  let schema: StructuralSchema | undefined = self === 'self' ? withObjectMeta(root) : undefined;
  for (const step of steps) {
    if (schema === undefined) return undefined;
    const next: StructuralSchema | undefined = stepOf(schema, step);
    schema = next?.embeddedResource === true ? withObjectMeta(next) : next;
  }
  return schema;
}

function stepOf({ items, properties, additionalProperties: values }: StructuralSchema, step: string) {
  if (step === '@idx') return items;
  if (step === '@elem') return typeof values === 'object' ? values : undefined;
  const name = propertyOf(properties, step);
  return name === undefined ? undefined : properties.get(name);
}

/** Returns the property that an identifier of an expression names. */
export function propertyOf(properties: ReadonlyMap<string, unknown>, identifier: string): string | undefined {
  if (properties.has(identifier) && escapeName(identifier) === identifier) return identifier;
  for (const name of properties.keys()) if (escapeName(name) === identifier) return name;
  return undefined;
}

/** Returns a function that reports whether every object of a type has a field. */
export function alwaysSetIn(root: StructuralSchema): (type: ObjectType, field: string) => boolean {
  return (type, field) => {
    if (type.name === 'self.metadata' && field === 'name') return true;
    const schema = schemaOfType(root, type.name);
    const name = schema === undefined ? undefined : propertyOf(schema.properties, field);
    return schema !== undefined && name !== undefined && isAlwaysSet(schema, name, type.name === 'self');
  };
}
