/**
 * Reads of every stable kind: lists, selectable fields, tables, metadata alone, other media types, watches, deleted
 * collections. Writes are in compat/kinds.
 */
import { SUBJECTS } from '../../kinds/objects.ts';
import { objectOf, type Subject } from '../../kinds/subject.ts';
import { withoutAllocations } from '../../kinds/views.ts';
import type { Json } from '../normalise.ts';
import { del, get, NOT_DEFAULT, post, type Step, type Topic, topic, watch } from '../request.ts';
import { withoutAges, withoutClockBookmarks } from '../views.ts';

const TABLES = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIALS = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
/** Fields that some kind can be selected by. */
const FIELDS = [
  'metadata.namespace=nowhere',
  'spec.nodeName=a',
  'status.phase!=x',
  'spec.type=ClusterIP',
  'spec.clusterIP=None',
  'type!=Opaque',
  'status.replicas=0',
  'status.successful!=1',
  'spec.unschedulable=false',
  'spec.signerName=x',
  'spec.driver=gpu.example.com',
  'spec.restartPolicy=Always,spec.schedulerName=default-scheduler',
  'spec.serviceAccountName=reader,spec.hostNetwork=false',
  'spec.group=kinds.example.com',
];
/** Kinds that refuse other fields with messages of their own. A few of those are enough. */
const OWN_WORDS = ['jobs', 'resourceslices'];
const FEW = ['metadata.namespace=nowhere', 'status.successful!=1', 'spec.driver=gpu.example.com', 'spec.nodeName=a'];
/** They remain until a controller removes their finalizer, or loops of the reference write them. */
const LEFT_OUT = ['events', 'namespaces', 'apiservices', 'servicecidrs', 'flowschemas', 'prioritylevelconfigurations'];

const STORED = SUBJECTS.filter(
  ({ optional, isReview, plural }) => optional !== true && isReview !== true && !LEFT_OUT.includes(plural),
);

export const kinds: Topic = topic(
  'kinds',
  Object.fromEntries(STORED.map((subject) => [`${subject.plural} ${subject.version}`, stepsOf(subject)])),
);

function stepsOf(subject: Subject): Step[] {
  const [variant] = subject.variants;
  if (variant === undefined) return [];
  const object = objectOf(subject, variant);
  const { name } = object['metadata'] as { name: string };
  const root = subject.group === '' ? '/api/v1' : `/apis/${subject.group}/${subject.version}`;
  const collection = `${root}${subject.clusterScoped === true ? '' : '/namespaces/{{ns}}'}/${subject.plural}`;
  const own = `${collection}?fieldSelector=metadata.name%3D${encodeURIComponent(name)}`;
  // A pod needs an account; our server requires it only if the plugin is enabled.
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'reader' },
    automountServiceAccountToken: false,
  };
  const isPod = subject.plural === 'pods';
  const body = isPod ? { ...object, spec: { ...(object['spec'] as object), serviceAccountName: 'reader' } } : object;
  return [
    ...(isPod ? [post('/api/v1/namespaces/{{ns}}/serviceaccounts', account)] : []),
    post(collection, body, { view: plain }),
    get(own, { view: plain }),
    ...(OWN_WORDS.includes(subject.plural) ? FEW : FIELDS).map((field) =>
      get(`${collection}?fieldSelector=${encodeURIComponent(field)}&limit=1`, { view: plain }),
    ),
    get(own, { accept: TABLES, view: (list) => plain(withoutAges(list)) }),
    get(own, { accept: PARTIALS }),
    get(`${collection}/${name}`, { accept: 'application/yaml', bodyless: true }),
    get(`${collection}/${name}`, { accept: 'application/vnd.kubernetes.protobuf', bodyless: true }),
    get(own, { accept: 'application/vnd.kubernetes.protobuf', bodyless: true }),
    watch(own, { view: (events) => plain(withoutClockBookmarks(events)) }),
    ...(subject.clusterScoped === true
      ? []
      : [get(`${root}/${subject.plural}?${NOT_DEFAULT},metadata.namespace%3D{{ns}}`, { view: plain })]),
    del(`${collection}?labelSelector=no-such-label`),
    del(own, undefined, { view: plain }),
    get(own, { view: plain }),
  ];
}

function plain(body: Json): Json {
  return withoutAllocations(body);
}
