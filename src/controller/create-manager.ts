/** The implementation of the manager. `manager.ts` has its interface. */
import { type Clock, systemClock } from '../base/clock.ts';
import { BugError, ConfigError, toError } from '../base/errors.ts';
import { Lifetime, type Stoppable } from '../base/lifetime.ts';
import type { Logger } from '../base/logger.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import type { Client } from '../client/api.ts';
import { createClient } from '../client/create-client.ts';
import { createEventRecorder, type EventRecorder } from '../client/events/event-recorder.ts';
import type { InformerSet } from '../client/informer.ts';
import { createInformerSet } from '../client/informer-set.ts';
import { runLeaderElection } from '../client/leader-election.ts';
import { type CachedReader, ManagerCache, raceAbort } from './cache.ts';
import { consoleLogger } from './console-logger.ts';
import { Controller, type ControllerHost } from './controller.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import type { OperatorDefinition } from './definition.ts';
import type { Manager, ManagerOptions } from './manager.ts';
import { createManagerPages, type HealthCheck, type PageHandler } from './manager-pages.ts';
import { ManagerRun } from './manager-run.ts';
import { OperatorClient } from './operator-client.ts';
import { OwnWrites } from './own-writes.ts';
import { ReconcileJournal } from './reconcile-journal.ts';
import { formatMilliseconds, toMilliseconds } from './result.ts';
import type { Runnable } from './runnable.ts';

/** Creates a manager. Nothing is sent before `run`. Throws ConfigError if neither a transport nor a client is given. */
export function createManager(options: ManagerOptions): Manager {
  return new SharedManager(options);
}

const DEFAULT_STOP_GRACE = '30s';

