/**
 * Pod templates as the reference's internal types print in messages: every field, by its Go name, zero values included. Invariant: pure; the table is read when a message
 * first needs it.
 */
import { objectAt } from '../../../apimachinery/meta/object-fields.ts';
import { getField, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.ts';

/**
 * The fields of each struct in their order: `Name`, `Name=json` where the JSON name does not follow from it, then what it is. Nothing: text; `#` a number; `!` true or
 * false; `?` null if absent; `Struct` and `?Struct` (also for lists); `~` prints by its JSON names, `~0` and `~0q` with a zero. `<Struct`: its fields stand here.
 */
const STRUCTS: Readonly<Record<string, string>> = {
  HostPathVolumeSource: 'Path Type:?',
  EmptyDirVolumeSource: 'Medium SizeLimit:~',
  GCEPersistentDiskVolumeSource: 'PDName FSType Partition:# ReadOnly:!',
  AWSElasticBlockStoreVolumeSource: 'VolumeID FSType Partition:# ReadOnly:!',
  GitRepoVolumeSource: 'Repository Revision Directory',
  KeyToPath: 'Key Path Mode:?',
  SecretVolumeSource: 'SecretName Items:?KeyToPath DefaultMode:? Optional:?',
  NFSVolumeSource: 'Server Path ReadOnly:!',
  LocalObjectReference: 'Name',
  ISCSIVolumeSource:
    'TargetPortal IQN Lun:# ISCSIInterface FSType ReadOnly:! Portals:? DiscoveryCHAPAuth=chapAuthDiscovery:! SessionCHAPAuth=chapAuthSession:! SecretRef:?LocalObjectReference InitiatorName:?',
  GlusterfsVolumeSource: 'EndpointsName=endpoints Path ReadOnly:!',
  PersistentVolumeClaimVolumeSource: 'ClaimName ReadOnly:!',
  RBDVolumeSource:
    'CephMonitors=monitors:? RBDImage=image FSType RBDPool=pool RadosUser=user Keyring SecretRef:?LocalObjectReference ReadOnly:!',
  QuobyteVolumeSource: 'Registry Volume ReadOnly:! User Group Tenant',
  FlexVolumeSource: 'Driver FSType SecretRef:?LocalObjectReference ReadOnly:! Options:?',
  CinderVolumeSource: 'VolumeID FSType ReadOnly:! SecretRef:?LocalObjectReference',
  CephFSVolumeSource: 'Monitors:? Path User SecretFile SecretRef:?LocalObjectReference ReadOnly:!',
  FlockerVolumeSource: 'DatasetName DatasetUUID',
  ObjectFieldSelector: 'APIVersion FieldPath',
  ResourceFieldSelector: 'ContainerName Resource Divisor:~0q',
  DownwardAPIVolumeFile: 'Path FieldRef:?ObjectFieldSelector ResourceFieldRef:?ResourceFieldSelector Mode:?',
  DownwardAPIVolumeSource: 'Items:?DownwardAPIVolumeFile DefaultMode:?',
  FCVolumeSource: 'TargetWWNs:? Lun:? FSType ReadOnly:! WWIDs=wwids:?',
  AzureFileVolumeSource: 'SecretName ShareName ReadOnly:!',
  ConfigMapVolumeSource: '<LocalObjectReference Items:?KeyToPath DefaultMode:? Optional:?',
  VsphereVirtualDiskVolumeSource: 'VolumePath FSType StoragePolicyName StoragePolicyID',
  AzureDiskVolumeSource: 'DiskName DataDiskURI=diskURI CachingMode:? FSType:? ReadOnly:? Kind:?',
  PhotonPersistentDiskVolumeSource: 'PdID FSType',
  SecretProjection: '<LocalObjectReference Items:?KeyToPath Optional:?',
  DownwardAPIProjection: 'Items:?DownwardAPIVolumeFile',
  ConfigMapProjection: '<LocalObjectReference Items:?KeyToPath Optional:?',
  ServiceAccountTokenProjection: 'Audience ExpirationSeconds:# Path',
  ClusterTrustBundleProjection: 'Name:? SignerName:? LabelSelector:~ Optional:? Path',
  PodCertificateProjection:
    'SignerName KeyType MaxExpirationSeconds:? CredentialBundlePath KeyPath CertificateChainPath UserAnnotations:?',
  VolumeProjection:
    'Secret:?SecretProjection DownwardAPI:?DownwardAPIProjection ConfigMap:?ConfigMapProjection ServiceAccountToken:?ServiceAccountTokenProjection ClusterTrustBundle:?ClusterTrustBundleProjection PodCertificate:?PodCertificateProjection',
  ProjectedVolumeSource: 'Sources:?VolumeProjection DefaultMode:?',
  PortworxVolumeSource: 'VolumeID FSType ReadOnly:!',
  ScaleIOVolumeSource:
    'Gateway System SecretRef:?LocalObjectReference SSLEnabled:! ProtectionDomain StoragePool StorageMode VolumeName FSType ReadOnly:!',
  StorageOSVolumeSource: 'VolumeName VolumeNamespace FSType ReadOnly:! SecretRef:?LocalObjectReference',
  CSIVolumeSource: 'Driver ReadOnly:? FSType:? VolumeAttributes:? NodePublishSecretRef:?LocalObjectReference',
  VolumeResourceRequirements: 'Limits:? Requests:?',
  TypedLocalObjectReference: 'APIGroup:? Kind Name',
  TypedObjectReference: 'APIGroup:? Kind Name Namespace:?',
  PersistentVolumeClaimSpec:
    'AccessModes:? Selector:~ Resources:VolumeResourceRequirements VolumeName StorageClassName:? VolumeMode:? DataSource:?TypedLocalObjectReference DataSourceRef:?TypedObjectReference VolumeAttributesClassName:?',
  PersistentVolumeClaimTemplate: '<ObjectMeta Spec:PersistentVolumeClaimSpec',
  EphemeralVolumeSource: 'VolumeClaimTemplate:?PersistentVolumeClaimTemplate',
  ImageVolumeSource: 'Reference PullPolicy',
  VolumeSource:
    'HostPath:?HostPathVolumeSource EmptyDir:?EmptyDirVolumeSource GCEPersistentDisk:?GCEPersistentDiskVolumeSource AWSElasticBlockStore:?AWSElasticBlockStoreVolumeSource GitRepo:?GitRepoVolumeSource Secret:?SecretVolumeSource NFS:?NFSVolumeSource ISCSI:?ISCSIVolumeSource Glusterfs:?GlusterfsVolumeSource PersistentVolumeClaim:?PersistentVolumeClaimVolumeSource RBD:?RBDVolumeSource Quobyte:?QuobyteVolumeSource FlexVolume:?FlexVolumeSource Cinder:?CinderVolumeSource CephFS=cephfs:?CephFSVolumeSource Flocker:?FlockerVolumeSource DownwardAPI:?DownwardAPIVolumeSource FC:?FCVolumeSource AzureFile:?AzureFileVolumeSource ConfigMap:?ConfigMapVolumeSource VsphereVolume:?VsphereVirtualDiskVolumeSource AzureDisk:?AzureDiskVolumeSource PhotonPersistentDisk:?PhotonPersistentDiskVolumeSource Projected:?ProjectedVolumeSource PortworxVolume:?PortworxVolumeSource ScaleIO:?ScaleIOVolumeSource StorageOS=storageos:?StorageOSVolumeSource CSI:?CSIVolumeSource Ephemeral:?EphemeralVolumeSource Image:?ImageVolumeSource',
  Volume: 'Name <VolumeSource',
  ContainerPort: 'Name HostPort:# ContainerPort:# Protocol HostIP',
  ConfigMapEnvSource: '<LocalObjectReference Optional:?',
  SecretEnvSource: '<LocalObjectReference Optional:?',
  EnvFromSource: 'Prefix ConfigMapRef:?ConfigMapEnvSource SecretRef:?SecretEnvSource',
  ConfigMapKeySelector: '<LocalObjectReference Key Optional:?',
  SecretKeySelector: '<LocalObjectReference Key Optional:?',
  FileKeySelector: 'VolumeName Path Key Optional:?',
  EnvVarSource:
    'FieldRef:?ObjectFieldSelector ResourceFieldRef:?ResourceFieldSelector ConfigMapKeyRef:?ConfigMapKeySelector SecretKeyRef:?SecretKeySelector FileKeyRef:?FileKeySelector',
  EnvVar: 'Name Value ValueFrom:?EnvVarSource',
  ResourceClaim: 'Name Request',
  ResourceRequirements: 'Limits:? Requests:? Claims:?ResourceClaim',
  ContainerResizePolicy: 'ResourceName RestartPolicy',
  ContainerRestartRuleOnExitCodes: 'Operator Values:?',
  ContainerRestartRule: 'Action ExitCodes:?ContainerRestartRuleOnExitCodes',
  VolumeMount: 'Name ReadOnly:! RecursiveReadOnly:? MountPath SubPath MountPropagation:? SubPathExpr',
  VolumeDevice: 'Name DevicePath',
  ExecAction: 'Command:?',
  HTTPHeader: 'Name Value',
  HTTPGetAction: 'Path Port:~0 Host Scheme HTTPHeaders:?HTTPHeader',
  TCPSocketAction: 'Port:~0 Host',
  GRPCAction: 'Port:# Service:?',
  ProbeHandler: 'Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction GRPC:?GRPCAction',
  Probe:
    '<ProbeHandler InitialDelaySeconds:# TimeoutSeconds:# PeriodSeconds:# SuccessThreshold:# FailureThreshold:# TerminationGracePeriodSeconds:?',
  SleepAction: 'Seconds:#',
  LifecycleHandler: 'Exec:?ExecAction HTTPGet:?HTTPGetAction TCPSocket:?TCPSocketAction Sleep:?SleepAction',
  Lifecycle: 'PostStart:?LifecycleHandler PreStop:?LifecycleHandler StopSignal:?',
  Capabilities: 'Add:? Drop:?',
  SELinuxOptions: 'User Role Type Level',
  WindowsSecurityContextOptions: 'GMSACredentialSpecName:? GMSACredentialSpec:? RunAsUserName:? HostProcess:?',
  SeccompProfile: 'Type LocalhostProfile:?',
  AppArmorProfile: 'Type LocalhostProfile:?',
  SecurityContext:
    'Capabilities:?Capabilities Privileged:? SELinuxOptions:?SELinuxOptions WindowsOptions:?WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? ReadOnlyRootFilesystem:? AllowPrivilegeEscalation:? ProcMount:? SeccompProfile:?SeccompProfile AppArmorProfile:?AppArmorProfile',
  Container:
    'Name Image Command:? Args:? WorkingDir Ports:?ContainerPort EnvFrom:?EnvFromSource Env:?EnvVar Resources:ResourceRequirements ResizePolicy:?ContainerResizePolicy RestartPolicy:? RestartPolicyRules:?ContainerRestartRule VolumeMounts:?VolumeMount VolumeDevices:?VolumeDevice LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:?SecurityContext Stdin:! StdinOnce:! TTY:!',
  EphemeralContainerCommon:
    'Name Image Command:? Args:? WorkingDir Ports:?ContainerPort EnvFrom:?EnvFromSource Env:?EnvVar Resources:ResourceRequirements ResizePolicy:?ContainerResizePolicy RestartPolicy:? RestartPolicyRules:?ContainerRestartRule VolumeMounts:?VolumeMount VolumeDevices:?VolumeDevice LivenessProbe:?Probe ReadinessProbe:?Probe StartupProbe:?Probe Lifecycle:?Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:?SecurityContext Stdin:! StdinOnce:! TTY:!',
  EphemeralContainer: '<EphemeralContainerCommon TargetContainerName',
  Sysctl: 'Name Value',
  PodSecurityContext:
    'HostNetwork:! HostPID:! HostIPC:! ShareProcessNamespace:? HostUsers:? SELinuxOptions:?SELinuxOptions WindowsOptions:?WindowsSecurityContextOptions RunAsUser:? RunAsGroup:? RunAsNonRoot:? SupplementalGroups:? SupplementalGroupsPolicy:? FSGroup:? FSGroupChangePolicy:? Sysctls:?Sysctl SeccompProfile:?SeccompProfile AppArmorProfile:?AppArmorProfile SELinuxChangePolicy:?',
  NodeSelectorRequirement: 'Key Operator Values:?',
  NodeSelectorTerm: 'MatchExpressions:?NodeSelectorRequirement MatchFields:?NodeSelectorRequirement',
  NodeSelector: 'NodeSelectorTerms:?NodeSelectorTerm',
  PreferredSchedulingTerm: 'Weight:# Preference:NodeSelectorTerm',
  NodeAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:?NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:?PreferredSchedulingTerm',
  PodAffinityTerm: 'LabelSelector:~ Namespaces:? TopologyKey NamespaceSelector:~ MatchLabelKeys:? MismatchLabelKeys:?',
  WeightedPodAffinityTerm: 'Weight:# PodAffinityTerm:PodAffinityTerm',
  PodAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:?PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:?WeightedPodAffinityTerm',
  PodAntiAffinity:
    'RequiredDuringSchedulingIgnoredDuringExecution:?PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:?WeightedPodAffinityTerm',
  Affinity: 'NodeAffinity:?NodeAffinity PodAffinity:?PodAffinity PodAntiAffinity:?PodAntiAffinity',
  Toleration: 'Key Operator Value Effect TolerationSeconds:?',
  HostAlias: 'IP Hostnames:?',
  PodDNSConfigOption: 'Name Value:?',
  PodDNSConfig: 'Nameservers:? Searches:? Options:?PodDNSConfigOption',
  PodReadinessGate: 'ConditionType',
  TopologySpreadConstraint:
    'MaxSkew:# TopologyKey WhenUnsatisfiable LabelSelector:~ MinDomains:? NodeAffinityPolicy:? NodeTaintsPolicy:? MatchLabelKeys:?',
  PodOS: 'Name',
  PodSchedulingGate: 'Name',
  PodResourceClaim: 'Name ResourceClaimName:? ResourceClaimTemplateName:?',
  PodSchedulingGroup: 'PodGroupName:?',
  PodSpec:
    'Volumes:?Volume InitContainers:?Container Containers:?Container EphemeralContainers:?EphemeralContainer RestartPolicy TerminationGracePeriodSeconds:? ActiveDeadlineSeconds:? DNSPolicy NodeSelector:? ServiceAccountName AutomountServiceAccountToken:? NodeName SecurityContext:?PodSecurityContext ImagePullSecrets:?LocalObjectReference Hostname Subdomain SetHostnameAsFQDN:? Affinity:?Affinity SchedulerName Tolerations:?Toleration HostAliases:?HostAlias PriorityClassName Priority:? PreemptionPolicy:? DNSConfig:?PodDNSConfig ReadinessGates:?PodReadinessGate RuntimeClassName:? Overhead:? EnableServiceLinks:? TopologySpreadConstraints:?TopologySpreadConstraint OS:?PodOS SchedulingGates:?PodSchedulingGate ResourceClaims:?PodResourceClaim Resources:?ResourceRequirements HostnameOverride:? SchedulingGroup:?PodSchedulingGroup',
  PodTemplateSpec: '<ObjectMeta Spec:PodSpec',
};

/** What stands in a pod's spec and is part of its security context in the reference. */
const HOST_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'] as const;

type Write = (shown: JsonObject, value: JsonObject) => void;

const writers: Map<string, readonly Write[]> = new Map();

export function shownPodTemplate(template: JsonObject): JsonObject {
  return show('PodTemplateSpec', { ...template, spec: withHostFields(objectAt(template, 'spec') ?? {}) });
}

export function shownPodSpec(spec: JsonObject): JsonObject {
  return show('PodSpec', withHostFields(spec));
}

function withHostFields(spec: JsonObject): JsonObject {
  const context = { ...objectAt(spec, 'securityContext') };
  for (const name of HOST_FIELDS) if (spec[name] !== undefined) context[name] = spec[name];
  return { ...spec, securityContext: context };
}

function show(struct: string, value: JsonObject): JsonObject {
  const shown: JsonObject = {};
  for (const write of writersOf(struct)) write(shown, value);
  return shown;
}

function writersOf(struct: string): readonly Write[] {
  const known = writers.get(struct);
  if (known !== undefined) return known;
  const made = (STRUCTS[struct] ?? '').split(' ').map(writerOf);
  writers.set(struct, made);
  return made;
}

function writerOf(field: string): Write {
  if (field === '<ObjectMeta') return (shown, value) => void Object.assign(shown, objectAt(value, 'metadata'));
  if (field.startsWith('<')) {
    const struct = field.slice(1);
    return (shown, value) => void Object.assign(shown, show(struct, value));
  }
  const [names = '', type = ''] = field.split(':');
  const [go = '', json = jsonName(go)] = names.split('=');
  return (shown, value) => {
    shown[go] = showField(getField(value, json) ?? undefined, type);
  };
}

/** The JSON name that follows from a Go name: its first word in lower case. */
function jsonName(go: string): string {
  return go.replace(/^([A-Z]+?)(?=[A-Z][a-z]|$)|^[A-Z]/, (word) => word.toLowerCase());
}

function showField(value: JsonValue | undefined, type: string): JsonValue {
  switch (type) {
    case '':
      return value ?? '';
    case '#':
    case '~0':
      return value ?? 0;
    case '!':
      return value ?? false;
    case '~0q':
      return value ?? '0';
    case '?':
    case '~':
      return value ?? null;
    default:
      return showStruct(value, type);
  }
}

function showStruct(value: JsonValue | undefined, type: string): JsonValue {
  const isOptional = type.startsWith('?');
  const struct = isOptional ? type.slice(1) : type;
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(item) ? show(struct, item) : item));
  if (isJsonObject(value)) return show(struct, value);
  return isOptional ? null : show(struct, {});
}
