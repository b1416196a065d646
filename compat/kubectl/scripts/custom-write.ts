/** Custom resources written with kubectl: apply, diff, edit, patch, scale, wait, validation, deletion. */
import { $, type Script, type Step } from '../script.ts';
import { boat, boats, boatsInVersions } from './custom-manifests.ts';

/** Waits until the objects of a definition are served and kubectl's discovery has them. */
function served(group: string, resource = 'boats'): readonly Step[] {
  return [
    $(`wait --for=condition=Established crd/${resource}.${group}.example.com --timeout=10s`),
    $(`get --raw /apis/${group}.example.com/v1/${resource}?limit=1`, { retryUntil: 0, view: () => '' }),
    $(`get --raw /openapi/v3/apis/${group}.example.com/v1`, { retryUntil: 0, view: () => '' }),
    $(`get ${resource}.${group}.example.com -A`),
  ];
}

const crd = (group: string): string => boats({ name: group });
const ada = boat('cwrite', 'ada', 'captain: ada, crew: 5');

export const customDefine: Script = {
  name: 'custom-define',
  files: {
    'crd.yaml': crd('cdefine'),
    'versions.yaml': boatsInVersions('cdefine'),
    'described.yaml': crd('cdefine').replace('A boat that carries things.', 'A ship.'),
    'broken.yaml': crd('cdefine2').replace('type: object\n        description', 'type: thing\n        description'),
    'rule.yaml': crd('cdefine3').replace('self.minCrew <= self.crew', 'self.missing <= self.crew'),
    'name.yaml': crd('cdefine4').replace('name: boats.cdefine4', 'name: ships.cdefine4'),
    'unknown.yaml': `${crd('cdefine5')}  odd: 1\n`,
    'clash.yaml': crd('cdefine')
      .replace('name: boats.', 'name: dinghies.')
      .replace('plural: boats', 'plural: dinghies'),
  },
  steps: [
    $('create -f crd.yaml --dry-run=client'),
    $('create -f crd.yaml --dry-run=server'),
    $('apply -f crd.yaml'),
    $('create -f crd.yaml'),
    $('apply -f crd.yaml'),
    $('wait --for=condition=Established crd/boats.cdefine.example.com --timeout=10s'),
    $('wait --for=condition=NamesAccepted=true crd/boats.cdefine.example.com --timeout=10s'),
    $("wait --for=jsonpath='{.status.acceptedNames.kind}'=Boat crd/boats.cdefine.example.com --timeout=10s"),
    $('diff -f crd.yaml'),
    $('diff -f described.yaml'),
    $('apply -f described.yaml'),
    $('apply -f versions.yaml'),
    $("get crd boats.cdefine.example.com -o jsonpath='{.spec.versions[*].name}'"),
    $('replace -f versions.yaml'),
    $('apply -f broken.yaml'),
    $('create -f rule.yaml'),
    $('create -f name.yaml'),
    $('create -f unknown.yaml'),
    $('create -f unknown.yaml --validate=warn --dry-run=server'),
    $('create -f unknown.yaml --validate=ignore --dry-run=server'),
    $(
      'patch crd boats.cdefine.example.com --type=json -p \'[{"op":"replace","path":"/spec/scope","value":"Cluster"}]\'',
    ),
    $('patch crd boats.cdefine.example.com --type=merge -p \'{"spec":{"names":{"shortNames":["bo"]}}}\''),
    $('label crd boats.cdefine.example.com a=b'),
    $('annotate crd boats.cdefine.example.com note=hello'),
    $('edit crd boats.cdefine.example.com', { editor: 'sed -i s/A.ship/A.barge/' }),
    $('create -f clash.yaml'),
    $('wait --for=condition=NamesAccepted=false crd/dinghies.cdefine.example.com --timeout=10s'),
    $(
      'get crd dinghies.cdefine.example.com -o jsonpath=\'{range .status.conditions[?(@.status=="False")]}{.type} {.reason}: {.message}{"\\n"}{end}\'',
    ),
    $('delete crd boats.cdefine.example.com'),
    $('wait --for=condition=Established crd/dinghies.cdefine.example.com --timeout=10s'),
    $('delete -f clash.yaml'),
    $('delete crd missing.example.com'),
    $('get crd boats.cdefine.example.com'),
    $('create -f crd.yaml', { user: 'alice' }),
  ],
};

