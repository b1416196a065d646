/**
 * Valid pod specs, for pods and for every kind with a pod template. Together they set nearly every field of PodSpec.
 */
import type { JsonDict } from '../../crds/schema.ts';

export const MINIMAL_POD: JsonDict = { containers: [{ name: 'main', image: 'registry.example.com/app:1.2' }] };

const PROBE_TIMES: JsonDict = {
  initialDelaySeconds: 5,
  timeoutSeconds: 2,
  periodSeconds: 7,
  successThreshold: 1,
  failureThreshold: 4,
};

/** All fields of containers. */
export const CONTAINERS_POD: JsonDict = {
  initContainers: [
    {
      name: 'setup',
      image: 'setup@sha256:0123456789012345678901234567890123456789012345678901234567890123',
      command: ['sh', '-c'],
      args: ['true'],
    },
    {
      name: 'sidecar',
      image: 'sidecar',
      restartPolicy: 'Always',
      startupProbe: { exec: { command: ['ready'] }, ...PROBE_TIMES },
      livenessProbe: { tcpSocket: { port: 'side' }, ...PROBE_TIMES, terminationGracePeriodSeconds: 9 },
      lifecycle: { postStart: { exec: { command: ['a'] } }, preStop: { sleep: { seconds: 3 } } },
      ports: [{ name: 'side', containerPort: 9000 }],
    },
  ],
  containers: [
    {
      name: 'main',
      image: 'registry.example.com:5000/team/app:1.2',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/app'],
      args: ['--flag', '$(NAME)'],
      workingDir: '/srv',
      ports: [
        { name: 'http', containerPort: 8080, protocol: 'TCP' },
        { name: 'dns', containerPort: 53, protocol: 'UDP' },
        { containerPort: 9443, hostPort: 19443, hostIP: '127.0.0.1', protocol: 'SCTP' },
      ],
      envFrom: [
        { configMapRef: { name: 'settings', optional: true } },
        { prefix: 'SECRET_', secretRef: { name: 'secrets', optional: false } },
      ],
      env: [
        { name: 'NAME', value: 'x' },
        { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        { name: 'A_LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
        {
          name: 'CPU',
          valueFrom: { resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } },
        },
        { name: 'KEY', valueFrom: { secretKeyRef: { name: 'secrets', key: 'key', optional: true } } },
        { name: 'SETTING', valueFrom: { configMapKeyRef: { name: 'settings', key: 'setting' } } },
      ],
      resources: {
        limits: {
          cpu: '500m',
          memory: '128Mi',
          'ephemeral-storage': '1Gi',
          'hugepages-2Mi': '4Mi',
          'example.com/gpu': '2',
        },
        requests: {
          cpu: '250m',
          memory: '64Mi',
          'ephemeral-storage': '500Mi',
          'hugepages-2Mi': '4Mi',
          'example.com/gpu': '2',
        },
      },
      resizePolicy: [
        { resourceName: 'cpu', restartPolicy: 'NotRequired' },
        { resourceName: 'memory', restartPolicy: 'RestartContainer' },
      ],
      volumeMounts: [
        { name: 'scratch', mountPath: '/scratch', subPath: 'a/b', readOnly: false },
        { name: 'scratch', mountPath: '/other', subPathExpr: '$(POD_NAME)', mountPropagation: 'None' },
        { name: 'scratch', mountPath: '/ro', readOnly: true, recursiveReadOnly: 'Disabled' },
      ],
      livenessProbe: {
        httpGet: {
          path: '/healthz',
          port: 'http',
          host: 'app.example.com',
          scheme: 'HTTPS',
          httpHeaders: [{ name: 'X-Probe', value: 'live' }],
        },
        ...PROBE_TIMES,
        terminationGracePeriodSeconds: 20,
      },
      readinessProbe: { grpc: { port: 9443, service: 'health' }, ...PROBE_TIMES, successThreshold: 3 },
      startupProbe: { tcpSocket: { port: 8080, host: '10.1.1.1' }, ...PROBE_TIMES },
      lifecycle: {
        postStart: { httpGet: { path: '/start', port: 8080 } },
        preStop: { exec: { command: ['stop', '--now'] } },
      },
      terminationMessagePath: '/dev/log',
      terminationMessagePolicy: 'FallbackToLogsOnError',
      securityContext: {
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
        privileged: false,
        seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 's0:c1' },
        runAsUser: 1000,
        runAsGroup: 2000,
        runAsNonRoot: true,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        procMount: 'Default',
        seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/app.json' },
        appArmorProfile: { type: 'Localhost', localhostProfile: 'app' },
      },
      stdin: true,
      stdinOnce: true,
      tty: true,
    },
    { name: 'second', image: 'second:latest', volumeDevices: [{ name: 'block', devicePath: '/dev/block' }] },
  ],
  volumes: [
    { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '10Mi' } },
    { name: 'block', persistentVolumeClaim: { claimName: 'block' } },
  ],
};

