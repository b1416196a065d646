/**
 * The node of a schema that validation walks. A node is created when a value first reaches it. Nodes that declare no
 * more than a type are shared by all schemas.
 */
import {
  flagOf,
  namedSchema,
  namesOf,
  type SchemaSource,
  schemaOf,
  schemasOf,
  textOf,
} from '../structural/schema-source.ts';
import { type ListedField, NodeLimits, type QuickCheck, type ValidationMode } from './node-limits.ts';
import { quickCheck } from './quick-check.ts';

const NO_NODES: readonly ValidatorNode[] = [];

export class ValidatorNode extends NodeLimits {
  override readonly anyOf: readonly ValidatorNode[];
  override readonly oneOf: readonly ValidatorNode[];
  override readonly allOf: readonly ValidatorNode[];
  override readonly not: ValidatorNode | undefined;
  readonly #source: SchemaSource;
  readonly #mode: ValidationMode;
  #items: ValidatorNode | undefined;
  #additional: ValidatorNode | undefined;
  #fields: Map<string, FieldSlot> | undefined;
  #check: QuickCheck | undefined;

  constructor(source: SchemaSource, mode: ValidationMode) {
    super(source, mode);
    this.#source = source;
    this.#mode = mode;
    this.anyOf = partsOf(source, 'anyOf', mode);
    this.oneOf = partsOf(source, 'oneOf', mode);
    this.allOf = partsOf(source, 'allOf', mode);
    const not = schemaOf(source, 'not');
    this.not = not === undefined ? undefined : new ValidatorNode(not, mode);
  }

  override get items(): ValidatorNode {
    this.#items ??= validatorNode(schemaOf(this.#source, 'items') ?? {}, this.#mode);
    return this.#items;
  }

  override get additional(): ValidatorNode {
    this.#additional ??= validatorNode(schemaOf(this.#source, 'additionalProperties') ?? {}, this.#mode);
    return this.#additional;
  }

  override get fields(): ReadonlyMap<string, FieldSlot> {
    this.#fields ??= this.#makeFields();
    return this.#fields;
  }

  #makeFields(): Map<string, FieldSlot> {
    const required = new Set(this.required);
    const slot = (name: string): [string, FieldSlot] => [name, new FieldSlot(this, name, required.has(name))];
    return new Map(namesOf(this.#source, 'properties').map(slot));
  }

  override get check(): QuickCheck {
    this.#check ??= quickCheck(this);
    return this.#check;
  }

  /** The node of a listed field; undefined if `properties` does not list it. */
  property(name: string): ValidatorNode | undefined {
    return this.hasProperties ? this.fields.get(name)?.node : undefined;
  }

  /** Creates the node of a listed field. FieldSlot keeps it. */
  make(name: string): ValidatorNode {
    return validatorNode(namedSchema(this.#source, 'properties', name) ?? {}, this.#mode);
  }
}

class FieldSlot implements ListedField {
  readonly name: string;
  readonly isRequired: boolean;
  check: QuickCheck;
  readonly #owner: ValidatorNode;
  #node: ValidatorNode | undefined;

  constructor(owner: ValidatorNode, name: string, isRequired: boolean) {
    this.#owner = owner;
    this.name = name;
    this.isRequired = isRequired;
    this.check = (value, budget) => {
      this.check = this.node.check;
      return this.check(value, budget);
    };
  }

  get node(): ValidatorNode {
    this.#node ??= this.#owner.make(this.name);
    return this.#node;
  }
}

function partsOf(source: SchemaSource, name: string, mode: ValidationMode): readonly ValidatorNode[] {
  const parts = schemasOf(source, name);
  return parts.length === 0 ? NO_NODES : parts.map((part) => new ValidatorNode(part, mode));
}

/** Keywords that do not restrict values beyond a type. */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'title',
  'default',
  'example',
  'externalDocs',
  'nullable',
]);
const SHARED_TYPES: ReadonlySet<string> = new Set(['', 'object', 'array', 'string', 'integer', 'number', 'boolean']);
const shared = new Map<string, ValidatorNode>();

/** The node of a source. Sources that only declare a type share one node: `mode` makes no difference for them. */
export function validatorNode(source: SchemaSource, mode: ValidationMode): ValidatorNode {
  for (const name in source) if (!PLAIN_KEYWORDS.has(name)) return new ValidatorNode(source, mode);
  const type = textOf(source, 'type');
  if (!SHARED_TYPES.has(type)) return new ValidatorNode(source, mode);
  const nullable = flagOf(source, 'nullable');
  const key = `${type}|${nullable}`;
  let node = shared.get(key);
  if (node === undefined) {
    node = new ValidatorNode({ type, nullable }, mode);
    shared.set(key, node);
  }
  return node;
}
