/**
 * Follows the flow schemas and priority levels: requests are matched to them, and each schema is told whether its level exists. Invariant: matching never waits; before
 * `start` has ended nothing is known. What the server has of its own is put right once a minute, so that nobody can delete it for long.
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
import type { StoredObjects } from '../ensurer/object-ensurer.ts';
import { danglingCondition } from './dangling-condition.ts';
import { type DefaultFlow, defaultFlowSchemas, defaultPriorityLevels } from './default-flows.ts';
import { FlowIndex, levelNames, priorityLevelOf } from './flow-index.ts';
import { flowObjects } from './flow-objects.ts';
import { isAbandoned, reviseFlow } from './revise-flow.ts';

/** The field manager of the conditions, as in the reference. */
export const FLOW_CONTROL_MANAGER = 'api-priority-and-fairness-config-consumer-v1';
const ENSURE_INTERVAL_MS = 60_000;

export interface FlowControllerOptions {
  readonly schemas: Lister;
  readonly levels: Lister;
  /** Writes the status of flow schemas. */
  readonly schemaWriter: Pick<OwnWriter, 'updateStatus'>;
  /** For what the server has of its own. */
  readonly objects: StoredObjects;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class FlowController implements FlowMatcher {
  readonly #options: FlowControllerOptions;
  #index: FlowIndex | undefined;
  #subscriptions: readonly { stop(): void }[] = [];
  #timer: Timer | undefined;
  /** States whose condition is being written: every write is a change, which asks for all of them again. */
  readonly #writing = new Set<string>();
  #stopped = false;

  constructor(options: FlowControllerOptions) {
    this.#options = options;
  }

  match(user: UserInfo, info: RequestInfo): Flow | undefined {
    return this.#index?.match(user, info);
  }

  /** Once. Rejects if the objects cannot be read. */
  async start(): Promise<void> {
    const { schemas, levels } = this.#options;
    await Promise.all([schemas.fresh(), levels.fresh()]);
    if (this.#stopped) return;
    const changed = (): void => this.#changed();
    this.#subscriptions = [levels.subscribe(changed), schemas.subscribe(changed)];
    this.#changed();
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    for (const subscription of this.#subscriptions) subscription.stop();
  }

  #changed(): void {
    const schemas = this.#options.schemas.list();
    const levels = this.#options.levels.list();
    this.#index = new FlowIndex(schemas, levels);
    if (this.#subscriptions.length === 0) return;
    const names = levelNames(levels);
    for (const schema of schemas) {
      const condition = missingCondition(schema, names, this.#options.clock.now());
      if (condition !== undefined) void this.#writeCondition(schema, condition);
    }
  }

  /** Whatever comes between comes with another change, which asks again. */
  async #writeCondition(schema: JsonObject, condition: JsonObject): Promise<void> {
    const [name, uid] = [textAt(schema, 'metadata', 'name'), textAt(schema, 'metadata', 'uid')];
    const resourceVersion = textAt(schema, 'metadata', 'resourceVersion');
    const state = `${uid} ${resourceVersion}`;
    if (this.#writing.has(state)) return;
    this.#writing.add(state);
    try {
      await this.#options.schemaWriter.updateStatus(
        { namespace: '', name },
        (current) => {
          const others = objectsAt(current, 'status', 'conditions').filter(({ type }) => type !== 'Dangling');
          current['status'] = { conditions: [...others, condition] };
        },
        { preconditions: { uid, resourceVersion } },
      );
    } catch (caught) {
      if (this.#stopped || isConflict(caught) || isNotFound(caught)) return;
      this.#options.logger.warn('the status of a flow schema could not be written', {
        name,
        reason: toError(caught).message,
      });
    } finally {
      this.#writing.delete(state);
    }
  }

  #wait(): void {
    this.#timer = this.#options.clock.setTimer(ENSURE_INTERVAL_MS, () => void this.#putRight(), { background: true });
  }

  async #putRight(): Promise<void> {
    try {
      await this.#ensure();
    } catch (caught) {
      if (!this.#stopped)
        this.#options.logger.warn('flow schemas and priority levels could not be brought up to date', {
          reason: toError(caught).message,
        });
    }
    if (!this.#stopped) this.#wait();
  }

  async #ensure(): Promise<void> {
    const { schemas, levels, objects, clock } = this.#options;
    const own = [
      { plural: 'prioritylevelconfigurations', lister: levels, defaults: defaultPriorityLevels() },
      { plural: 'flowschemas', lister: schemas, defaults: defaultFlowSchemas() },
    ];
    if (!own.some(({ lister, defaults }) => needsCare(lister, defaults))) return;
    const writes = await objects.bringUpToDate(flowObjects(clock.now()));
    await Promise.all(writes.map((write) => write()));
    for (const { plural, lister, defaults } of own)
      for (const stored of lister.list()) if (isAbandoned(stored, defaults)) await objects.remove(plural, stored);
  }
}

/** Mostly nothing is to be done, which the listers tell without a read. */
function needsCare(lister: Lister, defaults: readonly DefaultFlow[]): boolean {
  return (
    lister.list().some((stored) => isAbandoned(stored, defaults)) ||
    defaults.some((flow) => {
      const stored = lister.get('', flow.name);
      return stored === undefined || reviseFlow(stored, flow) !== undefined;
    })
  );
}

/** What the schema's status should say; undefined if it says so already. */
function missingCondition(schema: JsonObject, levels: ReadonlySet<string>, now: number): JsonObject | undefined {
  const wanted = danglingCondition(priorityLevelOf(schema), !levels.has(priorityLevelOf(schema)), now);
  const present = objectsAt(schema, 'status', 'conditions').find(({ type }) => type === 'Dangling') ?? {};
  const says = ['status', 'reason', 'message'].every((name) => present[name] === wanted[name]);
  return says ? undefined : wanted;
}
