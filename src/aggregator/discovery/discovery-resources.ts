/** Makes the lookup table of another server's resources, for kinds, verbs and scopes. */
import type { GroupVersion, GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import { objectAt, objectsAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { DiscoveryResource } from '../../server/discovery/discovery-publisher.ts';

/** `given` are the `resources` of an APIVersionDiscovery. */
export function discoveryResources(version: GroupVersion, given: readonly JsonObject[]): readonly DiscoveryResource[] {
  return given.map((resource) => ({
    plural: textAt(resource, 'resource'),
    singular: textAt(resource, 'singularResource'),
    shortNames: textsAt(resource, 'shortNames'),
    categories: textsAt(resource, 'categories'),
    scope: textAt(resource, 'scope') === 'Namespaced' ? 'Namespaced' : 'Cluster',
    kind: kindOf(version, resource),
    verbs: textsAt(resource, 'verbs'),
    storageVersionHash: '',
    subresources: objectsAt(resource, 'subresources').map((subresource) => ({
      name: textAt(subresource, 'subresource'),
      kind: kindOf(version, subresource),
      verbs: textsAt(subresource, 'verbs'),
    })),
  }));
}

/**
 * Returns the kind of a resource. If its group and version are both empty, those of the list apply. A kind of the core
 * group has a version and no group.
 */
function kindOf({ group, version }: GroupVersion, entry: JsonObject): GroupVersionKind {
  const given = objectAt(entry, 'responseKind') ?? {};
  const givenVersion = textAt(given, 'version');
  return {
    group: givenVersion === '' ? group : textAt(given, 'group'),
    version: givenVersion === '' ? version : givenVersion,
    kind: textAt(given, 'kind'),
  };
}
