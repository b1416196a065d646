/** The descriptions of the types of meta.k8s.io/v1 and of the scalars that have names. */
export const META_V1_DESCRIPTIONS = `
# Fields of every kind and list.
*.apiVersion: The group and version in which the object is written, such as apps/v1.
*.kind: The kind of the object, in CamelCase.
*.metadata: Name, labels and the other facts that every object has.
*.spec: What is wanted.
*.status: What was seen last; written by controllers.
*.items: The objects of the list.
ObjectMeta: Facts that every stored object has.
ObjectMeta.annotations: Free texts by key, for tools; they cannot be selected by.
ObjectMeta.creationTimestamp: When the object was created; set by the server.
ObjectMeta.deletionGracePeriodSeconds: How long the object was given to end when its deletion was asked for.
ObjectMeta.deletionTimestamp: When the object is to be gone; set by the server when a deletion is asked for.
ObjectMeta.finalizers: Who must finish something before the object goes.
ObjectMeta.generateName: A prefix; the server adds random characters if there is no name.
ObjectMeta.generation: Counts changes of what is wanted; set by the server.
ObjectMeta.labels: Texts by key, for selectors.
ObjectMeta.managedFields: Who wrote which fields; kept by the server.
ObjectMeta.name: Unique among the objects of this resource in the namespace; it never changes.
ObjectMeta.namespace: The namespace that the object lives in; it never changes.
ObjectMeta.ownerReferences: The objects that this one depends on; when all of them are gone, it goes too.
ObjectMeta.resourceVersion: Changes with every write; sent back, it guards against overwriting what others wrote.
ObjectMeta.selfLink: No longer used.
ObjectMeta.uid: Unique for all time; set by the server.
ListMeta: Facts about a list.
ListMeta.continue: The token of the next page; empty on the last one.
ListMeta.remainingItemCount: How many objects follow on later pages, if the server counted.
ListMeta.resourceVersion: The state of the store that the list shows; a watch may start from it.
ListMeta.selfLink: No longer used.
OwnerReference: Another object of the same namespace, or a cluster-scoped one, that owns this one.
OwnerReference.blockOwnerDeletion: The owner is not gone before this object, if it is deleted in the foreground.
OwnerReference.controller: This owner is the one that manages the object.
ManagedFieldsEntry: The fields that one manager wrote in one way.
ManagedFieldsEntry.fieldsV1: The fields as nested names.
ManagedFieldsEntry.manager: Who wrote.
ManagedFieldsEntry.operation: How: Apply or Update.
ManagedFieldsEntry.subresource: Through which subresource; empty for the object itself.
Status: What became of a request that gives no object.
Status.code: The HTTP code.
Status.details: What it is about.
Status.message: For people.
Status.reason: One word for programs.
Status.status: Success or Failure.
DeleteOptions: How an object is to be deleted.
DeleteOptions.dryRun: With All, everything is checked and nothing is deleted.
DeleteOptions.gracePeriodSeconds: How long the object is given to end; 0 is at once.
DeleteOptions.preconditions: The deletion happens only if these hold.
DeleteOptions.propagationPolicy: What happens to dependents: Orphan, Background or Foreground.
Preconditions: What must hold for a change to happen.
WatchEvent: One event of a watch.
WatchEvent.object: The object after the event; a Status for errors.
WatchEvent.type: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
Patch: A change in the form that the content type names.
Time: A time in RFC 3339, to the second.
MicroTime: A time in RFC 3339, to the microsecond.
FieldsV1: A set of fields as nested names.
`;
