/**
 * The Helm script: a chart as `helm create` makes it, and one with a custom kind, from install to uninstall. kubectl
 * shows the stored objects in between.
 */
import { $, type Script, type Step } from '../kubectl/script.ts';

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.helm.example.com}
spec:
  group: helm.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              sails: {type: integer, minimum: 1, default: 2}
              name: {type: string}
`;
const BOAT = `apiVersion: helm.example.com/v1
kind: Boat
metadata: {name: {{ .Release.Name }}}
spec:
  sails: {{ .Values.sails }}
  name: {{ .Chart.Name }}
`;
const HOOK = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
data: {revision: "{{ .Release.Revision }}", minor: "{{ .Capabilities.KubeVersion.Minor }}", apps: "{{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}"}
`;
const LOOKUP = `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-kept}
data:
  {{- $old := lookup "v1" "Secret" .Release.Namespace (printf "%s-kept" .Release.Name) }}
  value: {{ if $old }}{{ index $old.data "value" }}{{ else }}{{ b64enc (toString .Release.Revision) }}{{ end }}
`;

/** A command line of helm. */
function helm(line: string, options: Omit<Step, 'line' | 'program'> = {}): Step {
  return $(line, { ...options, program: 'helm', view: withoutTimes, errors: withoutTimes });
}

/** Replaces times in helm's format. */
function withoutTimes(text: string): string {
  return text
    .replace(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} +\d+ \d\d:\d\d:\d\d 20\d\d/g, '<time>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \+0000 UTC(?: *(?=\t))?/g, '<time>')
    .replace(/"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"?/g, '<time>');
}

/** Shows all objects of the chart. */
const STORED = $('get deployments,services,serviceaccounts,horizontalpodautoscalers,ingresses -o yaml');
const RELEASES = $('get secrets -l owner=helm --show-labels', {
  view: (text) => text.replace(/(?:createdAt|modifiedAt)=\d+/g, '<time>'),
});

export const HELM: Script = {
  name: 'helm',
  files: {
    'boats/Chart.yaml': 'apiVersion: v2\nname: boats\nversion: 0.1.0\nkubeVersion: ">=1.30.0-0"\n',
    'boats/values.yaml': 'sails: 3\n',
    'boats/crds/boats.yaml': CRD,
    'boats/templates/boat.yaml': BOAT,
    'boats/templates/hook.yaml': HOOK,
    'boats/templates/secret.yaml': LOOKUP,
    'bad.yaml': 'image: [1, 2]\n',
  },
  steps: [
    helm('version --short'),
    helm('create demo'),
    helm('lint demo'),
    helm('install web demo --dry-run=server'),
    helm('install web demo'),
    helm('install web demo'),
    helm('list'),
    helm('status web'),
    helm('get manifest web'),
    helm('get values web'),
    helm('get all web'),
    helm('history web'),
    STORED,
    RELEASES,
    helm('upgrade web demo --set replicaCount=3,image.tag=2,service.type=NodePort'),
    helm('upgrade web demo --reuse-values --set autoscaling.enabled=true,ingress.enabled=true,ingress.className=nginx'),
    helm('history web'),
    helm('get values web --revision=2'),
    STORED,
    helm('upgrade web demo --set service.port=70000'),
    helm('upgrade web demo --set nameOverride=Not_A_Name'),
    helm('upgrade web demo -f bad.yaml'),
    helm('history web'),
    helm('status web'),
    helm('upgrade web demo --wait --timeout=2s'),
    helm('upgrade web demo --atomic --timeout=2s --set replicaCount=2'),
    helm('history web --max=3'),
    helm('rollback web 1'),
    helm('history web'),
    STORED,
    helm('rollback web 99'),
    helm('rollback web 2 --dry-run'),
    helm('rollback web 2 --cleanup-on-fail --recreate-pods'),
    STORED,
    helm('test web --timeout=2s'),
    $('label service web-demo changed=by-hand'),
    $('scale deployment web-demo --replicas=7'),
    helm('upgrade web demo --force'),
    helm('upgrade web demo --set replicaCount=4'),
    STORED,
    helm('upgrade --install other demo --create-namespace --namespace={{ns}}-other --set serviceAccount.create=false'),
    helm('list --all-namespaces -o json'),
    helm('uninstall other --namespace={{ns}}-other'),
    helm('install fleet boats'),
    $('get boats -o yaml'),
    $('get configmap fleet-hook -o yaml'),
    helm('upgrade fleet boats --set sails=5'),
    helm('upgrade fleet boats --set sails=0'),
    $('get boat fleet -o yaml'),
    $('get secret fleet-kept -o yaml'),
    helm('rollback fleet'),
    helm('uninstall fleet --keep-history'),
    helm('list --all'),
    helm('rollback fleet 1'),
    $('get boats'),
    helm('uninstall fleet'),
    helm('uninstall web --dry-run'),
    helm('uninstall web'),
    helm('uninstall web'),
    helm('list --all'),
    $('get all'),
    RELEASES,
  ],
};