export const customWrite: Script = {
  name: 'custom-write',
  files: {
    'crd.yaml': boatsInVersions('cwrite'),
    'ada.yaml': ada,
    'ada2.yaml': ada.replace('crew: 5', 'crew: 6, cargo: [{name: tea, weight: 5}]'),
    'ada3.yaml': ada.replace('crew: 5', 'crew: 6'),
    'old.yaml': boat('cwrite', 'old', 'captain: old', 'v1alpha1'),
    'beta.yaml': boat('cwrite', 'beta', 'captain: beta, flag: white', 'v1beta1'),
    'unknown.yaml': boat('cwrite', 'odd', 'captain: odd, mast: tall, cargo: [{name: tea, size: big}]'),
    'bad.yaml': boat('cwrite', 'bad', 'captain: x, color: black, crew: 99'),
    'rule.yaml': boat('cwrite', 'rule', 'captain: rule, crew: 2, minCrew: 3'),
    'none.yaml': boat('cwrite', 'none', 'crew: 1'),
    'kind.yaml': ada.replace('kind: Boat', 'kind: Ferry'),
    'version.yaml': ada.replace('/v1', '/v7'),
    'many/1.yaml': boat('cwrite', 'm1', 'captain: m1'),
    'many/2.yaml': boat('cwrite', 'm2', 'captain: m2'),
    'gen.yaml': ada.replace('name: ada', 'generateName: gen-'),
  },
  steps: [
    $('create -f crd.yaml'),
    ...served('cwrite'),
    $('diff -f ada.yaml'),
    $('create -f ada.yaml --dry-run=server -o yaml'),
    $('apply -f ada.yaml'),
    $('apply -f ada.yaml'),
    $('diff -f ada.yaml'),
    $('diff -f ada2.yaml'),
    $('apply -f ada2.yaml'),
    $('apply -f ada3.yaml -o yaml'),
    $('apply view-last-applied bt-cwrite/ada'),
    $('create -f ada.yaml'),
    $('replace -f ada.yaml'),
    $('create -f old.yaml'),
    $('apply -f beta.yaml'),
    $('create -f unknown.yaml'),
    $('create -f unknown.yaml --validate=strict --dry-run=server'),
    $('create -f unknown.yaml --validate=warn'),
    $('get bt-cwrite odd -o yaml'),
    $('apply -f unknown.yaml --validate=ignore'),
    $('create -f bad.yaml', { errors: sortedWords }),
    $('create -f bad.yaml --validate=false', { errors: sortedWords }),
    $('create -f rule.yaml'),
    $('create -f none.yaml'),
    $('create -f kind.yaml'),
    $('create -f version.yaml'),
    $('create -f gen.yaml', { view: (text) => text.replace(/gen-\w{5}/, 'gen-<suffix>') }),
    $('apply -f many'),
    $('apply -f many/1.yaml --prune -l fleet=one --prune-allowlist=cwrite.example.com/v1/Boat --dry-run=client', {
      view: (text) => text.replace(/gen-\w{5}/g, 'gen-<suffix>'),
    }),
    $('patch bt-cwrite ada --type=merge -p \'{"spec":{"crew":7}}\''),
    $('patch bt-cwrite ada -p \'{"spec":{"crew":7}}\''),
    $('patch bt-cwrite ada --type=strategic -p \'{"spec":{"crew":7}}\''),
    $('patch bt-cwrite ada --type=json -p \'[{"op":"add","path":"/spec/notes","value":{"a":"b"}}]\' -o yaml'),
    $('patch bt-cwrite ada --type=merge -p \'{"spec":{"crew":"many"}}\'', { errors: sortedWords }),
    $('patch bt-cwrite ada --type=merge -p \'{"spec":{"color":"black"}}\''),
    $('patch bt-cwrite ada --type=merge -p \'{"spec":{"odd":1}}\''),
    $(
      'patch bt-cwrite ada --subresource=status --type=merge -p \'{"status":{"phase":"Sailing","crew":7,"selector":"a=b"}}\'',
    ),
    $('patch bt-cwrite ada --subresource=status --type=merge -p \'{"status":{"crew":"x"}}\'', { errors: sortedWords }),
    $('patch bt-cwrite ada --subresource=scale --type=merge -p \'{"spec":{"replicas":9}}\''),
    $('patch bt-cwrite ada --subresource=scale --type=merge -p \'{"spec":{"replicas":99}}\''),
    $('patch boats.v1beta1.cwrite.example.com ada --subresource=scale --type=merge -p \'{"spec":{"replicas":9}}\''),
    $('get bt-cwrite ada -o yaml'),
    $('scale bt-cwrite ada --replicas=3'),
    $('scale bt-cwrite ada --current-replicas=2 --replicas=4'),
    $('scale bt-cwrite ada --current-replicas=3 --replicas=4'),
    $('scale bt-cwrite ada --replicas=99'),
    $('scale bt-cwrite/ada bt-cwrite/m1 --replicas=2'),
    $('scale boats.v1beta1.cwrite.example.com ada --replicas=2'),
    $('scale bt-cwrite missing --replicas=2'),
    $('scale -f ada.yaml --replicas=5 --dry-run=server'),
    $('label bt-cwrite ada a=b'),
    $('label bt-cwrite --all all=yes -l fleet=none'),
    $('annotate bt-cwrite ada note=hello'),
    $('edit bt-cwrite ada', { editor: 'sed -i s/crew:.2/crew:\\ 8/' }),
    $('edit bt-cwrite ada', { editor: 'true' }),
    $('edit bt-cwrite ada --subresource=status', { editor: 'sed -i s/Sailing/Moored/' }),
    $('edit bt-cwrite ada --output-patch', {
      editor: 'sed -i s/crew:.8/crew:\\ 9/',
      errors: (text) => text.replace(/gen-\w{5}/g, ''),
    }),
    $('edit boats.v1beta1.cwrite.example.com ada', {
      editor: 'sed -i "s/  captain: ada/  captain: ada\\n  flag: blue/"',
    }),
    $('get bt-cwrite ada -o yaml'),
    $('set image bt-cwrite/ada a=b'),
    $('rollout status bt-cwrite/ada'),
    $('replace --force -f ada.yaml'),
    $('create -f ada.yaml', { user: 'bob' }),
    $('delete -f many'),
    $('delete bt-cwrite --all', { view: (text) => text.replace(/gen-\w{5}/g, 'gen-<suffix>') }),
    $('delete crd boats.cwrite.example.com'),
  ],
};

