/**
 * The detector of duplicate and unknown fields, called key by key while JSON is parsed. Invariant: values that a typed
 * decoder keeps as raw bytes or skips (unknown fields, RawExtension, free JSON) are not inspected.
 */
import { formatJsonPath, type JsonFrame } from '../../base/json-parse.ts';
import { MAX_DUPLICATES } from '../../base/json-read.ts';
import { quote } from '../go-format.ts';
import type { StructView, TypeView } from '../type-view.ts';

/**
 * `free`: every key is known. `skip`: nothing is reported here or below. `operations` and `operation`: a JSON patch and
 * one of its operations, whose value is free.
 */
type Scope = TypeView | 'free' | 'skip' | 'operations' | 'operation';

const OPERATION_FIELDS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

interface FrameState {
  readonly scope: Scope;
  readonly seen: Set<string>;
}

export class StrictFieldCollector {
  readonly #root: Scope;
  readonly #problems: Set<string> = new Set();
  /** The state of each open container. Each container is a new frame, so the state is dropped with it. */
  readonly #states: WeakMap<JsonFrame, FrameState> = new WeakMap();

  /** Without a view only duplicates are found, at every level. `operations` stands for a JSON patch. */
  constructor(view: StructView | 'operations' | undefined) {
    this.#root = view ?? 'free';
  }

  /** The messages found so far, without repetition, at most as many as the reference keeps. */
  problems(): readonly string[] {
    return [...this.#problems];
  }

  onKey(key: string, frames: readonly JsonFrame[]): void {
    if (this.#problems.size >= MAX_DUPLICATES) return;
    const { scope, seen } = this.#stateOf(frames);
    if (scope === 'skip') return;
    if (!isKnown(scope, key)) {
      this.#problems.add(`unknown field ${quote(formatJsonPath(frames, key))}`);
      return;
    }
    if (seen.has(key)) this.#problems.add(`duplicate field ${quote(formatJsonPath(frames, key))}`);
    else seen.add(key);
  }

  #stateOf(frames: readonly JsonFrame[]): FrameState {
    let known = frames.length - 1;
    while (known >= 0 && !this.#states.has(frames[known] as JsonFrame)) known--;
    for (let i = known + 1; i < frames.length; i++) {
      const parent = frames[i - 1];
      const scope = parent === undefined ? this.#root : childScope(this.#scopeOf(parent), parent);
      const isArray = (frames[i] as JsonFrame).array !== undefined;
      this.#states.set(frames[i] as JsonFrame, { scope: fits(scope, isArray) ? scope : 'skip', seen: new Set() });
    }
    return this.#states.get(frames.at(-1) as JsonFrame) as FrameState;
  }

  #scopeOf(frame: JsonFrame): Scope {
    return (this.#states.get(frame) as FrameState).scope;
  }
}

function isKnown(scope: Scope, key: string): boolean {
  if (scope === 'operation') return OPERATION_FIELDS.has(key);
  if (typeof scope !== 'object' || scope.kind !== 'struct') return true;
  return scope.preserveUnknown || scope.field(key) !== undefined;
}

function fits(scope: Scope, isArray: boolean): boolean {
  if (scope === 'operations') return isArray;
  if (scope === 'operation') return !isArray;
  if (typeof scope !== 'object') return true;
  return isArray ? scope.kind === 'list' : scope.kind === 'struct' || scope.kind === 'map';
}

function childScope(scope: Scope, frame: JsonFrame): Scope {
  if (scope === 'operations') return 'operation';
  if (scope === 'operation') return frame.key === 'value' ? 'free' : 'skip';
  if (typeof scope !== 'object') return scope;
  switch (scope.kind) {
    case 'list':
      return scope.items;
    case 'map':
      return scope.values;
    case 'struct':
      return scope.field(frame.key)?.type ?? (scope.preserveUnknown ? 'free' : 'skip');
    default:
      return 'skip';
  }
}
