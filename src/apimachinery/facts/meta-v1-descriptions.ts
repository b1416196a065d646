/** The descriptions of the types of meta.k8s.io/v1 and of the scalars that have names. */
export const META_V1_DESCRIPTIONS = `
# The fields of every kind, and of every list. Conformance tests search for the first words of some of them.
*.apiVersion: APIVersion defines the group and version in which the object is written, such as "apps/v1". The core group
  has no name: "v1".
*.kind: The kind of the object in CamelCase, such as "Deployment".
*.metadata: Standard object's metadata: name, namespace, labels, annotations, and what the server records about the
  object.
*.spec: The wanted state of the object.
*.status: The observed state of the object. Set by controllers.
*List.apiVersion: APIVersion defines the group and version in which the list is written, such as "apps/v1".
*List.kind: The kind of the list in CamelCase, such as "DeploymentList".
*List.metadata: Standard list metadata: the version of the list, and the token of the next page.
*List.items: The objects of the list.

# Named scalars and values without a fixed type.
Quantity: A number with an optional suffix: "250m" is 0.25, "1500Mi" is 1500 times 1024 times 1024. Suffixes are m, k, M,
  G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent such as "12e6".
IntOrString: An integer or a string, such as 8080 or "http", 2 or "25%".
RawExtension: Any object, as JSON.
FieldsV1: A set of fields as nested JSON objects. A key is "f:" with the name of a field, "k:" with the keys of a list item,
  "v:" with the value of an item, or "i:" with a position; "." stands for the object itself.
Time: A time in RFC 3339, in whole seconds.
MicroTime: A time in RFC 3339, in microseconds.
Duration: A length of time, such as "1h30m" or "500ms".
Patch: A change of an object, in the form that the content type names.

APIGroup: One API group with its versions, as discovery lists it.
APIGroup.name: The name of the group, such as "apps".
APIGroup.versions: The served versions of the group, in order of preference.
APIGroup.preferredVersion: The version that clients should use.
APIGroup.serverAddressByClientCIDRs: Addresses of the server for clients in certain networks. Empty here.
APIGroupList: All API groups, as discovery lists them.
APIGroupList.groups: The groups, except for the core group.
APIResource: One resource of a group-version, as discovery lists it.
APIResource.name: The plural name, as in paths. Subresources are "pods/log".
APIResource.singularName: The singular name, for command lines.
APIResource.namespaced: Whether objects of the resource are in a namespace.
APIResource.group: The group of \`kind\`. Default: the group of the list.
APIResource.version: The version of \`kind\`. Default: the version of the list.
APIResource.kind: The kind of the objects that the resource accepts and returns.
APIResource.verbs: The supported verbs, such as "get" and "list".
APIResource.shortNames: Short names for command lines, such as "po".
APIResource.categories: Groups of resources that a command line can name, such as "all".
APIResource.storageVersionHash: A hash of the version in which objects are stored. It changes with that version.
APIResourceList: The resources of one group-version.
APIResourceList.groupVersion: The group and version, such as "apps/v1".
APIResourceList.resources: The resources and subresources.
APIVersions: The versions of the core group.
APIVersions.versions: The served versions.
APIVersions.serverAddressByClientCIDRs: Addresses of the server for clients in certain networks.
Condition: One aspect of the state of an object.
Condition.type: The name of the aspect in CamelCase, with an optional domain: "Ready", "example.com/Synced".
Condition.status: Whether the condition holds: "True", "False" or "Unknown".
Condition.observedGeneration: The \`metadata.generation\` of the object that the condition describes. An older one than
  the present means that the condition is out of date.
Condition.lastTransitionTime: The time at which \`status\` last changed.
Condition.reason: A CamelCase word for the cause of the last change, for programs.
Condition.message: Details about the last change, for people. It may be empty.
CreateOptions: Options of a create request, sent as query parameters.
CreateOptions.dryRun: "All" runs every step of the request except for the write to storage.
CreateOptions.fieldManager: The manager that owns the written fields. At most 128 printable characters. Default: the
  part of the user agent before the first slash.
CreateOptions.fieldValidation: What happens to unknown and duplicate fields of the body: "Ignore" drops them, "Warn" drops
  them with a warning, "Strict" refuses the request. Default: "Warn".
DeleteOptions: Options of a delete request, sent as body or as query parameters.
DeleteOptions.gracePeriodSeconds: The number of seconds that the object gets to end. 0 deletes it at once. Default: the
  grace period of the kind.
DeleteOptions.preconditions: Conditions for the deletion. If one does not hold, the answer is a conflict.
DeleteOptions.orphanDependents: Whether dependents stay. It cannot be used together with \`propagationPolicy\`.
  Deprecated: use \`propagationPolicy\` instead.
DeleteOptions.propagationPolicy: What happens to dependents. "Orphan" keeps them, "Background" deletes them afterwards,
  "Foreground" deletes them before the object. Default: the choice of the kind and of the finalizers of the object.
DeleteOptions.dryRun: "All" runs every step of the request except for the write to storage.
DeleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Whether to delete an object that cannot be read from
  storage, for example because its encryption key is lost. Finalizers and preconditions are then skipped. Default: false.
FieldSelectorRequirement: A condition on the value of a field.
FieldSelectorRequirement.key: The selectable field, such as "metadata.name".
FieldSelectorRequirement.operator: The comparison: "In", "NotIn", "Exists" or "DoesNotExist".
FieldSelectorRequirement.values: The values for "In" and "NotIn", at least one. Empty for the other operators.
GetOptions: Options of a get request, sent as query parameters.
GetOptions.resourceVersion: How old the answer may be. "0" allows any state that the server has in memory, another value
  a state at least as new. Default: the newest state.
GroupResource: A resource of any version.
GroupResource.group: The API group. Empty for the core group.
GroupResource.resource: The plural name of the resource.
GroupVersionForDiscovery: One version of a group.
GroupVersionForDiscovery.groupVersion: The group and version, such as "apps/v1".
GroupVersionForDiscovery.version: The version alone, such as "v1".
GroupVersionKind: The full name of a kind.
GroupVersionKind.group: The API group. Empty for the core group.
GroupVersionKind.version: The version, such as "v1".
GroupVersionKind.kind: The kind in CamelCase.
GroupVersionResource: The full name of a resource.
GroupVersionResource.group: The API group. Empty for the core group.
GroupVersionResource.version: The version, such as "v1".
GroupVersionResource.resource: The plural name of the resource.
LabelSelector: A selection of objects by their labels. All conditions must hold; without any, every object is selected.
LabelSelector.matchLabels: Labels that an object must have, with these values.
LabelSelector.matchExpressions: Further conditions on labels.
LabelSelectorRequirement: A condition on one label.
LabelSelectorRequirement.key: The key of the label.
LabelSelectorRequirement.operator: The comparison: "In", "NotIn", "Exists" or "DoesNotExist".
LabelSelectorRequirement.values: The values for "In" and "NotIn", at least one. Empty for the other operators.
ListMeta: The metadata of a list.
ListMeta.selfLink: An address of the list. No longer set. Deprecated: build the path from group, version and resource.
ListMeta.resourceVersion: The version of the collection that the list shows. A watch from it misses nothing.
ListMeta.continue: The token of the next page, for the query parameter of the same name. Empty on the last page.
ListMeta.remainingItemCount: The number of objects on later pages, if the server knows it. It is absent with selectors.
ListMeta.shardInfo: The shard that the list shows, if the request has chosen one.
ListOptions: Options of list and watch requests, sent as query parameters.
ListOptions.labelSelector: Returns only objects whose labels match: "app=web,tier notin (cache)". Default: all objects.
ListOptions.fieldSelector: Returns only objects whose fields match: "status.phase=Running". A kind supports few fields.
  Default: all objects.
ListOptions.watch: Whether to stream changes instead of returning a list. Default: false.
ListOptions.allowWatchBookmarks: Whether a watch sends events of the type BOOKMARK, which have only a version to resume
  from. Default: false.
ListOptions.resourceVersion: The version that a watch starts after, or how old a list may be. "0" allows any state that
  the server has in memory. Default: the newest state.
ListOptions.resourceVersionMatch: How a list uses \`resourceVersion\`: "NotOlderThan" or "Exact".
ListOptions.timeoutSeconds: The number of seconds after which a list fails and a watch ends.
ListOptions.limit: The highest number of objects in one answer. The others follow with \`continue\`. Default: no limit.
ListOptions.continue: The token of the page to return, from the metadata of the page before it. Tokens expire after some
  minutes; the answer is then 410.
ListOptions.sendInitialEvents: Whether a watch begins with the present objects as ADDED events, and ends them with an
  annotated bookmark. It needs \`allowWatchBookmarks\` and \`resourceVersionMatch\`.
ListOptions.shardSelector: Returns only the objects of one shard, chosen by a range of hash values.
ManagedFieldsEntry: The fields that one manager has set in one way.
ManagedFieldsEntry.manager: The name of the manager: a program or a controller.
ManagedFieldsEntry.operation: How the fields were set: "Apply" by server-side apply, "Update" by all other requests.
ManagedFieldsEntry.apiVersion: The group and version in which \`fieldsV1\` is written.
ManagedFieldsEntry.time: The time of the last change of this entry.
ManagedFieldsEntry.fieldsType: The format of the fields. Only "FieldsV1" exists.
ManagedFieldsEntry.fieldsV1: The fields, as nested names.
ManagedFieldsEntry.subresource: The subresource that the request used. Empty for the object itself.
ObjectMeta: The metadata of every stored object.
ObjectMeta.name: The name of the object, unique per resource within the namespace. Immutable.
ObjectMeta.generateName: A prefix to which the server adds five random characters if \`name\` is empty.
ObjectMeta.namespace: The namespace of the object. Empty for cluster-scoped kinds. Immutable. Default: the namespace in
  the path of the request.
ObjectMeta.selfLink: An address of the object. No longer set. Deprecated: build the path from group, version and resource.
ObjectMeta.uid: A UUID that tells this object from others of the same name, earlier ones included. Set by the server.
ObjectMeta.resourceVersion: The version of the object in storage. It changes with every write. An update that sends an
  outdated one is refused with a conflict; compare it only for equality.
ObjectMeta.generation: A number that the server increases with every change of the wanted state, the spec in most
  kinds.
ObjectMeta.creationTimestamp: CreationTimestamp is a timestamp of the creation of the object. Set by the server; clients
  cannot change it.
ObjectMeta.deletionTimestamp: The time at which the object is, or was, due to be gone. Set by the server when a deletion is
  requested. The object stays until its finalizers are removed.
ObjectMeta.deletionGracePeriodSeconds: The number of seconds that the object was given to end. Set by the server together
  with \`deletionTimestamp\`; it can only become shorter.
ObjectMeta.labels: Keys and values by which objects are organized and selected. Values have at most 63 characters.
ObjectMeta.annotations: Keys and values for tools and people. They cannot be used in selectors; together they have at most
  256 KiB.
ObjectMeta.ownerReferences: The objects that this one depends on. Garbage collection deletes it when all of them are gone.
  At most one is the controller.
ObjectMeta.finalizers: Names of tasks that must be done before the object can be removed. Each is removed by the controller
  that did its task.
ObjectMeta.managedFields: The fields that each manager owns, for server-side apply. Kept by the server; an empty list
  resets it.
OwnerReference: A reference to an owner in the same namespace, or to a cluster-scoped one.
OwnerReference.apiVersion: The group and version of the owner.
OwnerReference.kind: The kind of the owner.
OwnerReference.name: The name of the owner.
OwnerReference.uid: The uid of the owner. An owner with another uid counts as absent.
OwnerReference.controller: Whether this owner is the controller of the object. Default: false.
OwnerReference.blockOwnerDeletion: Whether foreground deletion of the owner waits for this object. Setting it needs the
  permission to update the finalizers of the owner. Default: false.
PartialObjectMetadata: The metadata of an object of any kind, without the rest of it.
PartialObjectMetadataList: A list of metadata of objects of any kind.
PatchOptions: Options of a patch request, sent as query parameters.
PatchOptions.dryRun: "All" runs every step of the request except for the write to storage.
PatchOptions.force: Whether an apply takes over fields that other managers own, instead of failing with a conflict. Only
  for apply. Default: false.
PatchOptions.fieldManager: The manager that owns the written fields, at most 128 printable characters. Apply requires it.
  Default: the part of the user agent before the first slash.
PatchOptions.fieldValidation: What happens to unknown and duplicate fields of the result: "Ignore" drops them, "Warn" drops
  them with a warning, "Strict" refuses the request. Default: "Warn".
Preconditions: Conditions for a change of an object.
Preconditions.uid: The uid that the object must have.
Preconditions.resourceVersion: The resource version that the object must have.
ServerAddressByClientCIDR: An address of the server for clients of one network.
ServerAddressByClientCIDR.clientCIDR: The network of the clients, as a CIDR.
ServerAddressByClientCIDR.serverAddress: The host, with a port or without one, that these clients should use.
ShardInfo: The shard that a list shows.
ShardInfo.selector: The selector of the shard, as in the request.
Status: The outcome of a request that returns no object.
Status.status: The outcome in one word: "Success" or "Failure".
Status.message: The outcome in a sentence, for people.
Status.reason: The cause of a failure in one word, for programs, such as "NotFound".
Status.details: Further facts about the cause, which depend on \`reason\`.
Status.code: The HTTP status code.
StatusCause: One of several causes of a failure.
StatusCause.reason: The cause in one word, for programs, such as "FieldValueInvalid".
StatusCause.message: The cause in a sentence, for people.
StatusCause.field: The path of the field that is the cause, such as "spec.ports[0].name".
StatusDetails: Facts about the cause of a failure.
StatusDetails.name: The name of the object that the request was about.
StatusDetails.group: The API group of the object.
StatusDetails.kind: The kind or resource of the object.
StatusDetails.uid: The uid of the object, if there is exactly one.
StatusDetails.causes: All causes, such as each invalid field.
StatusDetails.retryAfterSeconds: The number of seconds to wait before a retry.
Table: Objects as rows of a table, for people. Returned if the client accepts it.
Table.columnDefinitions: The columns.
Table.rows: The rows, in the order of the list.
TableColumnDefinition: One column of a \`Table\`.
TableColumnDefinition.name: The heading of the column.
TableColumnDefinition.type: The OpenAPI type of the cells, such as "integer" or "string".
TableColumnDefinition.format: The OpenAPI format of the cells. "name" marks the column with the name of the object.
TableColumnDefinition.description: An explanation of the column, for people.
TableColumnDefinition.priority: How important the column is. Columns with 0 are always shown, higher ones only in wide
  output.
TableRow: One row of a \`Table\`.
TableRow.cells: The values, one for each column. A value may be null.
TableRow.conditions: Conditions of the object that affect how the row is shown.
TableRow.object: The object of the row: its metadata, all of it or nothing, as the query parameter includeObject says.
TableRowCondition: A condition of the object of a row.
TableRowCondition.type: The name of the condition. Only "Completed" exists.
TableRowCondition.status: Whether the condition holds: "True", "False" or "Unknown".
TableRowCondition.reason: A word for the cause.
TableRowCondition.message: Details, for people.
UpdateOptions: Options of an update request, sent as query parameters.
UpdateOptions.dryRun: "All" runs every step of the request except for the write to storage.
UpdateOptions.fieldManager: The manager that owns the written fields. At most 128 printable characters. Default: the
  part of the user agent before the first slash.
UpdateOptions.fieldValidation: What happens to unknown and duplicate fields of the body: "Ignore" drops them, "Warn" drops
  them with a warning, "Strict" refuses the request. Default: "Warn".
WatchEvent: One event of a watch.
WatchEvent.type: The sort of event: "ADDED", "MODIFIED", "DELETED", "BOOKMARK" or "ERROR".
WatchEvent.object: The object after the change, before it for a deletion, with only a version for a bookmark, or a
  \`Status\` for an error.
`;
