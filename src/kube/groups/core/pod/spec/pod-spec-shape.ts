/**
 * Pod specs as the reference's internal types print them: for the diffs in its messages. Invariant: facts, read when a message first needs them.
 */
import { fieldAt, objectAt, objectsAt } from '../../../../../apimachinery/meta/object-fields.ts';
import { BugError } from '../../../../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../../base/json-value.ts';
import { inGoShape, type Shape, type ShapeField } from '../../../../shared/go-shape.ts';

/**
 * A type a line: its name, then its fields in order: `json:Go=zero>type`. The Go name is left out where it is the JSON name with a capital letter, the zero value where it
 * is null (`s` text, `i` number, `b` boolean, `q` amount, `o` struct). What is named `tagged` prints by its JSON names. Metadata of claim templates are missing here.
 */
const TYPES = `
AWSElasticBlockStoreVolumeSource volumeID=s fsType:FSType=s partition=i readOnly=b
Affinity nodeAffinity>NodeAffinity podAffinity>PodAffinity podAntiAffinity>PodAntiAffinity
AppArmorProfile type=s localhostProfile
AzureDiskVolumeSource diskName=s diskURI:DataDiskURI=s cachingMode fsType:FSType readOnly kind
AzureFileVolumeSource secretName=s shareName=s readOnly=b
CSIVolumeSource driver=s readOnly fsType:FSType volumeAttributes nodePublishSecretRef>LocalObjectReference
Capabilities add drop
CephFSVolumeSource monitors path=s user=s secretFile=s secretRef>LocalObjectReference readOnly=b
CinderVolumeSource volumeID=s fsType:FSType=s readOnly=b secretRef>LocalObjectReference
ClusterTrustBundleProjection name signerName labelSelector>tagged optional path=s
ConfigMapEnvSource name=s optional
ConfigMapKeySelector name=s key=s optional
ConfigMapProjection name=s items>KeyToPath optional
ConfigMapVolumeSource name=s items>KeyToPath defaultMode optional
Container name=s image=s command args workingDir=s ports>ContainerPort envFrom>EnvFromSource env>EnvVar resources=o>ResourceRequirements resizePolicy>ContainerResizePolicy restartPolicy restartPolicyRules>ContainerRestartRule volumeMounts>VolumeMount volumeDevices>VolumeDevice livenessProbe>Probe readinessProbe>Probe startupProbe>Probe lifecycle>Lifecycle terminationMessagePath=s terminationMessagePolicy=s imagePullPolicy=s securityContext>SecurityContext stdin=b stdinOnce=b tty:TTY=b
ContainerPort name=s hostPort=i containerPort=i protocol=s hostIP=s
ContainerResizePolicy resourceName=s restartPolicy=s
ContainerRestartRule action=s exitCodes>ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator=s values
DownwardAPIProjection items>DownwardAPIVolumeFile
DownwardAPIVolumeFile path=s fieldRef>ObjectFieldSelector resourceFieldRef>ResourceFieldSelector mode
DownwardAPIVolumeSource items>DownwardAPIVolumeFile defaultMode
EmptyDirVolumeSource medium=s sizeLimit
EnvFromSource prefix=s configMapRef>ConfigMapEnvSource secretRef>SecretEnvSource
EnvVar name=s value=s valueFrom>EnvVarSource
EnvVarSource fieldRef>ObjectFieldSelector resourceFieldRef>ResourceFieldSelector configMapKeyRef>ConfigMapKeySelector secretKeyRef>SecretKeySelector fileKeyRef>FileKeySelector
EphemeralContainer name=s image=s command args workingDir=s ports>ContainerPort envFrom>EnvFromSource env>EnvVar resources=o>ResourceRequirements resizePolicy>ContainerResizePolicy restartPolicy restartPolicyRules>ContainerRestartRule volumeMounts>VolumeMount volumeDevices>VolumeDevice livenessProbe>Probe readinessProbe>Probe startupProbe>Probe lifecycle>Lifecycle terminationMessagePath=s terminationMessagePolicy=s imagePullPolicy=s securityContext>SecurityContext stdin=b stdinOnce=b tty:TTY=b targetContainerName=s
EphemeralVolumeSource volumeClaimTemplate>PersistentVolumeClaimTemplate
ExecAction command
FCVolumeSource targetWWNs lun fsType:FSType=s readOnly=b wwids:WWIDs
FileKeySelector volumeName=s path=s key=s optional
FlexVolumeSource driver=s fsType:FSType=s secretRef>LocalObjectReference readOnly=b options
FlockerVolumeSource datasetName=s datasetUUID=s
GCEPersistentDiskVolumeSource pdName:PDName=s fsType:FSType=s partition=i readOnly=b
GRPCAction port=i service
GitRepoVolumeSource repository=s revision=s directory=s
GlusterfsVolumeSource endpoints:EndpointsName=s path=s readOnly=b
HTTPGetAction path=s port=i host=s scheme=s httpHeaders:HTTPHeaders>HTTPHeader
HTTPHeader name=s value=s
HostAlias ip:IP=s hostnames
HostPathVolumeSource path=s type
ISCSIVolumeSource targetPortal=s iqn:IQN=s lun=i iscsiInterface:ISCSIInterface=s fsType:FSType=s readOnly=b portals chapAuthDiscovery:DiscoveryCHAPAuth=b chapAuthSession:SessionCHAPAuth=b secretRef>LocalObjectReference initiatorName
ImageVolumeSource reference=s pullPolicy=s
KeyToPath key=s path=s mode
Lifecycle postStart>LifecycleHandler preStop>LifecycleHandler stopSignal
LifecycleHandler exec>ExecAction httpGet:HTTPGet>HTTPGetAction tcpSocket:TCPSocket>TCPSocketAction sleep>SleepAction
LocalObjectReference name=s
NFSVolumeSource server=s path=s readOnly=b
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution>NodeSelector preferredDuringSchedulingIgnoredDuringExecution>PreferredSchedulingTerm
NodeSelector nodeSelectorTerms>NodeSelectorTerm
NodeSelectorRequirement key=s operator=s values
NodeSelectorTerm matchExpressions>NodeSelectorRequirement matchFields>NodeSelectorRequirement
ObjectFieldSelector apiVersion:APIVersion=s fieldPath=s
PersistentVolumeClaimSpec accessModes selector>tagged resources=o>VolumeResourceRequirements volumeName=s storageClassName volumeMode dataSource>TypedLocalObjectReference dataSourceRef>TypedObjectReference volumeAttributesClassName
PersistentVolumeClaimTemplate spec=o>PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName=s readOnly=b
PhotonPersistentDiskVolumeSource pdID=s fsType:FSType=s
PodAffinity requiredDuringSchedulingIgnoredDuringExecution>PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution>WeightedPodAffinityTerm
PodAffinityTerm labelSelector>tagged namespaces topologyKey=s namespaceSelector>tagged matchLabelKeys mismatchLabelKeys
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution>PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution>WeightedPodAffinityTerm
PodCertificateProjection signerName=s keyType=s maxExpirationSeconds credentialBundlePath=s keyPath=s certificateChainPath=s userAnnotations
PodDNSConfig nameservers searches options>PodDNSConfigOption
PodDNSConfigOption name=s value
PodOS name=s
PodReadinessGate conditionType=s
PodResourceClaim name=s resourceClaimName resourceClaimTemplateName
PodSchedulingGate name=s
PodSchedulingGroup podGroupName
PodSecurityContext hostNetwork=b hostPID=b hostIPC=b shareProcessNamespace hostUsers seLinuxOptions:SELinuxOptions>SELinuxOptions windowsOptions>WindowsSecurityContextOptions runAsUser runAsGroup runAsNonRoot supplementalGroups supplementalGroupsPolicy fsGroup:FSGroup fsGroupChangePolicy:FSGroupChangePolicy sysctls>Sysctl seccompProfile>SeccompProfile appArmorProfile>AppArmorProfile seLinuxChangePolicy:SELinuxChangePolicy
PodSpec volumes>Volume initContainers>Container containers>Container ephemeralContainers>EphemeralContainer restartPolicy=s terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy:DNSPolicy=s nodeSelector serviceAccountName=s automountServiceAccountToken nodeName=s securityContext>PodSecurityContext imagePullSecrets>LocalObjectReference hostname=s subdomain=s setHostnameAsFQDN affinity>Affinity schedulerName=s tolerations>Toleration hostAliases>HostAlias priorityClassName=s priority preemptionPolicy dnsConfig:DNSConfig>PodDNSConfig readinessGates>PodReadinessGate runtimeClassName overhead enableServiceLinks topologySpreadConstraints>TopologySpreadConstraint os:OS>PodOS schedulingGates>PodSchedulingGate resourceClaims>PodResourceClaim resources>ResourceRequirements hostnameOverride schedulingGroup>PodSchedulingGroup
PortworxVolumeSource volumeID=s fsType:FSType=s readOnly=b
PreferredSchedulingTerm weight=i preference=o>NodeSelectorTerm
Probe exec>ExecAction httpGet:HTTPGet>HTTPGetAction tcpSocket:TCPSocket>TCPSocketAction grpc:GRPC>GRPCAction initialDelaySeconds=i timeoutSeconds=i periodSeconds=i successThreshold=i failureThreshold=i terminationGracePeriodSeconds
ProjectedVolumeSource sources>VolumeProjection defaultMode
QuobyteVolumeSource registry=s volume=s readOnly=b user=s group=s tenant=s
RBDVolumeSource monitors:CephMonitors image:RBDImage=s fsType:FSType=s pool:RBDPool=s user:RadosUser=s keyring=s secretRef>LocalObjectReference readOnly=b
ResourceClaim name=s request=s
ResourceFieldSelector containerName=s resource=s divisor=q
ResourceRequirements limits requests claims>ResourceClaim
SELinuxOptions user=s role=s type=s level=s
ScaleIOVolumeSource gateway=s system=s secretRef>LocalObjectReference sslEnabled:SSLEnabled=b protectionDomain=s storagePool=s storageMode=s volumeName=s fsType:FSType=s readOnly=b
SeccompProfile type=s localhostProfile
SecretEnvSource name=s optional
SecretKeySelector name=s key=s optional
SecretProjection name=s items>KeyToPath optional
SecretVolumeSource secretName=s items>KeyToPath defaultMode optional
SecurityContext capabilities>Capabilities privileged seLinuxOptions:SELinuxOptions>SELinuxOptions windowsOptions>WindowsSecurityContextOptions runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation procMount seccompProfile>SeccompProfile appArmorProfile>AppArmorProfile
ServiceAccountTokenProjection audience=s expirationSeconds=i path=s
SleepAction seconds=i
StorageOSVolumeSource volumeName=s volumeNamespace=s fsType:FSType=s readOnly=b secretRef>LocalObjectReference
Sysctl name=s value=s
TCPSocketAction port=i host=s
Toleration key=s operator=s value=s effect=s tolerationSeconds
TopologySpreadConstraint maxSkew=i topologyKey=s whenUnsatisfiable=s labelSelector>tagged minDomains nodeAffinityPolicy nodeTaintsPolicy matchLabelKeys
TypedLocalObjectReference apiGroup:APIGroup kind=s name=s
TypedObjectReference apiGroup:APIGroup kind=s name=s namespace
Volume name=s hostPath>HostPathVolumeSource emptyDir>EmptyDirVolumeSource gcePersistentDisk:GCEPersistentDisk>GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStore>AWSElasticBlockStoreVolumeSource gitRepo>GitRepoVolumeSource secret>SecretVolumeSource nfs:NFS>NFSVolumeSource iscsi:ISCSI>ISCSIVolumeSource glusterfs>GlusterfsVolumeSource persistentVolumeClaim>PersistentVolumeClaimVolumeSource rbd:RBD>RBDVolumeSource quobyte>QuobyteVolumeSource flexVolume>FlexVolumeSource cinder>CinderVolumeSource cephfs:CephFS>CephFSVolumeSource flocker>FlockerVolumeSource downwardAPI>DownwardAPIVolumeSource fc:FC>FCVolumeSource azureFile>AzureFileVolumeSource configMap>ConfigMapVolumeSource vsphereVolume>VsphereVirtualDiskVolumeSource azureDisk>AzureDiskVolumeSource photonPersistentDisk>PhotonPersistentDiskVolumeSource projected>ProjectedVolumeSource portworxVolume>PortworxVolumeSource scaleIO>ScaleIOVolumeSource storageos:StorageOS>StorageOSVolumeSource csi:CSI>CSIVolumeSource ephemeral>EphemeralVolumeSource image>ImageVolumeSource
VolumeDevice name=s devicePath=s
VolumeMount name=s readOnly=b recursiveReadOnly mountPath=s subPath=s mountPropagation subPathExpr=s
VolumeProjection secret>SecretProjection downwardAPI>DownwardAPIProjection configMap>ConfigMapProjection serviceAccountToken>ServiceAccountTokenProjection clusterTrustBundle>ClusterTrustBundleProjection podCertificate>PodCertificateProjection
VolumeResourceRequirements limits requests
VsphereVirtualDiskVolumeSource volumePath=s fsType:FSType=s storagePolicyName=s storagePolicyID=s
WeightedPodAffinityTerm weight=i podAffinityTerm=o>PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName:GMSACredentialSpecName gmsaCredentialSpec:GMSACredentialSpec runAsUserName hostProcess
`;

