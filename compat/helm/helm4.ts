/**
 * The script of Helm 4, which installs and upgrades with server-side apply: the same charts as with Helm 3, conflicts
 * with other managers, and the way from client-side releases. kubectl shows the stored objects and their managers.
 */
import { $, type Script } from '../kubectl/script.ts';
import { boatsChart, commandsOf, RELEASES } from './charts.ts';

const helm = commandsOf('helm4');
const KINDS = 'deployments,services,serviceaccounts,horizontalpodautoscalers,ingresses';
/** Shows all objects of the chart with their managers. */
const STORED = $(`get ${KINDS} -o yaml --show-managed-fields`);

export const HELM4: Script = {
  name: 'helm4',
  files: boatsChart('helm4.example.com'),
  steps: [
    helm('version --short'),
    helm('create demo'),
    helm('lint demo'),
    helm('install web demo --dry-run=server'),
    helm('install web demo'),
    helm('install web demo'),
    helm('list'),
    helm('status web'),
    helm('get all web'),
    STORED,
    RELEASES,
    helm('upgrade web demo --set replicaCount=3,image.tag=2,service.type=NodePort'),
    helm('upgrade web demo --reuse-values --set autoscaling.enabled=true,ingress.enabled=true,ingress.className=nginx'),
    STORED,
    helm('upgrade web demo --set service.port=70000'),
    helm('upgrade web demo --set nameOverride=Not_A_Name'),
    helm('history web'),
    helm('rollback web 1'),
    STORED,
    helm('rollback web 99'),
    helm('rollback web 2 --dry-run=server'),
    helm('upgrade web demo --dry-run=server --set replicaCount=2'),
    helm('upgrade web demo --wait --timeout=2s'),
    helm('upgrade web demo --rollback-on-failure --timeout=2s --set replicaCount=2'),
    helm('history web --max=3'),
    // Fields of other managers.
    $('scale deployment web-demo --replicas=7'),
    $('label service web-demo changed=by-kubectl'),
    helm('upgrade web demo --set replicaCount=4'),
    helm('upgrade web demo --set replicaCount=4 --force-conflicts'),
    STORED,
    $('apply --server-side --field-manager=team -f -', {
      stdin: 'apiVersion: v1\nkind: Service\nmetadata: {name: web-demo, labels: {team: blue}}\n',
    }),
    helm('rollback web --force-conflicts'),
    helm('upgrade web demo --force-replace'),
    helm('upgrade web demo --server-side=false --force-replace'),
    STORED,
    // From client-side releases to server-side ones, and back.
    helm('install old demo --server-side=false'),
    helm('upgrade old demo --set replicaCount=2'),
    helm('upgrade old demo --set replicaCount=3 --server-side=true'),
    helm('upgrade old demo --set replicaCount=4 --server-side=true --force-conflicts'),
    STORED,
    helm('upgrade old demo --set replicaCount=5 --server-side=false'),
    helm('rollback old 1 --server-side=true'),
    helm('history old'),
    STORED,
    helm('uninstall old'),
    // Objects that exist before the release.
    $('create serviceaccount taken-demo'),
    helm('install taken demo'),
    helm('install taken demo --take-ownership'),
    helm('uninstall taken'),
    helm('upgrade --install fourth demo --create-namespace --namespace={{ns}}-other --set serviceAccount.create=false'),
    helm('list --all-namespaces -o json --filter=fourth'),
    helm('uninstall fourth --namespace={{ns}}-other'),
    helm('install fleet boats'),
    $('get boats -o yaml --show-managed-fields'),
    $('get configmap fleet-hook -o yaml --show-managed-fields'),
    helm('upgrade fleet boats --set sails=5'),
    helm('upgrade fleet boats --set sails=0'),
    $('patch boat fleet --type=merge -p \'{"spec":{"sails":9}}\''),
    helm('upgrade fleet boats --set sails=6'),
    helm('upgrade fleet boats --set sails=6 --force-conflicts'),
    $('get boat fleet -o yaml --show-managed-fields'),
    $('get secret fleet-kept -o yaml --show-managed-fields'),
    helm('rollback fleet'),
    helm('uninstall fleet --keep-history'),
    helm('list --uninstalled'),
    helm('rollback fleet 1'),
    $('get boats'),
    helm('uninstall fleet'),
    helm('uninstall web --dry-run'),
    helm('uninstall web'),
    helm('uninstall web'),
    helm('list'),
    $('get all'),
    RELEASES,
  ],
};