const NODE_TERM: JsonDict = {
  matchExpressions: [
    { key: 'disk', operator: 'In', values: ['ssd', 'nvme'] },
    { key: 'cores', operator: 'Gt', values: ['4'] },
    { key: 'old', operator: 'DoesNotExist' },
  ],
  matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }],
};

const POD_TERM: JsonDict = {
  labelSelector: { matchLabels: { app: 'db' }, matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] },
  namespaces: ['other'],
  namespaceSelector: { matchLabels: { team: 'a' } },
  topologyKey: 'kubernetes.io/hostname',
  matchLabelKeys: ['pod-template-hash'],
  mismatchLabelKeys: ['version'],
};

/** All fields of the pod as a whole. */
export const SCHEDULING_POD: JsonDict = {
  containers: [{ name: 'main', image: 'app', resources: { claims: [{ name: 'gpu', request: 'one' }] } }],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 45,
  dnsPolicy: 'None',
  dnsConfig: {
    nameservers: ['10.96.0.10', '2001:db8::53'],
    searches: ['svc.example.com', '.'],
    options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
  },
  nodeSelector: { disk: 'ssd', 'kubernetes.io/os': 'linux' },
  serviceAccountName: 'runner',
  automountServiceAccountToken: false,
  shareProcessNamespace: true,
  hostIPC: false,
  securityContext: {
    seLinuxOptions: { level: 's0:c1,c2' },
    runAsUser: 1000,
    runAsGroup: 3000,
    runAsNonRoot: true,
    supplementalGroups: [4000, 5000],
    supplementalGroupsPolicy: 'Merge',
    fsGroup: 6000,
    fsGroupChangePolicy: 'OnRootMismatch',
    sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }],
    seccompProfile: { type: 'RuntimeDefault' },
    appArmorProfile: { type: 'RuntimeDefault' },
    seLinuxChangePolicy: 'Recursive',
  },
  imagePullSecrets: [{ name: 'registry' }, { name: 'registry-2' }],
  hostname: 'host',
  subdomain: 'sub',
  setHostnameAsFQDN: true,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [NODE_TERM] },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, preference: NODE_TERM }],
    },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [POD_TERM],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: POD_TERM }],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [POD_TERM],
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: POD_TERM }],
    },
  },
  schedulerName: 'own-scheduler',
  tolerations: [
    { key: 'dedicated', operator: 'Equal', value: 'db', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    { operator: 'Exists' },
  ],
  hostAliases: [{ ip: '10.1.2.3', hostnames: ['a.example.com', 'b'] }],
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  enableServiceLinks: false,
  readinessGates: [{ conditionType: 'example.com/ready' }],
  topologySpreadConstraints: [
    {
      maxSkew: 2,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'x' } },
      minDomains: 3,
      nodeAffinityPolicy: 'Ignore',
      nodeTaintsPolicy: 'Honor',
      matchLabelKeys: ['pod-template-hash'],
    },
  ],
  os: { name: 'linux' },
  hostUsers: true,
  resourceClaims: [
    { name: 'gpu', resourceClaimName: 'shared-gpu' },
    { name: 'made', resourceClaimTemplateName: 'gpu-template' },
  ],
  resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
};