const ZEROS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['s', ''],
  ['i', 0],
  ['b', false],
  ['q', '0'],
  ['o', {}],
]);
/** In the JSON they are fields of the spec. */
const HOST_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'] as const;

let shapes: ReadonlyMap<string, Shape> | undefined;

/** A pod spec. */
export function podSpecInGo(spec: JsonObject): JsonObject {
  const securityContext: JsonObject = { ...objectAt(spec, 'securityContext') };
  for (const field of HOST_FIELDS) {
    const value = spec[field];
    if (value !== undefined) securityContext[field] = value;
  }
  const shown = inGoShape({ ...spec, securityContext }, shapeOf('PodSpec'));
  const volumes = fieldAt(shown, 'Volumes');
  objectsAt(spec, 'volumes').forEach((volume, i) => {
    const template = objectAt(volume, 'ephemeral', 'volumeClaimTemplate');
    const ephemeral = Array.isArray(volumes) ? volumes[i] : undefined;
    if (template !== undefined && isJsonObject(ephemeral)) showMetadata(template, objectAt(ephemeral, 'Ephemeral'));
  });
  return shown;
}

/** Metadata of a claim template stand beside its spec, by their JSON names. */
function showMetadata(template: JsonObject, source: JsonObject | undefined): void {
  const shown = source === undefined ? undefined : objectAt(source, 'VolumeClaimTemplate');
  if (source !== undefined) source['VolumeClaimTemplate'] = { ...objectAt(template, 'metadata'), ...shown };
}

