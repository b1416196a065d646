/** The command lines around Gatekeeper: a template in Rego, constraints that deny and warn, and mutators. */
import { $, fails } from '../aggregation/lines.ts';
import type { Script, Step } from '../kubectl/script.ts';
import { registration } from './registration.ts';

export const GATEKEEPER = { namespace: 'gatekeeper-system', service: 'gatekeeper-webhook-service' } as const;

const { namespace } = GATEKEEPER;
const IGNORE = 'admission.gatekeeper.sh/ignore';
const EVERYTHING = '{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: ["*"]}';

const REGISTRATION = registration(GATEKEEPER, [
  {
    kind: 'Mutating',
    name: 'mutation.gatekeeper.sh',
    path: '/v1/mutate',
    failurePolicy: 'Ignore',
    matchPolicy: 'Exact',
    rules: `[${EVERYTHING}]`,
    exempt: { label: IGNORE, namespace },
  },
  {
    kind: 'Validating',
    name: 'validation.gatekeeper.sh',
    path: '/v1/admit',
    failurePolicy: 'Ignore',
    matchPolicy: 'Exact',
    rules: `[${EVERYTHING}]`,
    exempt: { label: IGNORE, namespace },
  },
  {
    kind: 'Validating',
    name: 'check-ignore-label.gatekeeper.sh',
    path: '/v1/admitlabel',
    failurePolicy: 'Fail',
    matchPolicy: 'Exact',
    rules: '[{apiGroups: [""], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [namespaces]}]',
    exempt: { namespace },
  },
]);

function template(rego: string): string {
  return `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: requiredlabels}
spec:
  crd:
    spec:
      names: {kind: RequiredLabels}
      validation:
        openAPIV3Schema: {type: object, properties: {labels: {type: array, items: {type: string}}}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    rego: |
${rego.replaceAll(/^/gm, '      ')}
`;
}
const REGO = `package requiredlabels
violation[{"msg": msg}] {
  wanted := {label | label := input.parameters.labels[_]}
  found := {label | input.review.object.metadata.labels[label]}
  missing := wanted - found
  count(missing) > 0
  msg := sprintf("%v has no labels %v", [input.review.object.metadata.name, sort(missing)])
}`;

function constraint(name: string, label: string, more: string): string {
  return `apiVersion: constraints.gatekeeper.sh/v1beta1
kind: RequiredLabels
metadata: {name: ${name}}
spec:
  match: {kinds: [{apiGroups: [""], kinds: [ConfigMap]}], namespaces: [kubectl-gatekeeper-constrained]}
  parameters: {labels: [${label}]}
${more}`;
}

function configMap(name: string, labels: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: ${labels}}\n`;
}

function mutator(kind: string, name: string, spec: string): string {
  return `apiVersion: mutations.gatekeeper.sh/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec:\n${spec}`;
}
const IN_NAMESPACE = '  match: {scope: Namespaced, namespaces: [kubectl-gatekeeper-mutated]}\n';
const OF_PODS = '  applyTo: [{groups: [""], versions: [v1], kinds: [Pod]}]\n';
const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - {name: web, image: registry.example.com/web:1}
  - {name: proxy, image: registry.example.com/proxy:1, imagePullPolicy: Never}
`;

/** Repeats a line that changes nothing until Gatekeeper has taken an object into account. */
function until(exit: 0 | 1, line: string, stdin: string): Step {
  return { line, stdin, exit, retryUntil: exit };
}

export function installed(): Script {
  return {
    name: 'gatekeeper-installed',
    steps: [
      $('apply --server-side -f {{crds}}'),
      $('wait --for=condition=Established crd --all --timeout=15s'),
      $(`create namespace ${namespace}`),
    ],
  };
}

export function registered(): Script {
  const ignored = `apiVersion: v1\nkind: Namespace\nmetadata: {name: ignored, labels: {${IGNORE}: 'true'}}\n`;
  return {
    name: 'gatekeeper-registered',
    files: { 'registration.yaml': REGISTRATION },
    steps: [
      $('apply --server-side -f registration.yaml', { unscoped: true }),
      until(1, 'create --dry-run=server -f -', ignored),
      fails('create -f -', { stdin: ignored }),
      $('create namespace accepted'),
      fails(`label namespace accepted ${IGNORE}=true`),
    ],
  };
}

