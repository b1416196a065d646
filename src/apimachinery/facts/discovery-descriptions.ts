/** The descriptions of the types of apidiscovery.k8s.io and of `/version`. */
export const DISCOVERY_DESCRIPTIONS = `
APIGroupDiscovery: One API group with its versions and their resources.
APIGroupDiscovery.versions: The versions of the group, in order of preference.
APIGroupDiscoveryList: All API groups, with their versions and resources, in one answer.
APIResourceDiscovery: One resource of a version.
APIResourceDiscovery.resource: The plural name, as in paths.
APIResourceDiscovery.responseKind: The kind of the objects that the resource returns. An empty one means that only
  subresources exist.
APIResourceDiscovery.scope: Whether objects are in a namespace: "Namespaced" or "Cluster".
APIResourceDiscovery.singularResource: The singular name, for command lines.
APIResourceDiscovery.verbs: The supported verbs.
APIResourceDiscovery.shortNames: Short names for command lines, such as "po".
APIResourceDiscovery.categories: Groups of resources that a command line can name, such as "all".
APIResourceDiscovery.subresources: The subresources.
APISubresourceDiscovery: One subresource of a resource.
APISubresourceDiscovery.subresource: The name, as in paths: "status".
APISubresourceDiscovery.responseKind: The kind of the objects that the subresource returns. Absent if it returns no object.
APISubresourceDiscovery.acceptedTypes: The kinds that requests to the subresource may contain.
APISubresourceDiscovery.verbs: The supported verbs.
APIVersionDiscovery: One version of a group.
APIVersionDiscovery.version: The version, such as "v1".
APIVersionDiscovery.resources: The resources of the version.
APIVersionDiscovery.freshness: "Current", or "Stale" if the server of the version did not answer and this is an earlier
  answer.
`;

export const VERSION_DESCRIPTIONS = `
Info: The version of the server.
Info.major: The major version of Kubernetes that the API follows.
Info.minor: The minor version of Kubernetes that the API follows.
Info.emulationMajor: The major version that the server behaves as.
Info.emulationMinor: The minor version that the server behaves as.
Info.minCompatibilityMajor: The oldest major version that the server can run beside.
Info.minCompatibilityMinor: The oldest minor version that the server can run beside.
Info.gitVersion: The full version, such as "v1.36.3".
Info.gitCommit: The commit that the server was built from.
Info.gitTreeState: Whether that commit was changed before the build: "clean" or "dirty".
Info.buildDate: The time of the build.
Info.goVersion: The runtime of the server.
Info.compiler: The compiler of the server.
Info.platform: Operating system and processor, such as "linux/amd64".
`;
