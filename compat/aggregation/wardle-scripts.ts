/** The command lines about sample-apiserver: the nine steps of its registration, then its resources. */
import type { Script, Step } from '../kubectl/script.ts';
import { $, fails } from './lines.ts';
import { accountObjects, apiService, availability, roleObjects, serviceObject } from './registration.ts';

const API = 'v1alpha1.wardle.example.com';
const BETA = 'v1beta1.wardle.example.com';

const WARDLE = { namespace: 'wardle', service: 'api', account: 'apiserver' };
const GROUP = 'wardle.example.com';
/**
 * The rights of artifacts/example/rbac.yaml of its module, those to read mutating policies, which it reads too, and
 * those to read ConfigMaps. The `sdk` part runs beside this one and creates a policy with ConfigMaps as parameters; the
 * server reads the parameters of every policy, and is not ready until it has listed them.
 */
const RULES = `
- {apiGroups: [''], resources: [namespaces, configmaps], verbs: [get, watch, list]}
- apiGroups: [admissionregistration.k8s.io]
  resources:
  - mutatingwebhookconfigurations
  - validatingwebhookconfigurations
  - mutatingadmissionpolicies
  - mutatingadmissionpolicybindings
  - validatingadmissionpolicies
  - validatingadmissionpolicybindings
  verbs: [get, watch, list]
- apiGroups: [flowcontrol.apiserver.k8s.io]
  resources: [prioritylevelconfigurations, flowschemas]
  verbs: [list, watch]`;
const BOTH = `${apiService(WARDLE, GROUP, 'v1alpha1')}---\n${apiService(WARDLE, GROUP, 'v1beta1', 16)}`;

function flunder(version: string, name: string, spec: string): string {
  return `apiVersion: wardle.example.com/${version}
kind: Flunder
metadata: {name: ${name}, labels: {sample-label: 'true'}}
spec: ${spec}
`;
}

const FISCHER = `apiVersion: wardle.example.com/v1alpha1
kind: Fischer
metadata: {name: fischer}
disallowedFlunders: [banned]
`;

export const GROUP_APIS: readonly string[] = [API, BETA];
export const COLUMNS: Step = $(`get apiservices ${API} ${BETA} v1. v1.apps`);
const CONDITION = $(`get apiservices ${API} ${BETA} -o 'jsonpath={range .items[*]}{.status.conditions}{"\\n"}{end}'`);
const RESOURCES = $('api-resources --api-group=wardle.example.com -o wide');

export function wardleRegistered(): Script {
  return {
    name: 'wardle-registered',
    files: {
      'account.yaml': accountObjects(WARDLE),
      'role.yaml': roleObjects(WARDLE, RULES),
      'service.yaml': serviceObject(WARDLE),
      'api-services.yaml': BOTH,
      'wrong.yaml': apiService(WARDLE, GROUP, 'v1alpha1').replace('v1alpha1.', 'v1.').replace('{{port}}', '0'),
    },
    steps: [
      $('get apiservices v1. v1.apps'),
      $('apply -f account.yaml', { unscoped: true }),
      $('apply -f role.yaml'),
      $('create secret tls serving -n wardle --cert={{certificate}} --key={{key}}'),
      $('apply -f service.yaml', { unscoped: true }),
      fails('apply -f wrong.yaml'),
      $('apply -f api-services.yaml'),
      availability('False', API, BETA),
      COLUMNS,
      CONDITION,
      RESOURCES,
      fails('get flunders.v1alpha1.wardle.example.com'),
      fails('get --raw /apis/wardle.example.com/v1alpha1'),
      $('get --raw /apis/wardle.example.com'),
    ],
  };
}

