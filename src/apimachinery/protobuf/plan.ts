/**
 * The encoding plan of a struct: its fields by number. Messages that JSON flattens into the struct are nested again. A
 * plan is made once per view on first use. Nested structs are planned when they are reached, so recursive types are
 * allowed.
 */
import { BugError } from '../../base/errors.ts';
import type { FieldView, ListView, MapView, StructView, TypeView } from '../type-view.ts';

export interface StructPlan {
  readonly name: string;
  /** In the order of the view, which is the order of JSON. `slot` is the index in this list. */
  readonly fields: readonly FieldPlan[];
  readonly message: MessagePlan;
  /** The bytes of the value with nothing set, made on first use. */
  zero: Uint8Array | undefined;
  /** True while `zero` is being made. */
  busy: boolean;
}

/** A message on the wire: the struct itself, or one that JSON flattens into it. */
export interface MessagePlan {
  /** In ascending order of numbers, which is the order on the wire. */
  readonly nodes: readonly WireNode[];
  readonly byNumber: ReadonlyMap<number, WireNode>;
}

export type WireNode =
  | { readonly kind: 'field'; readonly number: number; readonly field: FieldPlan }
  | { readonly kind: 'inline'; readonly number: number; readonly message: MessagePlan };

export interface FieldPlan {
  readonly slot: number;
  readonly name: string;
  readonly type: TypeView;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  /** Whether a list has a message around its items. */
  readonly wrapped: boolean;
}

const plans = new WeakMap<StructView, StructPlan>();

/**
 * The plan of a view. Fields without wire facts are not part of it. Throws BugError for impossible facts: a number used
 * twice, a map where only one value fits, a struct without numbered fields.
 */
export function planOf(view: StructView): StructPlan {
  let plan = plans.get(view);
  if (plan === undefined) {
    plan = compile(view);
    plans.set(view, plan);
  }
  return plan;
}

/** Whether the type has a protobuf form: a field has a number, or there are no fields. */
export function hasBinaryForm(view: StructView): boolean {
  let empty = true;
  for (const field of view.fields()) {
    if (field.wire !== undefined) return true;
    empty = false;
  }
  return empty;
}

interface Draft {
  readonly nodes: Map<number, { number: number; field: FieldPlan } | { number: number; inner: Draft }>;
}

function compile(view: StructView): StructPlan {
  if (!hasBinaryForm(view)) throw new BugError(`${view.name || 'a struct'} has no binary form`);
  const fields: FieldPlan[] = [];
  const root: Draft = { nodes: new Map() };
  for (const field of view.fields()) {
    const { wire } = field;
    if (wire === undefined) continue;
    checkType(view, field);
    const plan: FieldPlan = {
      slot: fields.length,
      name: field.name,
      type: field.type,
      pointer: wire.pointer,
      omitEmpty: wire.omitEmpty,
      omitZero: wire.omitZero === true,
      wrapped: wire.wrapped === true,
    };
    fields.push(plan);
    const draft = enclosing(view, root, wire.inline ?? []);
    if (draft.nodes.has(wire.number)) throw new BugError(`${view.name} has two fields with number ${wire.number}`);
    draft.nodes.set(wire.number, { number: wire.number, field: plan });
  }
  return { name: view.name, fields, message: finish(root), zero: undefined, busy: false };
}

function enclosing(view: StructView, root: Draft, inline: readonly number[]): Draft {
  let draft = root;
  for (const number of inline) {
    let node = draft.nodes.get(number);
    if (node === undefined) {
      node = { number, inner: { nodes: new Map() } };
      draft.nodes.set(number, node);
    }
    if (!('inner' in node))
      throw new BugError(`${view.name} has a field with the number of an inlined message, ${number}`);
    draft = node.inner;
  }
  return draft;
}

function finish(draft: Draft): MessagePlan {
  const nodes = [...draft.nodes.values()]
    .sort((a, b) => a.number - b.number)
    .map(
      (node): WireNode =>
        'field' in node
          ? { kind: 'field', number: node.number, field: node.field }
          : { kind: 'inline', number: node.number, message: finish(node.inner) },
    );
  return { nodes, byNumber: new Map(nodes.map((node) => [node.number, node])) };
}

function checkType(view: StructView, field: FieldView): void {
  const inner = innerType(field.type);
  if (inner?.kind === 'map') throw new BugError(`${view.name}.${field.name} holds a map where no message can`);
}

/** The type of one item or entry. A list there is wrapped, so its items count instead. */
function innerType(type: TypeView): TypeView | undefined {
  if (type.kind !== 'list' && type.kind !== 'map') return undefined;
  const inner: TypeView = elementOf(type);
  return inner.kind === 'list' ? innerType(inner) : inner;
}

function elementOf(type: ListView | MapView): TypeView {
  return type.kind === 'list' ? type.items : type.values;
}
