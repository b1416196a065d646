/**
 * Type views for tests: the parts of Pod, Deployment and Service that exercise every rule of strategic merge. The facts
 * are those of k8s.io/api 1.36.
 */
import {
  type AnyView,
  createStructView,
  type FieldView,
  type ListView,
  type MapView,
  type PatchStrategy,
  type ScalarType,
  type StructView,
  type TypeView,
} from '../type-view.ts';

interface FieldFacts {
  readonly type: TypeView | (() => TypeView);
  readonly pointer?: boolean;
  readonly strategies?: readonly PatchStrategy[];
  readonly mergeKey?: string;
}

function scalar(type: ScalarType): TypeView {
  return { kind: 'scalar', scalar: type };
}

const string = scalar('string');
const int32 = scalar('int32');
const boolean = scalar('boolean');

export function struct(name: string, facts: Readonly<Record<string, FieldFacts | TypeView>>): StructView {
  const fields = Object.entries(facts).map(([field, fact], i): FieldView => {
    const { type, pointer, strategies, mergeKey }: FieldFacts = 'kind' in fact ? { type: fact } : fact;
    return {
      name: field,
      get type() {
        return typeof type === 'function' ? type() : type;
      },
      patchStrategies: strategies ?? [],
      patchMergeKey: mergeKey,
      required: false,
      nullable: false,
      defaultValue: undefined,
      wire: { number: i + 1, pointer: pointer ?? false, omitEmpty: true },
    };
  });
  return createStructView(name, () => fields);
}

function list(items: TypeView): ListView {
  return { kind: 'list', items, listType: 'atomic', mapKeys: [] };
}

function map(values: TypeView): MapView {
  return { kind: 'map', atomic: false, values };
}

function merging(items: TypeView, mergeKey?: string): FieldFacts {
  return { type: list(items), strategies: ['merge'], ...(mergeKey === undefined ? {} : { mergeKey }) };
}

function pointer(type: TypeView): FieldFacts {
  return { type, pointer: true };
}

export const rawExtension: AnyView = { kind: 'any', raw: 'raw-extension' };

const ownerReference = struct('OwnerReference', {
  apiVersion: string,
  kind: string,
  name: string,
  uid: string,
  controller: pointer(boolean),
  blockOwnerDeletion: pointer(boolean),
});

const objectMeta = struct('ObjectMeta', {
  name: string,
  namespace: string,
  generation: scalar('int64'),
  creationTimestamp: scalar('time'),
  labels: map(string),
  annotations: map(string),
  ownerReferences: merging(ownerReference, 'uid'),
  finalizers: merging(string),
});

const container = struct('Container', {
  name: string,
  image: string,
  command: list(string),
  args: list(string),
  ports: merging(
    struct('ContainerPort', { name: string, hostPort: int32, containerPort: int32, protocol: string, hostIP: string }),
    'containerPort',
  ),
  env: merging(
    struct('EnvVar', {
      name: string,
      value: string,
      valueFrom: pointer(
        struct('EnvVarSource', {
          fieldRef: pointer(struct('ObjectFieldSelector', { apiVersion: string, fieldPath: string })),
          secretKeyRef: pointer(struct('SecretKeySelector', { name: string, key: string, optional: pointer(boolean) })),
        }),
      ),
    }),
    'name',
  ),
  resources: struct('ResourceRequirements', { limits: map(scalar('quantity')), requests: map(scalar('quantity')) }),
  volumeMounts: merging(
    struct('VolumeMount', { name: string, readOnly: boolean, mountPath: string, subPath: string }),
    'mountPath',
  ),
  imagePullPolicy: string,
  securityContext: pointer(
    struct('SecurityContext', {
      capabilities: pointer(struct('Capabilities', { add: list(string), drop: list(string) })),
      privileged: pointer(boolean),
    }),
  ),
});

const keyToPath = struct('KeyToPath', { key: string, path: string, mode: pointer(int32) });

const volume = struct('Volume', {
  name: string,
  emptyDir: pointer(struct('EmptyDirVolumeSource', { medium: string, sizeLimit: pointer(scalar('quantity')) })),
  hostPath: pointer(struct('HostPathVolumeSource', { path: string, type: pointer(string) })),
  configMap: pointer(
    struct('ConfigMapVolumeSource', {
      name: string,
      items: list(keyToPath),
      defaultMode: pointer(int32),
      optional: pointer(boolean),
    }),
  ),
});

const podSpec = struct('PodSpec', {
  volumes: { type: list(volume), strategies: ['merge', 'retainKeys'], mergeKey: 'name' },
  initContainers: merging(container, 'name'),
  containers: merging(container, 'name'),
  restartPolicy: string,
  terminationGracePeriodSeconds: pointer(scalar('int64')),
  nodeSelector: map(string),
  nodeName: string,
  hostNetwork: boolean,
  securityContext: pointer(
    struct('PodSecurityContext', {
      runAsUser: pointer(scalar('int64')),
      supplementalGroups: list(scalar('int64')),
      sysctls: list(struct('Sysctl', { name: string, value: string })),
    }),
  ),
  imagePullSecrets: merging(struct('LocalObjectReference', { name: string }), 'name'),
  hostAliases: merging(struct('HostAlias', { ip: string, hostnames: list(string) }), 'ip'),
  tolerations: list(struct('Toleration', { key: string, operator: string, value: string, effect: string })),
});

export const podView: StructView = struct('Pod', {
  kind: string,
  apiVersion: string,
  metadata: objectMeta,
  spec: podSpec,
  status: struct('PodStatus', {
    phase: string,
    conditions: merging(struct('PodCondition', { type: string, status: string, reason: string }), 'type'),
    podIPs: merging(struct('PodIP', { ip: string }), 'ip'),
  }),
});

export const deploymentView: StructView = struct('Deployment', {
  kind: string,
  apiVersion: string,
  metadata: objectMeta,
  spec: struct('DeploymentSpec', {
    replicas: pointer(int32),
    selector: pointer(
      struct('LabelSelector', {
        matchLabels: map(string),
        matchExpressions: list(
          struct('LabelSelectorRequirement', { key: string, operator: string, values: list(string) }),
        ),
      }),
    ),
    template: struct('PodTemplateSpec', { metadata: objectMeta, spec: podSpec }),
    strategy: {
      type: struct('DeploymentStrategy', {
        type: string,
        rollingUpdate: pointer(
          struct('RollingUpdateDeployment', {
            maxUnavailable: pointer(scalar('int-or-string')),
            maxSurge: pointer(scalar('int-or-string')),
          }),
        ),
      }),
      strategies: ['retainKeys'],
    },
    minReadySeconds: int32,
  }),
});

export const serviceView: StructView = struct('Service', {
  kind: string,
  apiVersion: string,
  metadata: objectMeta,
  spec: struct('ServiceSpec', {
    ports: merging(
      struct('ServicePort', {
        name: string,
        protocol: string,
        port: int32,
        targetPort: scalar('int-or-string'),
        nodePort: int32,
      }),
      'port',
    ),
    selector: map(string),
    clusterIP: string,
    clusterIPs: list(string),
    type: string,
    externalIPs: list(string),
  }),
});