export function wardleServed(): Script {
  return {
    name: 'wardle-served',
    files: {
      'first.yaml': flunder('v1alpha1', 'first', '{reference: other}'),
      'first-changed.yaml': flunder('v1alpha1', 'first', '{reference: fischer, referenceType: Fischer}'),
      'beta.yaml': flunder('v1beta1', 'beta', '{flunderReference: first, referenceType: Flunder}'),
      'both.yaml': flunder('v1beta1', 'both', '{flunderReference: a, fischerReference: b}'),
      'unknown.yaml': flunder('v1beta1', 'unknown', '{colour: red}'),
      'banned.yaml': flunder('v1alpha1', 'banned', '{reference: other}'),
      'fischer.yaml': FISCHER,
    },
    steps: [
      availability('True', API, BETA),
      $('get flunders', { retryUntil: 0 }),
      COLUMNS,
      CONDITION,
      RESOURCES,
      $('api-versions', {
        view: (text) =>
          text
            .split('\n')
            .filter((line) => line.includes('wardle'))
            .join('\n'),
      }),
      $('explain flunders --api-version=wardle.example.com/v1alpha1 --recursive', { retryUntil: 0 }),
      $('explain flunders.spec --api-version=wardle.example.com/v1beta1'),
      $('explain fischers.disallowedFlunders', { retryUntil: 0 }),
      $('get --raw /apis/wardle.example.com'),
      $('get --raw /apis/wardle.example.com/v1beta1'),
      $('create -f first.yaml'),
      fails('create -f first.yaml'),
      $('get flunders'),
      $('get flunders -o wide --show-labels'),
      $('get flunder first -o yaml'),
      $('get flunders.v1alpha1.wardle.example.com first -o yaml --show-managed-fields'),
      $('apply -f first.yaml'),
      $('apply -f first-changed.yaml'),
      $('get flunders.v1beta1.wardle.example.com first -o yaml'),
      $('apply --server-side -f beta.yaml'),
      $('apply --server-side -f beta.yaml'),
      $('apply --server-side --force-conflicts -f first.yaml'),
      $('get flunder beta -o yaml --show-managed-fields'),
      fails('create -f both.yaml'),
      fails('create -f unknown.yaml'),
      $('create -f unknown.yaml --validate=false'),
      $('apply -f fischer.yaml'),
      $('get fischers -o yaml'),
      fails('create -f banned.yaml --dry-run=server', { retryUntil: 1 }),
      fails('create -f banned.yaml'),
      $('get flunders -l sample-label=true -o name'),
      $('get flunders -l sample-label=false'),
      $('get flunders --field-selector=metadata.name=beta -o name'),
      $('get flunders -A --chunk-size=1 -o name'),
      $('get flunders --watch -o name', { during: ['delete flunder unknown', 'apply -f first-changed.yaml'] }),
      $('label flunder beta colour=blue'),
      $('annotate flunder beta note=yes'),
      $('patch flunder beta --type=merge -p \'{"metadata":{"labels":{"colour":null}}}\''),
      $('patch flunder beta --type=json -p \'[{"op":"replace","path":"/spec/flunderReference","value":"x"}]\''),
      $('describe flunder beta'),
      fails('diff -f first.yaml'),
      fails('get flunder missing'),
      fails('get flunders', { user: 'alice' }),
      $('auth can-i create flunders.wardle.example.com'),
      fails('auth can-i create flunders.wardle.example.com', { user: 'alice' }),
      $('wait flunder/beta --for=jsonpath={.spec.flunderReference}=x'),
      $('delete flunder beta'),
      $('delete flunders --all'),
      $('delete -f fischer.yaml'),
      $('get flunders'),
    ],
  };
}

export function wardleDead(): Script {
  return {
    name: 'wardle-dead',
    steps: [
      availability('False', API, BETA),
      COLUMNS,
      CONDITION,
      RESOURCES,
      fails('get flunders'),
      $('get configmaps'),
      $('get --raw /apis/wardle.example.com'),
      fails('get --raw /apis/wardle.example.com/v1alpha1'),
    ],
  };
}

export function wardleBack(): Script {
  return {
    name: 'wardle-back',
    steps: [availability('True', API, BETA), $('get flunders', { retryUntil: 0 }), COLUMNS, CONDITION, RESOURCES],
  };
}

export function wardleGone(): Script {
  return {
    name: 'wardle-gone',
    steps: [
      $(`delete apiservice ${API} ${BETA}`),
      fails('get flunders', { retryUntil: 1 }),
      $('api-resources --api-group=wardle.example.com'),
      fails('get --raw /apis/wardle.example.com', { retryUntil: 1 }),
    ],
  };
}
