/** Custom resources read with kubectl: explain, get in every form, watches, discovery. */
import { $, type Script } from '../script.ts';
import { requestLines, sortedJson, structure } from '../views.ts';
import { boat, boats, boatsInVersions } from './custom-manifests.ts';

/** Waits until discovery has the definition. kubectl's cache is empty at the start of each script. */
function established(group: string): readonly ReturnType<typeof $>[] {
  return [
    $(`wait --for=condition=Established crd/boats.${group}.example.com --timeout=10s`),
    $(`get --raw /apis/${group}.example.com/v1/boats?limit=1`, { retryUntil: 0, view: () => '' }),
    $(`get --raw /openapi/v3/apis/${group}.example.com/v1`, { retryUntil: 0, view: () => '' }),
  ];
}

const OBJECTS = [
  boat('cget', 'ada', 'captain: ada, color: red, crew: 5, cargo: [{name: tea, weight: 5}, {name: silk, weight: 10kg}]'),
  boat('cget', 'bob', 'captain: bob'),
  boat('cget', 'cyd', 'captain: cyd, color: green, crew: 12, notes: {a.b: dotted}'),
].join('---\n');

export const customGet: Script = {
  name: 'custom-get',
  files: { 'crd.yaml': boatsInVersions('cget'), 'boats.yaml': OBJECTS },
  steps: [
    $('create -f crd.yaml'),
    ...established('cget'),
    $('get boats.cget.example.com'),
    $('create -f boats.yaml'),
    ...[
      'boats.cget.example.com',
      'boat.cget.example.com',
      'bt-cget',
      'boats.v1.cget.example.com',
      'boats.v1beta1.cget.example.com',
      'Boat.cget.example.com',
      'fleet-cget',
    ].map((kind) => $(`get ${kind}`)),
    $('get boats.v1alpha1.cget.example.com'),
    $('get boats.v9.cget.example.com'),
    $('get bt-cget -o wide'),
    $('get bt-cget --show-labels --show-kind'),
    $('get bt-cget -o name'),
    $('get bt-cget ada bob'),
    $('get bt-cget/ada bt-cget/missing'),
    $('get bt-cget -l fleet=one -L fleet'),
    $('get bt-cget --no-headers'),
    $('get bt-cget --sort-by=.spec.crew'),
    $('get bt-cget -A'),
    $('get bt-cget ada -o yaml'),
    $('get bt-cget ada -o json', { view: sortedJson }),
    $('get boats.v1beta1.cget.example.com ada -o yaml'),
    $('get bt-cget -o yaml'),
    $('get bt-cget -o jsonpath=\'{range .items[*]}{.metadata.name}={.spec.cargo[*].name} {.spec.crew}{"\\n"}{end}\''),
    $('get bt-cget -o jsonpath=\'{.items[?(@.spec.color=="red")].metadata.name}\''),
    $('get bt-cget -o custom-columns=NAME:.metadata.name,CARGO:.spec.cargo[*].name,COLOR:.spec.color,NONE:.spec.none'),
    $("get bt-cget -o go-template='{{range .items}}{{.spec.captain}} {{end}}'"),
    $('get bt-cget --field-selector=spec.color=red'),
    $('get bt-cget --field-selector=spec.color!=red,spec.captain=bob'),
    $('get bt-cget --field-selector=metadata.name=cyd -o name'),
    $('get bt-cget --field-selector=spec.crew=5'),
    $('get bt-cget --chunk-size=1'),
    $('get bt-cget ada --subresource=status -o yaml'),
    $('get bt-cget ada --subresource=scale'),
    $('get bt-cget ada --subresource=scale -o yaml'),
    $('get --raw /apis/cget.example.com/v1/namespaces/{{ns}}/boats/ada/scale', { view: sortedJson }),
    $('describe bt-cget ada'),
    $('describe boats.v1beta1.cget.example.com ada'),
    $('describe bt-cget -l fleet=two'),
    $('get fleet-cget', { user: 'alice' }),
    $('get all', { view: (text) => (/^(boat\.cget\.example\.com\/)?ada\b/m.test(text) ? 'shows boats' : text) }),
    $('get bt-cget -v 6', { errors: requestLines }),
    $('get bt-cget -w', {
      during: [
        'patch bt-cget bob --type=merge -p \'{"spec":{"crew":2}}\'',
        'patch bt-cget bob --subresource=status --type=merge -p \'{"status":{"phase":"Sailing"}}\'',
        'delete bt-cget cyd --wait=false',
      ],
    }),
    $('get bt-cget -w --watch-only -o name', { during: ['label bt-cget ada x=y', 'label bt-cget bob x=y'] }),
    $('get bt-cget ada -w --output-watch-events', { during: ['label bt-cget bob z=y', 'label bt-cget ada z=y'] }),
    $('delete crd boats.cget.example.com'),
  ],
};

