/** Operators that run against one control plane, each test in a namespace of its own. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Api } from '../../src/client/api.ts';
import type { ManagerOptions, Operator } from '../../src/controller/index.ts';
import { ConfigMap, Namespace } from '../../src/kinds/api/core/v1.ts';
import { Foo, LogLines, startPlane, type TestPlane, until } from './plane.fixtures.ts';

export interface RunningOperator {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export interface TestOperators {
  readonly plane: TestPlane;
  readonly namespace: string;
  readonly log: LogLines;
  readonly foos: Api<Foo>;
  readonly configMaps: Api<ConfigMap>;
  /** Runs an operator until the end of the test. Its cache has the objects of the test's namespace. */
  run<T>(built: Operator<T>, options?: Partial<ManagerOptions>): RunningOperator;
  /** Creates a Foo after the operators have started, so that none sees it in its initial list. */
  newFoo(name: string, spec?: Foo['spec']): ReturnType<Api<Foo>['create']>;
}

let count = 0;

/** Call it at the top of a test file. The returned function gives the tools of the test that runs. */
export function testOperators(): () => TestOperators {
  let plane: TestPlane;
  let tools: TestOperators;
  let running: RunningOperator[] = [];
  beforeAll(async () => {
    plane = await startPlane();
  });
  afterAll(() => plane.stop());
  beforeEach(async () => {
    const namespace = `test-${count++}`;
    const { client, clock } = plane;
    await client.api(Namespace).create({ metadata: { name: namespace } });
    const log = new LogLines();
    running = [];
    tools = {
      plane,
      namespace,
      log,
      foos: client.api(Foo, namespace),
      configMaps: client.api(ConfigMap, namespace),
      run: (built, options = {}) => {
        const stop = new AbortController();
        const common = { client, clock, logger: log, cache: { namespace } };
        const ended = built.run({ ...common, ...options, signal: stop.signal });
        ended.catch(() => undefined);
        running.push({ stop, ended });
        return { stop, ended };
      },
      newFoo: async (name, spec = {}) => {
        await until(() => log.of('the caches have synced').length >= running.length, 'the first list');
        return client.api(Foo, namespace).create({ metadata: { name }, spec });
      },
    };
  });
  afterEach(async () => {
    for (const { stop, ended } of running) {
      stop.abort();
      await ended.catch(() => undefined);
    }
  });
  return () => tools;
}