class SharedManager implements Manager {
  readonly client: Client;
  readonly cache: CachedReader;
  readonly metrics: MetricRegistry;
  readonly journal: ReconcileJournal = new ReconcileJournal();
  readonly pages: PageHandler;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stopGraceMs: number;
  readonly #informers: InformerSet;
  readonly #cache: ManagerCache;
  readonly #host: Omit<ControllerHost, 'events'>;
  readonly #recorders: EventRecorder[] = [];
  readonly #controllers = new Map<string, Controller<unknown>>();
  readonly #runnables: Runnable[] = [];
  readonly #servers: { readonly name: string; readonly start: () => Promise<Stoppable> }[] = [];
  readonly #health = new Map<string, HealthCheck>([['ping', () => undefined]]);
  readonly #ready = new Map<string, HealthCheck>();
  #running = false;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? consoleLogger();
    this.#stopGraceMs = toMilliseconds(options.stopGrace ?? DEFAULT_STOP_GRACE);
    this.metrics = options.metrics ?? new MetricRegistry();
    const client = clientOf(options);
    const writes = new OwnWrites({ clock: this.#clock });
    this.#informers = options.informers ?? this.#createInformers(client);
    this.#cache = new ManagerCache({ ...options.cache, informers: this.#informers, client, writes });
    const never = new AbortController().signal;
    this.client = new OperatorClient({ client, writes, signal: () => undefined });
    this.cache = this.#cache.reader(() => never, undefined);
    this.#host = {
      client,
      cache: this.#cache,
      writes,
      clock: this.#clock,
      log: this.#logger,
      journal: this.journal,
      metrics: new ControllerMetrics(this.metrics, this.#clock),
    };
    this.#ready.set('caches', () => this.#unsynced());
    this.pages = createManagerPages({
      health: this.#health,
      ready: this.#ready,
      registry: this.metrics,
      journal: this.journal,
    });
  }

  register<T>(definition: OperatorDefinition<T>): void {
    this.#checkNotRunning();
    const { name } = definition;
    if (this.#controllers.has(name)) throw new BugError(`the manager has an operator ${name} already`);
    const { random } = this.#options;
    const events = createEventRecorder({
      client: this.#host.client,
      component: name,
      clock: this.#clock,
      logger: this.#logger,
      ...(random === undefined ? {} : { random }),
    });
    this.#recorders.push(events);
    const controller = new Controller(definition, { ...this.#host, events });
    controller.prepare();
    this.#controllers.set(name, controller as Controller<unknown>);
    this.#runnables.push(controller);
  }

  add(runnable: Runnable): void {
    this.#checkNotRunning();
    this.#runnables.push(runnable);
  }

  addServer(name: string, start: () => Promise<Stoppable>): void {
    this.#checkNotRunning();
    this.#servers.push({ name, start });
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#health.set(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#ready.set(name, check);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.#checkNotRunning();
    this.#running = true;
    const lifetime = new Lifetime('manager');
    const run = new ManagerRun(signal);
    try {
      if (this.#options.serve !== undefined)
        await this.#startServer(lifetime, 'pages', () => this.#options.serve!(this.pages));
      for (const { name, start } of this.#servers) await this.#startServer(lifetime, name, start);
      if (this.#options.informers === undefined) lifetime.add('caches', () => this.#informers.stop());
      this.#informers.start();
      await raceAbort(this.#informers.synced(), run.signal);
      this.#logger.info('the caches have synced', { operators: [...this.#controllers.keys()].join(',') });
      run.start(this.#runnables.filter(({ needsLeader = true }) => !needsLeader));
      this.#lead(
        run,
        this.#runnables.filter(({ needsLeader = true }) => needsLeader),
      );
      await run.ended;
    } catch (caught) {
      if (!signal.aborted) run.fail(toError(caught));
    } finally {
      await this.#stop(run, lifetime);
    }
    run.throwIfFailed();
  }

  /** Runs the parts that need the lease: at once without an election, otherwise during each term as leader. */
  #lead(run: ManagerRun, runnables: readonly Runnable[]): void {
    const { leaderElection, random } = this.#options;
    if (leaderElection === undefined) {
      run.start(runnables);
      return;
    }
    const election = runLeaderElection({
      client: this.#host.client,
      options: leaderElection,
      signal: run.signal,
      clock: this.#clock,
      logger: this.#logger,
      ...(random === undefined ? {} : { random }),
      lead: (term) => run.lead(runnables, term),
    });
    void run.track('leader election', election);
  }

  async #stop(run: ManagerRun, lifetime: Lifetime): Promise<void> {
    run.stop();
    const grace = this.#clock.setTimer(this.#stopGraceMs, () => {
      this.#logger.warn('parts of the manager did not end within the grace period', {
        grace: formatMilliseconds(this.#stopGraceMs),
        parts: run.names().join(','),
      });
      run.cut(new ConfigError(`the manager stops, and ${formatMilliseconds(this.#stopGraceMs)} have passed`));
    });
    await run.settled();
    grace.cancel();
    await Promise.all(this.#recorders.map((recorder) => recorder.stop()));
    await lifetime.stop();
  }

  async #startServer(lifetime: Lifetime, name: string, start: () => Promise<Stoppable>): Promise<void> {
    const server = await start();
    lifetime.add(name, () => server.stop());
  }

  #createInformers(client: Client): InformerSet {
    const { random } = this.#options;
    return createInformerSet({
      transport: client.transport,
      clock: this.#clock,
      ...(random === undefined ? {} : { random }),
      onFailure: (error, { kind, namespace, source }) =>
        this.#logger.warn(`the cache of ${kind.kind} reports a failure`, { source, namespace, error: error.message }),
    });
  }

  /** Returns the reason why the caches are not synced, for `/readyz`; undefined if they are. */
  #unsynced(): string | undefined {
    if (!this.#running) return 'the manager is not running';
    const waiting = this.#cache.informers().filter(({ hasSynced }) => !hasSynced);
    if (waiting.length === 0) return undefined;
    return waiting
      .map(
        ({ kind, lastFailure }) =>
          `${kind.kind} has not synced${lastFailure === undefined ? '' : ` (${lastFailure.message})`}`,
      )
      .join(', ');
  }

  #checkNotRunning(): void {
    if (this.#running) throw new BugError('the manager is running already');
  }
}

function clientOf({ client, transport }: ManagerOptions): Client {
  if (client !== undefined) return client;
  if (transport === undefined)
    throw new ConfigError('a manager needs a transport or a client: `connect` of keelson/node makes a transport');
  return createClient(transport);
}