export const customExplain: Script = {
  name: 'custom-explain',
  files: { 'crd.yaml': boatsInVersions('cexplain') },
  steps: [
    $('create -f crd.yaml'),
    ...established('cexplain'),
    $('get boats.cexplain.example.com'),
    // The reference documents a version some time after it serves it.
    $('explain bt-cexplain', { view: structure, retryUntil: 0 }),
    $('explain boats --api-version=cexplain.example.com/v1', { view: structure, retryUntil: 0 }),
    $('explain boats.cexplain.example.com.spec', { retryUntil: 0 }),
    $('explain boats.spec --api-version=cexplain.example.com/v1'),
    $('explain boats.spec --api-version=cexplain.example.com/v1beta1', { retryUntil: 0 }),
    $('explain boats --api-version=cexplain.example.com/v1alpha1', { view: structure, retryUntil: 0 }),
    $('explain boats --api-version=cexplain.example.com/v9'),
    $('explain boats.spec --recursive --api-version=cexplain.example.com/v1'),
    $('explain boats.spec --recursive --api-version=cexplain.example.com/v1beta1'),
    $('explain boats.status --recursive --api-version=cexplain.example.com/v1'),
    ...[
      'captain',
      'color',
      'crew',
      'cargo',
      'cargo.weight',
      'cargo.name',
      'notes',
      'extra',
      'missing',
      'extra.anything',
    ].map((field) => $(`explain boats.spec.${field} --api-version=cexplain.example.com/v1`)),
    $('explain boats.spec.flag --api-version=cexplain.example.com/v1beta1'),
    $('explain boats.status.conditions.type --api-version=cexplain.example.com/v1'),
    $('explain boats --output=plaintext-openapiv2 --api-version=cexplain.example.com/v1', {
      retryUntil: 0,
      view: structureOfV2,
    }),
    $('explain boats.spec --output=plaintext-openapiv2 --recursive --api-version=cexplain.example.com/v1beta1'),
    $('explain boats.spec.captain --output=plaintext-openapiv2 --api-version=cexplain.example.com/v1'),
    $('delete crd boats.cexplain.example.com'),
  ],
};

/**
 * Keeps kind, version and names of fields, because the descriptions of apiVersion, kind and metadata are our own words.
 */
function structureOfV2(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^(KIND|VERSION|GROUP):|^ {3}\w+\t/.test(line))
    .join('\n');
}

const mentions =
  (word: string) =>
  (text: string): string =>
    text
      .split('\n')
      .filter((line) => line.includes(word))
      .join('\n');

export const customOffers: Script = {
  name: 'custom-offers',
  files: {
    'crd.yaml': boatsInVersions('coffers'),
    'cluster.yaml': boats({ name: 'coffers' })
      .replace('Namespaced', 'Cluster')
      .replaceAll('boat', 'ship')
      .replaceAll('Boat', 'Ship')
      .replace('bt-coffers', 'sp-coffers'),
  },
  steps: [
    $('create -f crd.yaml -f cluster.yaml'),
    ...established('coffers'),
    $('get --raw /apis/coffers.example.com/v1/ships?limit=1', { retryUntil: 0, view: () => '' }),
    $('api-resources --api-group=coffers.example.com'),
    $('api-resources --api-group=coffers.example.com -o wide'),
    $('api-resources --api-group=coffers.example.com --namespaced=false'),
    $('api-resources --categories=fleet-coffers --sort-by=name'),
    $('api-resources --verbs=deletecollection --api-group=coffers.example.com -o name'),
    $('api-versions', { view: mentions('coffers') }),
    $('api-resources', { view: mentions('coffers') }),
    $('get crd', { view: mentions('coffers') }),
    $('get crd boats.coffers.example.com'),
    $('get crd boats.coffers.example.com -o wide'),
    $('get customresourcedefinitions boats.coffers.example.com -o name'),
    $('get CustomResourceDefinition ships.coffers.example.com'),
    $(
      "get crd boats.coffers.example.com -o jsonpath='{.spec.versions[*].name} {.status.storedVersions} {.status.acceptedNames}'",
    ),
    $(
      'get crd boats.coffers.example.com -o jsonpath=\'{range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\\n"}{end}\'',
    ),
    $('get crd ships.coffers.example.com -o yaml', { view: withoutConditions }),
    $('explain crd.spec.versions', {
      view: (text) =>
        text
          .split('\n')
          .filter((line) => /^(GROUP|KIND|VERSION|FIELD):/.test(line))
          .join('\n'),
    }),
    $('auth can-i create boats.coffers.example.com'),
    $('auth can-i get boats.coffers.example.com --subresource=status', { user: 'alice' }),
    $('delete crd boats.coffers.example.com ships.coffers.example.com'),
    $('get boats.coffers.example.com'),
  ],
};

/** Drops conditions, because loops write them in no fixed order. */
function withoutConditions(text: string): string {
  return text.replace(/^ {2}conditions:\n(?: {2}- .*\n(?: {4}.*\n)*)+/m, '');
}