/** Every volume source. */
export const VOLUMES_POD: JsonDict = {
  serviceAccountName: 'runner',
  containers: [{ name: 'main', image: 'app' }],
  volumes: [
    { name: 'empty', emptyDir: {} },
    { name: 'host', hostPath: { path: '/data', type: 'DirectoryOrCreate' } },
    {
      name: 'secret',
      secret: { secretName: 's', items: [{ key: 'a', path: 'x/a', mode: 256 }], defaultMode: 420, optional: true },
    },
    { name: 'config', configMap: { name: 'c', items: [{ key: 'a', path: 'a' }], defaultMode: 292, optional: false } },
    {
      name: 'downward',
      downwardAPI: {
        items: [
          { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
          { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1' }, mode: 288 },
        ],
        defaultMode: 420,
      },
    },
    {
      name: 'projected',
      projected: {
        defaultMode: 420,
        sources: [
          { secret: { name: 's', items: [{ key: 'a', path: 'a' }], optional: true } },
          { configMap: { name: 'c', items: [{ key: 'b', path: 'b', mode: 256 }] } },
          { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
          { serviceAccountToken: { audience: 'vault', expirationSeconds: 7200, path: 'token' } },
          {
            clusterTrustBundle: {
              signerName: 'example.com/signer',
              labelSelector: { matchLabels: { a: 'b' } },
              path: 'ca.crt',
            },
          },
        ],
      },
    },
    { name: 'claim', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
    {
      name: 'ephemeral',
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { a: 'b' }, annotations: { c: 'd' } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'fast',
            resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
            volumeMode: 'Filesystem',
          },
        },
      },
    },
    {
      name: 'csi',
      csi: {
        driver: 'csi.example.com',
        readOnly: true,
        fsType: 'ext4',
        volumeAttributes: { a: 'b' },
        nodePublishSecretRef: { name: 's' },
      },
    },
    { name: 'nfs', nfs: { server: 'nfs.example.com', path: '/export', readOnly: true } },
    {
      name: 'iscsi',
      iscsi: {
        targetPortal: '10.0.2.15:3260',
        iqn: 'iqn.2001-04.com.example:storage.disk1',
        lun: 1,
        iscsiInterface: 'default',
        fsType: 'ext4',
        readOnly: true,
        portals: ['10.0.2.16:3260'],
        chapAuthDiscovery: true,
        chapAuthSession: true,
        secretRef: { name: 's' },
        initiatorName: 'iqn.2001-04.com.example:init',
      },
    },
    { name: 'fc', fc: { targetWWNs: ['500a0982991b8dc5'], lun: 2, fsType: 'ext4', readOnly: true } },
    { name: 'gce', gcePersistentDisk: { pdName: 'disk', fsType: 'ext4', partition: 1, readOnly: true } },
    { name: 'aws', awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'ext4', partition: 1, readOnly: true } },
    { name: 'git', gitRepo: { repository: 'https://example.com/x.git', revision: 'abc', directory: 'x' } },
    { name: 'gluster', glusterfs: { endpoints: 'gluster', path: 'vol', readOnly: true } },
    {
      name: 'rbd',
      rbd: {
        monitors: ['10.1.1.1:6789'],
        image: 'img',
        fsType: 'ext4',
        pool: 'rbd',
        user: 'admin',
        keyring: '/etc/ceph/keyring',
        secretRef: { name: 's' },
        readOnly: true,
      },
    },
    {
      name: 'flex',
      flexVolume: {
        driver: 'example.com/driver',
        fsType: 'ext4',
        secretRef: { name: 's' },
        readOnly: true,
        options: { a: 'b' },
      },
    },
    { name: 'cinder', cinder: { volumeID: 'v', fsType: 'ext4', readOnly: true, secretRef: { name: 's' } } },
    {
      name: 'cephfs',
      cephfs: {
        monitors: ['10.1.1.1:6789'],
        path: '/',
        user: 'admin',
        secretFile: '/etc/secret',
        secretRef: { name: 's' },
        readOnly: true,
      },
    },
    { name: 'flocker', flocker: { datasetName: 'd' } },
    { name: 'azure-file', azureFile: { secretName: 's', shareName: 'share', readOnly: true } },
    {
      name: 'azure-disk',
      azureDisk: {
        diskName: 'd',
        diskURI: 'https://example.com/d.vhd',
        cachingMode: 'ReadOnly',
        fsType: 'ext4',
        readOnly: true,
        kind: 'Shared',
      },
    },
    {
      name: 'vsphere',
      vsphereVolume: { volumePath: '[ds] vol', fsType: 'ext4', storagePolicyName: 'p', storagePolicyID: 'id' },
    },
    {
      name: 'quobyte',
      quobyte: { registry: 'q.example.com:7861', volume: 'v', readOnly: true, user: 'u', group: 'g', tenant: 't' },
    },
    { name: 'portworx', portworxVolume: { volumeID: 'v', fsType: 'ext4', readOnly: true } },
    {
      name: 'scaleio',
      scaleIO: {
        gateway: 'https://x',
        system: 's',
        secretRef: { name: 's' },
        sslEnabled: true,
        protectionDomain: 'pd',
        storagePool: 'sp',
        storageMode: 'ThickProvisioned',
        volumeName: 'v',
        fsType: 'ext4',
        readOnly: true,
      },
    },
    {
      name: 'storageos',
      storageos: { volumeName: 'v', volumeNamespace: 'n', fsType: 'ext4', readOnly: true, secretRef: { name: 's' } },
    },
    { name: 'image', image: { reference: 'registry.example.com/data:1', pullPolicy: 'IfNotPresent' } },
    { name: 'photon', photonPersistentDisk: { pdID: 'p', fsType: 'ext4' } },
  ],
};

