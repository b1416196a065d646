/** A definition, and functions that read and check manifests, for the tests of this folder. */
import { createSchemaChecks } from '../apiextensions/definition/validation/create-schema-checks.ts';
import { type CheckedCrd, checkCrd, isCrd } from './crd-check.ts';
import { type Manifests, readManifests } from './manifest-files.ts';

export const CRON_TAB: string = `# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList, shortNames: [ct]}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          description: A table of things to do.
          properties:
            spec:
              type: object
              required: [cronSpec]
              x-kubernetes-validations:
                - rule: self.replicas < 10
              properties:
                cronSpec: {type: string, pattern: '^[0-9*]+$'}
                image: {type: string, enum: [a, b]}
                replicas: {type: integer, default: 1}
                ports:
                  type: array
                  items:
                    type: object
                    properties: {port: {x-kubernetes-int-or-string: true}, my-name: {type: string, nullable: true}}
                extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
                labels: {type: object, additionalProperties: {type: string}}
`;

/** Reads a text as standard input. */
export function readText(text: string | Uint8Array): Promise<Manifests> {
  return readManifests(['-'], { readStdin: async () => (typeof text === 'string' ? Buffer.from(text) : text) });
}

/** Checks the definitions in a text. */
export async function checkText(text: string): Promise<readonly CheckedCrd[]> {
  const tools = { checks: createSchemaChecks(), caBundle: () => undefined };
  return (await readText(text)).manifests.filter(isCrd).map((manifest) => checkCrd(manifest, tools));
}

/** Returns the findings as `line:column message`. */
export function places(
  findings: readonly { readonly place: { readonly line: number; readonly column: number }; readonly message: string }[],
): string[] {
  return findings.map(({ place: { line, column }, message }) => `${line}:${column} ${message}`);
}
