/** Manifests of definitions and their objects, in YAML. */

export interface ManifestOptions {
  /** The first label of the group, unique to the script. */
  readonly name: string;
  /** Text in place of the list of versions, indented by two. */
  readonly versions?: string;
}

const V1 = `  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A boat that carries things.
        required: [spec]
        properties:
          spec:
            type: object
            description: What the boat should be.
            required: [captain]
            x-kubernetes-validations:
            - rule: "!has(self.minCrew) || self.minCrew <= self.crew"
              message: the crew is too small
              fieldPath: .crew
            properties:
              captain:
                type: string
                description: Who commands.
                minLength: 2
              color:
                type: string
                enum: [red, green, blue]
                default: blue
              crew:
                type: integer
                format: int32
                default: 1
                maximum: 50
              minCrew: {type: integer}
              cargo:
                type: array
                description: What is on board.
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    weight: {x-kubernetes-int-or-string: true}
              notes:
                type: object
                additionalProperties: {type: string}
              extra:
                type: object
                x-kubernetes-preserve-unknown-fields: true
          status:
            type: object
            properties:
              crew: {type: integer}
              selector: {type: string}
              phase: {type: string}
              conditions:
                type: array
                items:
                  type: object
                  properties:
                    type: {type: string}
                    status: {type: string}
                    reason: {type: string}
                    message: {type: string}
                    lastTransitionTime: {type: string, format: date-time}
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.crew
        statusReplicasPath: .status.crew
        labelSelectorPath: .status.selector
    selectableFields:
    - jsonPath: .spec.color
    - jsonPath: .spec.captain
    additionalPrinterColumns:
    - {name: Captain, type: string, jsonPath: .spec.captain}
    - {name: Crew, type: integer, jsonPath: .spec.crew, description: How many.}
    - {name: Phase, type: string, jsonPath: .status.phase}
    - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
`;

/** A second version, with another schema and other columns. */
export const SECOND_VERSION = `  - name: v1beta1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              captain: {type: string, description: Who leads.}
              color: {type: string}
              crew: {type: integer}
              flag: {type: string, description: Only here.}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
    subresources:
      status: {}
    additionalPrinterColumns:
    - {name: Flag, type: string, jsonPath: .spec.flag}
  - name: v1alpha1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: boats of v1alpha1 sink in the next release
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

/** A definition of boats in a group of its own, with short names and categories. */
export function boats({ name, versions = V1 }: ManifestOptions): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.${name}.example.com
spec:
  group: ${name}.example.com
  scope: Namespaced
  names:
    plural: boats
    singular: boat
    kind: Boat
    listKind: BoatList
    shortNames: [bt-${name}]
    categories: [all, fleet-${name}]
  versions:
${versions}`;
}

/** A definition of boats with all versions. */
export function boatsInVersions(name: string): string {
  return boats({ name, versions: V1 + SECOND_VERSION });
}

export function boat(group: string, name: string, spec: string, version = 'v1'): string {
  return `apiVersion: ${group}.example.com/${version}
kind: Boat
metadata: {name: ${name}, labels: {fleet: one}}
spec: {${spec}}
`;
}