/** Sorts words, because causes are in the order of a hash table. */
function sortedWords(text: string): string {
  return text
    .split(/, |: \[|\]|\* /)
    .map((part) => part.trim())
    .sort()
    .join('\n');
}

const held = boat('cremove', 'held', 'captain: held').replace('labels:', 'finalizers: [example.com/hold], labels:');

export const customRemove: Script = {
  name: 'custom-remove',
  files: {
    'crd.yaml': crd('cremove'),
    'boats.yaml': ['a', 'b', 'c'].map((name) => boat('cremove', name, `captain: c-${name}`)).join('---\n'),
    'held.yaml': held,
    'other.yaml': crd('cremove')
      .replace('minLength: 2', 'minLength: 3')
      .replace('crew: {type: integer}', 'crew: {type: integer, format: int64}'),
  },
  steps: [
    $('create -f crd.yaml'),
    ...served('cremove'),
    $('create -f boats.yaml -f held.yaml'),
    $('wait --for=condition=Ready bt-cremove/a --timeout=1s'),
    $('wait --for=condition=Ready bt-cremove/a --timeout=8s', {
      meanwhile: [
        'patch bt-cremove a --subresource=status --type=merge -p \'{"status":{"phase":"Moored","conditions":[{"type":"Ready","status":"True"}]}}\'',
      ],
    }),
    $('wait --for=condition=Ready=false bt-cremove/a --timeout=1s'),
    $("wait --for=jsonpath='{.status.phase}'=Moored bt-cremove/a --timeout=5s"),
    $("wait --for=jsonpath='{.status.phase}' bt-cremove/b --timeout=1s"),
    $('wait --for=create bt-cremove/a --timeout=5s'),
    $('wait --for=condition=Ready bt-cremove --all --timeout=1s'),
    $('delete bt-cremove a'),
    $('delete bt-cremove a'),
    $('delete bt-cremove b --dry-run=server'),
    $('delete bt-cremove b --cascade=foreground --wait=false'),
    $('get bt-cremove b -o yaml'),
    $('patch bt-cremove b --type=merge -p \'{"metadata":{"finalizers":null}}\''),
    $('delete bt-cremove held --timeout=1s'),
    $('get bt-cremove held -o yaml'),
    $('patch bt-cremove held --type=merge -p \'{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}\''),
    $('delete crd boats.cremove.example.com --timeout=2s'),
    $('wait --for=condition=Terminating crd/boats.cremove.example.com --timeout=10s'),
    $('get bt-cremove', { retryUntil: 0, view: onlyHeld }),
    $('create -f boats.yaml'),
    $('apply -f other.yaml'),
    $('patch bt-cremove held --type=merge -p \'{"metadata":{"finalizers":null}}\''),
    // It may be gone before the command starts.
    $('wait --for=delete crd/boats.cremove.example.com --timeout=15s', { view: () => '' }),
    $('get --raw /apis/cremove.example.com/v1/boats', { retryUntil: 1 }),
    $('get boats.cremove.example.com'),
    $('create -f other.yaml'),
    ...served('cremove'),
    $('create -f boats.yaml'),
    $('delete -f boats.yaml'),
    $('delete -f other.yaml'),
  ],
};

/** Drops the other objects, which may or may not be gone already. */
function onlyHeld(text: string): string {
  return text
    .split('\n')
    .filter((line) => /^(NAME|held)/.test(line))
    .join('\n');
}

export const customAutoscale: Script = {
  name: 'custom-autoscale',
  files: { 'crd.yaml': crd('cauto'), 'boat.yaml': boat('cauto', 'a', 'captain: ada') },
  steps: [
    $('create -f crd.yaml'),
    ...served('cauto'),
    $('create -f boat.yaml'),
    $('autoscale bt-cauto a --max=5'),
    $('autoscale bt-cauto a --min=2 --max=5 --dry-run=client -o yaml'),
    $('autoscale bt-cauto missing --max=5'),
    $('delete crd boats.cauto.example.com'),
  ],
};