export function constrained(): Script {
  return {
    name: 'gatekeeper-constrained',
    files: {
      'template.yaml': template(REGO),
      'bad-template.yaml': template('package requiredlabels\nviolation[{"msg": msg}] { msg := }'),
      'other-name.yaml': template(REGO).replace('name: requiredlabels', 'name: other'),
      'deny.yaml': constraint('deny', 'owner', ''),
      'warn.yaml': constraint('warn', 'team', '  enforcementAction: warn\n'),
      'dry.yaml': constraint('dry', 'region', '  enforcementAction: dryrun\n'),
      'odd.yaml': constraint('odd', 'owner', '  enforcementAction: shout\n'),
      'mistyped.yaml': constraint('mistyped', 'owner', '').replace('labels: [owner]', 'labels: owner'),
      'good.yaml': configMap('good', '{owner: me, team: us}'),
      'half.yaml': configMap('half', '{owner: me}'),
      'bad.yaml': configMap('bad', '{}'),
    },
    steps: [
      // This version accepts Rego that does not parse.
      $('apply -f bad-template.yaml'),
      fails('apply -f other-name.yaml'),
      $('apply -f template.yaml'),
      $('wait --for=create crd/requiredlabels.constraints.gatekeeper.sh --timeout=15s'),
      $('wait --for=condition=Established crd/requiredlabels.constraints.gatekeeper.sh --timeout=15s'),
      $('get crd requiredlabels.constraints.gatekeeper.sh -o jsonpath={.spec}'),
      fails('apply -f mistyped.yaml'),
      fails('apply -f odd.yaml'),
      $('apply -f deny.yaml'),
      until(1, 'create --dry-run=server -f -', configMap('bad', '{}')),
      fails('create -f bad.yaml'),
      fails('apply --server-side -f bad.yaml'),
      $('create -f half.yaml'),
      fails('label configmap half owner-'),
      fails(`patch configmap half --type=json -p '[{"op":"remove","path":"/metadata/labels"}]'`),
      $('delete configmap half'),
      $('apply -f warn.yaml'),
      $('apply -f dry.yaml'),
      $('wait --for=jsonpath={.status.byPod[0].enforced}=true requiredlabels/warn --timeout=15s'),
      $('wait --for=jsonpath={.status.byPod[0].enforced}=true requiredlabels/dry --timeout=15s'),
      $('apply -f half.yaml'),
      $('apply -f good.yaml'),
      fails('create -f bad.yaml'),
      $('create -f bad.yaml -n default'),
      $('get configmaps -o name'),
      $('delete requiredlabels deny'),
      until(0, 'create --dry-run=server -f -', configMap('bad', '{}')),
      $('create -f bad.yaml'),
    ],
  };
}

export function mutated(): Script {
  const addsLabel = mutator(
    'AssignMetadata',
    'owner',
    `${IN_NAMESPACE}  location: metadata.labels.owner\n  parameters: {assign: {value: suite}}\n`,
  );
  const pullsAlways = mutator(
    'Assign',
    'pull-policy',
    `${OF_PODS}${IN_NAMESPACE}  location: "spec.containers[name:*].imagePullPolicy"\n  parameters: {assign: {value: Always}}\n`,
  );
  const addsArgument = mutator(
    'ModifySet',
    'arguments',
    `${OF_PODS}${IN_NAMESPACE}  location: spec.containers[name:web].args\n  parameters: {operation: merge, values: {fromList: [--verbose]}}\n`,
  );
  return {
    name: 'gatekeeper-mutated',
    files: {
      'owner.yaml': addsLabel,
      'pull-policy.yaml': pullsAlways,
      'args.yaml': addsArgument,
      'metadata.yaml': pullsAlways.replace('"spec.containers[name:*].imagePullPolicy"', 'metadata.labels.x'),
      'unclosed.yaml': pullsAlways.replace('[name:*].', '[name:*.'),
      'pod.yaml': POD,
      'configmap.yaml': configMap('plain', '{}'),
    },
    steps: [
      fails('apply -f metadata.yaml'),
      fails('apply -f unclosed.yaml'),
      $('apply -f owner.yaml'),
      $('apply -f pull-policy.yaml'),
      $('apply -f args.yaml'),
      ...['assignmetadata/owner', 'assign/pull-policy', 'modifyset/arguments'].map((what) =>
        $(`wait --for=jsonpath={.status.byPod[0].enforced}=true ${what} --timeout=15s`),
      ),
      $('create -f configmap.yaml'),
      $('get configmap plain -o yaml --show-managed-fields'),
      $('apply --dry-run=server -f pod.yaml -o yaml'),
      $('apply --server-side -f pod.yaml'),
      $('get pod web -o yaml --show-managed-fields'),
      $('label pod web owner-'),
      $('get pod web --show-labels'),
      $('delete assign pull-policy'),
    ],
  };
}
