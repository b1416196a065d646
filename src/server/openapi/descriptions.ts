/** Descriptions of the types and fields that all kinds share, one line each. `kubectl explain` prints them. */
import { META_TYPES } from '../resource/meta-types.ts';

/** Descriptions of the top-level fields of a kind. */
const KIND_FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'The group and version in which the object is written, such as apps/v1.',
  kind: 'The kind of the object, in CamelCase.',
  metadata: 'Name, labels and the other facts that every object has.',
  spec: 'What is wanted.',
  status: 'What was seen last; written by controllers.',
  items: 'The objects of the list.',
};

const META: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ObjectMeta: {
    '': 'Facts that every stored object has.',
    annotations: 'Free texts by key, for tools; they cannot be selected by.',
    creationTimestamp: 'When the object was created; set by the server.',
    deletionGracePeriodSeconds: 'How long the object was given to end when its deletion was asked for.',
    deletionTimestamp: 'When the object is to be gone; set by the server when a deletion is asked for.',
    finalizers: 'Who must finish something before the object goes.',
    generateName: 'A prefix; the server adds random characters if there is no name.',
    generation: 'Counts changes of what is wanted; set by the server.',
    labels: 'Texts by key, for selectors.',
    managedFields: 'Who wrote which fields; kept by the server.',
    name: 'Unique among the objects of this resource in the namespace; it never changes.',
    namespace: 'The namespace that the object lives in; it never changes.',
    ownerReferences: 'The objects that this one depends on; when all of them are gone, it goes too.',
    resourceVersion: 'Changes with every write; sent back, it guards against overwriting what others wrote.',
    selfLink: 'No longer used.',
    uid: 'Unique for all time; set by the server.',
  },
  ListMeta: {
    '': 'Facts about a list.',
    continue: 'The token of the next page; empty on the last one.',
    remainingItemCount: 'How many objects follow on later pages, if the server counted.',
    resourceVersion: 'The state of the store that the list shows; a watch may start from it.',
    selfLink: 'No longer used.',
  },
  OwnerReference: {
    '': 'Another object of the same namespace, or a cluster-scoped one, that owns this one.',
    blockOwnerDeletion: 'The owner is not gone before this object, if it is deleted in the foreground.',
    controller: 'This owner is the one that manages the object.',
  },
  ManagedFieldsEntry: {
    '': 'The fields that one manager wrote in one way.',
    fieldsV1: 'The fields as nested names.',
    manager: 'Who wrote.',
    operation: 'How: Apply or Update.',
    subresource: 'Through which subresource; empty for the object itself.',
  },
  Status: {
    '': 'What became of a request that gives no object.',
    code: 'The HTTP code.',
    details: 'What it is about.',
    message: 'For people.',
    reason: 'One word for programs.',
    status: 'Success or Failure.',
  },
  DeleteOptions: {
    '': 'How an object is to be deleted.',
    dryRun: 'With All, everything is checked and nothing is deleted.',
    gracePeriodSeconds: 'How long the object is given to end; 0 is at once.',
    preconditions: 'The deletion happens only if these hold.',
    propagationPolicy: 'What happens to dependents: Orphan, Background or Foreground.',
  },
  Preconditions: { '': 'What must hold for a change to happen.' },
  WatchEvent: {
    '': 'One event of a watch.',
    object: 'The object after the event; a Status for errors.',
    type: 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.',
  },
  Patch: { '': 'A change in the form that the content type names.' },
  Time: { '': 'A time in RFC 3339, to the second.' },
  MicroTime: { '': 'A time in RFC 3339, to the microsecond.' },
  FieldsV1: { '': 'A set of fields as nested names.' },
};

/**
 * Returns the description of a type, or of one of its fields. `isKind` is true for types that are kinds: their
 * top-level fields have common descriptions.
 */
export function sharedDescription(typeName: string, field: string | undefined, isKind: boolean): string | undefined {
  if (typeName.startsWith(META_TYPES)) {
    const text = META[typeName.slice(META_TYPES.length)]?.[field ?? ''];
    if (text !== undefined) return text;
  }
  return isKind && field !== undefined ? KIND_FIELDS[field] : undefined;
}
