import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { SILENT } from '../base/logger.ts';
import { MetricRegistry } from '../base/metrics/metric-registry.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { createManifestMetrics } from './manifest-metrics.ts';
import { nodePlatform } from './node/node-platform.ts';
import { StaticManifests } from './static-manifests.ts';

const MINUTE = 60_000;
const KIND = 'ValidatingAdmissionPolicy';

function policy(name: string): string {
  return JSON.stringify({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: KIND,
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      },
      validations: [{ expression: 'true' }],
    },
  });
}

/** A folder in memory. */
function folder(files: Map<string, string>) {
  const clock = new VirtualClock();
  const registry = new MetricRegistry();
  const errors: string[] = [];
  let changed = (): void => undefined;
  const manifests = new StaticManifests(KIND, '/m', {
    ...nodePlatform,
    clock,
    listFiles: async () => {
      if (files.size === 0) throw new ConfigError('cannot read the folder /m');
      return [...files.keys()].sort();
    },
    readFile: async (path) => files.get(path.slice('/m/'.length)),
    watchFolder: (_path, onChange) => {
      changed = onChange;
      return { stop: () => undefined };
    },
  });
  const logger = { ...SILENT, error: (message: string) => errors.push(message) };
  const metrics = createManifestMetrics(registry, clock, 'apiserver-x');
  return {
    clock,
    errors,
    manifests,
    touch: () => changed(),
    names: () => manifests.objects.list(KIND).map((object) => (object['metadata'] as { name: string }).name),
    counted: (status: string) =>
      Number(new RegExp(`automatic_reloads_total{.*status="${status}"} (\\d+)`).exec(registry.print())?.[1] ?? 0),
    hashes: () => registry.print().match(/last_config_info{/g)?.length,
    start: async () => {
      expect(await manifests.load()).toBeUndefined();
      manifests.start({ logger, metrics });
    },
    /** Lets the reads of a reload finish. */
    settle: async () => {
      for (let i = 0; i < 50; i++) await Promise.resolve();
    },
  };
}

describe('the manifest files of a plugin', () => {
  it('are read again when the folder changes and each minute', async () => {
    const files = new Map([
      ['a.yaml', policy('a.static.k8s.io')],
      ['ignored.txt', 'x'],
    ]);
    const { start, names, touch, clock, settle, counted, hashes, manifests } = folder(files);
    await start();
    expect(names()).toEqual(['a.static.k8s.io']);
    files.set('b.yml', policy('b.static.k8s.io'));
    touch();
    await settle();
    expect(names()).toEqual(['a.static.k8s.io', 'b.static.k8s.io']);
    files.delete('a.yaml');
    await clock.advance(MINUTE);
    await settle();
    expect(names()).toEqual(['b.static.k8s.io']);
    expect([counted('success'), counted('failure'), hashes()]).toEqual([3, 0, 1]);
    await manifests.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('keep the last good objects while a file is bad, and report it once', async () => {
    const files = new Map([['a.yaml', policy('a.static.k8s.io')]]);
    const { start, names, errors, clock, settle, counted, manifests } = folder(files);
    await start();
    await settle();
    files.set('a.yaml', policy('bad'));
    for (let i = 0; i < 2; i++) {
      await clock.advance(MINUTE);
      await settle();
    }
    expect(names()).toEqual(['a.static.k8s.io']);
    expect(errors).toEqual([
      'cannot use the changed admission manifests, the last good ones stay: /m/a.yaml: ValidatingAdmissionPolicy "bad": metadata.name: Invalid value: "bad": must end with ".static.k8s.io"',
    ]);
    expect([counted('success'), counted('failure')]).toEqual([1, 2]);
    files.clear();
    await clock.advance(MINUTE);
    await settle();
    expect(errors.at(-1)).toContain('cannot read the folder /m');
    files.set('a.yaml', policy('c.static.k8s.io'));
    await clock.advance(MINUTE);
    await settle();
    expect(names()).toEqual(['c.static.k8s.io']);
    await manifests.stop();
  });

  it('are refused at start', async () => {
    const { manifests } = folder(new Map([['a.yaml', policy('bad')]]));
    expect(await manifests.load()).toContain('/m/a.yaml: ValidatingAdmissionPolicy "bad": metadata.name:');
  });
});
