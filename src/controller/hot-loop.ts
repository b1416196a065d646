/**
 * The hot-loop detector. It finds keys that are reconciled again and again although their spec does not change.
 * Failures do not count, because they are already reported and delayed. A key is reported once, and again only after a
 * window without a hot loop.
 */
import { diffJson } from '../apimachinery/patch/json-patch-diff.ts';
import { unescapePointerToken } from '../apimachinery/patch/json-pointer.ts';
import type { JsonObject, JsonValue } from '../base/json-value.ts';
import type { ObjectKey } from '../client/informer.ts';
import type { Stored } from '../client/object-types.ts';
import type { Reason } from './reasons.ts';

export interface HotLoopOptions {
  /** How many reconciles of one key within the window are a hot loop. Default 30. */
  readonly reconciles?: number;
  /** Default one minute. */
  readonly windowMs?: number;
}

export interface HotLoop {
  readonly reconciles: number;
  readonly windowMs: number;
  /**
   * The changes that triggered the last reconcile, such as `Deployment status.observedGeneration: 1 → 2`. Empty if the
   * reconcile requeues itself.
   */
  readonly changes: readonly string[];
}

interface Window {
  since: number;
  count: number;
  generation: number | bigint | undefined;
  reported: boolean;
}

const MAX_KEYS = 10_000;
const MAX_CHANGES = 10;
const MAX_VALUE = 60;
/** Fields that change with every write. */
const ALWAYS_CHANGING = new Set(['/metadata/resourceVersion', '/metadata/generation', '/metadata/managedFields']);

export class HotLoopDetector {
  readonly #limit: number;
  readonly #windowMs: number;
  /** The current window of each key, the oldest first. The oldest windows are dropped first. */
  readonly #windows = new Map<ObjectKey, Window>();

  constructor(options: HotLoopOptions = {}) {
    this.#limit = options.reconciles ?? 30;
    this.#windowMs = options.windowMs ?? 60_000;
  }

  /** Counts a reconcile. Returns the hot loop if the key has just become one. */
  count(key: ObjectKey, object: Stored<unknown>, reasons: readonly Reason[], now: number): HotLoop | undefined {
    const { generation } = object.metadata;
    const window = this.#window(key, generation, now);
    if (++window.count < this.#limit || window.reported) return undefined;
    window.reported = true;
    const changes = reasons.flatMap((reason) => (reason.change === undefined ? [] : describeChange(reason.change)));
    return { reconciles: window.count, windowMs: this.#windowMs, changes: changes.slice(0, MAX_CHANGES) };
  }

  forget(key: ObjectKey): void {
    this.#windows.delete(key);
  }

  #window(key: ObjectKey, generation: Window['generation'], now: number): Window {
    const known = this.#windows.get(key);
    if (known !== undefined && known.generation === generation && now - known.since <= this.#windowMs) return known;
    // A key that stays a hot loop in the next window was reported already.
    const stillHot = known !== undefined && known.generation === generation && known.count >= this.#limit;
    const window = { since: now, count: 0, generation, reported: stillHot && known.reported };
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > MAX_KEYS) this.#windows.delete(this.#windows.keys().next().value as ObjectKey);
    return window;
  }
}

/** Describes the fields that differ. Values are shown for the status only, because other fields may contain secrets. */
export function describeChange({ kind, before, after }: NonNullable<Reason['change']>): string[] {
  const patch = diffJson(before as unknown as JsonObject, after as unknown as JsonObject);
  return patch
    .filter(({ path }) => ![...ALWAYS_CHANGING].some((field) => path === field || path.startsWith(`${field}/`)))
    .slice(0, MAX_CHANGES)
    .map((operation) => {
      const field = tokensOf(operation.path).join('.');
      if (operation.op === 'remove') return `${kind} ${field} removed`;
      if (!field.startsWith('status') || !('value' in operation)) return `${kind} ${field} changed`;
      const old = valueAt(before as unknown as JsonObject, operation.path);
      return `${kind} ${field}: ${show(old)} → ${show(operation.value)}`;
    });
}

function valueAt(object: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const token of tokensOf(pointer)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as JsonObject)[token];
  }
  return value;
}

function tokensOf(pointer: string): string[] {
  return pointer.slice(1).split('/').map(unescapePointerToken);
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return '(none)';
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part));
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
