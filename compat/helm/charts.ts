/** Charts and steps that the scripts of Helm 3 and Helm 4 share. */
import { $, type Script, type Step } from '../kubectl/script.ts';

const crd = (group: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.${group}}
spec:
  group: ${group}
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
const boat = (group: string): string => `apiVersion: ${group}/v1
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

/** Returns the files of a chart with a custom kind in `group`, a hook and a lookup. */
export function boatsChart(group: string): NonNullable<Script['files']> {
  return {
    'boats/Chart.yaml': 'apiVersion: v2\nname: boats\nversion: 0.1.0\nkubeVersion: ">=1.30.0-0"\n',
    'boats/values.yaml': 'sails: 3\n',
    'boats/crds/boats.yaml': crd(group),
    'boats/templates/boat.yaml': boat(group),
    'boats/templates/hook.yaml': HOOK,
    'boats/templates/secret.yaml': LOOKUP,
  };
}

/** Returns a function that makes the command lines of a program. */
export function commandsOf(program: 'helm' | 'helm4'): (line: string) => Step {
  return (line) => $(line, { program, view: (text) => sortResources(withoutTimes(text)), errors: withoutTimes });
}

/** Sorts the kinds in the output of `status`: Helm prints them in the random order of a Go map. */
function sortResources(text: string): string {
  return text.replace(/(?<=^RESOURCES:\n)(?:(?!NOTES:)[\s\S])*/m, (resources) => {
    const kinds = resources.split(/^(?===> )/m).map((kind) => kind.trimEnd());
    return `${kinds.sort().join('\n\n')}\n\n`;
  });
}

/** Replaces times in helm's format. */
function withoutTimes(text: string): string {
  return text
    .replace(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} +\d+ \d\d:\d\d:\d\d 20\d\d/g, '<time>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \+0000 UTC(?: *(?=\t))?/g, '<time>')
    .replace(/"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"?/g, '<time>');
}

/** Shows the stored releases. */
export const RELEASES: Step = $('get secrets -l owner=helm --show-labels', {
  view: (text) => text.replace(/(?:createdAt|modifiedAt)=\d+/g, '<time>'),
});
