/** Discovery and REST mapping. */
import { type DiscoveredGroup, preferredResources, resourcesOf } from '../../../src/client/index.ts';
import type { Scenario } from '../scenario.ts';

const WORDS = [
  'po',
  'pods',
  'Pod',
  'deploy',
  'deployments.apps',
  'Deployment.v1.apps',
  'hpa',
  'events',
  'events.events.k8s.io',
  'crd',
  'ing',
  'netpol',
  'cj',
  'sts',
  'ns',
  'sc',
  'csr',
  'lease',
  'pods.v2',
  'nothing',
  'deployments.nothing.example.com',
];

export const discovery: Scenario = {
  name: 'discovery',
  async run({ discovery, step, note }) {
    for (const word of WORDS) await step(word, () => discovery.kindFor(word));
    await step('the kind of an owner', () => discovery.kindOf('apps/v1', 'ReplicaSet'));
    await step('an unknown kind', () => discovery.kindOf('apps/v1', 'Nothing'));
    await step('an unknown group', () => discovery.kindOf('nothing.example.com/v1', 'Nothing'));
    const published = await discovery.snapshot();
    const snapshot = { ...published, groups: published.groups.map(withoutOwnVersions) };
    note(
      'groups',
      snapshot.groups.map(({ name, versions }) => `${name}: ${versions.map(({ version }) => version)}`).sort(),
    );
    note('unavailable', snapshot.unavailable);
    note(
      'resources',
      resourcesOf(snapshot)
        .map((resource) => ({ ...resource, verbs: [...resource.verbs].sort() }))
        .sort(byPath),
    );
    note(
      'what a garbage collector follows',
      preferredResources(snapshot, { verbs: ['list', 'watch', 'delete'] })
        .map(({ group, version, plural }) => `${group}/${version}/${plural}`)
        .sort(),
    );
    note('a second read is the same value', (await discovery.refresh()) === published);
  },
};

/** We serve definitions in v1beta1 too, which the reference removed (docs/compatibility.md). */
function withoutOwnVersions(group: DiscoveredGroup): DiscoveredGroup {
  if (group.name !== 'apiextensions.k8s.io') return group;
  return { ...group, versions: group.versions.filter(({ version }) => version !== 'v1beta1') };
}

function byPath(a: { group: string; version: string; plural: string }, b: typeof a): number {
  const path = ({ group, version, plural }: typeof a): string => `${group}/${version}/${plural}`;
  return path(a) < path(b) ? -1 : 1;
}