export function ephemeralContainerInGo(container: JsonObject): JsonObject {
  return inGoShape(container, shapeOf('EphemeralContainer'));
}

function shapeOf(type: string): Shape {
  shapes ??= readShapes();
  const shape = shapes.get(type);
  if (shape === undefined) throw new BugError(`the type ${type} has no shape`);
  return shape;
}

/** Types are filled in after all of them are there, since they name each other. */
function readShapes(): ReadonlyMap<string, Shape> {
  const made = new Map<string, ShapeField[]>();
  const lines = TYPES.trim().split('\n');
  for (const line of lines) made.set(line.slice(0, line.indexOf(' ')), []);
  for (const line of lines) {
    const [type = '', ...fields] = line.split(' ');
    for (const field of fields) made.get(type)?.push(readField(field, made));
  }
  return made;
}

function readField(text: string, types: ReadonlyMap<string, Shape>): ShapeField {
  const [front = '', type = ''] = text.split('>');
  const [names = '', zero = ''] = front.split('=');
  const [json = '', go = json.charAt(0).toUpperCase() + json.slice(1)] = names.split(':');
  const value = ZEROS.get(zero) ?? null;
  if (type === '') return [go, json, value];
  const shape = type === 'tagged' ? type : types.get(type);
  if (shape === undefined) throw new BugError(`the type ${type} has no shape`);
  return [go, json, value, shape];
}
