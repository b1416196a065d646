/**
 * The controller of flow schemas and priority levels. It matches requests to flow schemas, sets the condition Dangling
 * of each schema, and ensures the default objects once a minute.
 * Invariant: `match` is synchronous. It returns undefined until `start` has resolved.
 */
import { objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { isConflict, isNotFound } from '../../apimachinery/status/status.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import type { Flow, FlowMatcher } from '../../server/flow-matcher.ts';
import type { RequestInfo } from '../../server/http/request-info.ts';
import type { Lister } from '../../server/own/lister.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import type { ObjectEnsurer } from '../ensurer/object-ensurer.ts';
import { danglingCondition } from './dangling-condition.ts';
import { type DefaultFlow, defaultFlowSchemas, defaultPriorityLevels } from './default-flows.ts';
import { FlowIndex, levelNames, priorityLevelOf } from './flow-index.ts';
import { FLOW_STATUS_MANAGER, flowObjects } from './flow-objects.ts';
import { isObsolete, reviseFlow } from './revise-flow.ts';

const ENSURE_INTERVAL_MS = 60_000;

export interface FlowControllerOptions {
  readonly schemas: Lister;
  readonly levels: Lister;
  /** Writes the status of flow schemas. */
  readonly schemaWriter: Pick<OwnWriter, 'applyStatus'>;
  /** Ensures the default objects. */
  readonly ensurer: ObjectEnsurer;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether no object may be written: neither conditions nor default objects. Default false. */
  readonly readOnly?: boolean;
}

export class FlowController implements FlowMatcher {
  readonly #options: FlowControllerOptions;
  #index: FlowIndex | undefined;
  #subscriptions: readonly { stop(): void }[] = [];
  #timer: Timer | undefined;
  /**
   * Schemas, by uid and resourceVersion, whose condition is being written. Every write is a change of the lister, which
   * checks all schemas again.
   */
  readonly #writing = new Set<string>();
  #stopped = false;

  constructor(options: FlowControllerOptions) {
    this.#options = options;
  }

  match(user: UserInfo, info: RequestInfo): Flow | undefined {
    return this.#index?.match(user, info);
  }

  /** Called once. Rejects if the objects cannot be read. */
  async start(): Promise<void> {
    const { schemas, levels, readOnly = false } = this.#options;
    await Promise.all([schemas.fresh(), levels.fresh()]);
    if (this.#stopped) return;
    if (readOnly) {
      this.#rebuild();
      return;
    }
    const onChange = (): void => this.#rebuild();
    this.#subscriptions = [levels.subscribe(onChange), schemas.subscribe(onChange)];
    this.#rebuild();
    this.#scheduleEnsure();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    for (const subscription of this.#subscriptions) subscription.stop();
  }

  #rebuild(): void {
    const schemas = this.#options.schemas.list();
    const levels = this.#options.levels.list();
    this.#index = new FlowIndex(schemas, levels);
    if (this.#subscriptions.length === 0) return;
    const names = levelNames(levels);
    for (const schema of schemas) {
      const condition = outdatedCondition(schema, names, this.#options.clock.now());
      if (condition !== undefined) void this.#writeCondition(schema, condition);
    }
  }

  /**
   * A conflict means that the schema has changed; the lister reports that change, and the condition is checked again.
   */
  async #writeCondition(schema: JsonObject, condition: JsonObject): Promise<void> {
    const [name, uid] = [textAt(schema, 'metadata', 'name'), textAt(schema, 'metadata', 'uid')];
    const resourceVersion = textAt(schema, 'metadata', 'resourceVersion');
    const state = `${uid} ${resourceVersion}`;
    if (this.#writing.has(state)) return;
    this.#writing.add(state);
    try {
      await this.#options.schemaWriter.applyStatus(
        { namespace: '', name },
        { conditions: [condition] },
        { preconditions: { uid, resourceVersion }, fieldManager: FLOW_STATUS_MANAGER },
      );
    } catch (caught) {
      if (this.#stopped || isConflict(caught) || isNotFound(caught)) return;
      const fields = { name, reason: toError(caught).message };
      this.#options.logger.warn('cannot write the status of a flow schema; its next change tries again', fields);
    } finally {
      this.#writing.delete(state);
    }
  }

  #scheduleEnsure(): void {
    const { clock, logger } = this.#options;
    const run = async (): Promise<void> => {
      try {
        await this.#ensure();
      } catch (caught) {
        const fields = { reason: toError(caught).message };
        if (!this.#stopped)
          logger.warn(
            'cannot ensure the default flow schemas and priority levels; the next minute tries again',
            fields,
          );
      }
      if (!this.#stopped) this.#scheduleEnsure();
    };
    this.#timer = clock.setTimer(ENSURE_INTERVAL_MS, () => void run(), { background: true });
  }

  async #ensure(): Promise<void> {
    const { schemas, levels, ensurer, clock } = this.#options;
    const own = [
      { plural: 'prioritylevelconfigurations', lister: levels, defaults: defaultPriorityLevels() },
      { plural: 'flowschemas', lister: schemas, defaults: defaultFlowSchemas() },
    ];
    if (!own.some(({ lister, defaults }) => isOutdated(lister, defaults))) return;
    await ensurer.ensure(flowObjects(clock.now()));
    for (const { plural, lister, defaults } of own)
      for (const stored of lister.list()) if (isObsolete(stored, defaults)) await ensurer.remove(plural, stored);
  }
}

/** Usually nothing is outdated. The listers show that without a read from storage. */
function isOutdated(lister: Lister, defaults: readonly DefaultFlow[]): boolean {
  return (
    lister.list().some((stored) => isObsolete(stored, defaults)) ||
    defaults.some((flow) => {
      const stored = lister.get('', flow.name);
      return stored === undefined || reviseFlow(stored, flow) !== undefined;
    })
  );
}

/** Returns the condition that the schema should have, and undefined if it has it. */
function outdatedCondition(schema: JsonObject, levels: ReadonlySet<string>, now: number): JsonObject | undefined {
  const wanted = danglingCondition(priorityLevelOf(schema), !levels.has(priorityLevelOf(schema)), now);
  const present = objectsAt(schema, 'status', 'conditions').find(({ type }) => type === 'Dangling') ?? {};
  const isCurrent = ['status', 'reason', 'message'].every((name) => present[name] === wanted[name]);
  return isCurrent ? undefined : wanted;
}