export const HOST_POD: JsonDict = {
  hostNetwork: true,
  hostPID: true,
  hostIPC: true,
  dnsPolicy: 'ClusterFirstWithHostNet',
  priorityClassName: 'system-node-critical',
  nodeName: 'node-1',
  tolerations: [{ operator: 'Exists' }],
  containers: [
    {
      name: 'main',
      image: 'app',
      ports: [{ containerPort: 80 }],
      securityContext: { privileged: true, procMount: 'Default' },
      volumeMounts: [{ name: 'host', mountPath: '/host', mountPropagation: 'Bidirectional' }],
    },
  ],
  volumes: [{ name: 'host', hostPath: { path: '/' } }],
};

export const WINDOWS_POD: JsonDict = {
  os: { name: 'windows' },
  securityContext: {
    runAsNonRoot: true,
    windowsOptions: {
      gmsaCredentialSpecName: 'spec',
      gmsaCredentialSpec: '{}',
      runAsUserName: 'ContainerUser',
      hostProcess: false,
    },
  },
  containers: [
    {
      name: 'main',
      image: 'app',
      securityContext: { windowsOptions: { runAsUserName: 'DOMAIN\\user' } },
      lifecycle: { stopSignal: 'SIGTERM' },
    },
  ],
};

/** One spec that sets as many fields as possible, for templates. */
export const FULL_POD: JsonDict = {
  ...SCHEDULING_POD,
  initContainers: CONTAINERS_POD['initContainers'] as JsonDict[],
  containers: CONTAINERS_POD['containers'] as JsonDict[],
  volumes: CONTAINERS_POD['volumes'] as JsonDict[],
  resourceClaims: [],
  resources: {},
};
