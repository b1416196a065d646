/** The Deployment of an extension server that runs in the cluster, and the Secret with its certificate. */
import { encodeBase64 } from '../../base/base64.ts';
import { encodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import type { IssuedCertificate } from '../extension-server.ts';
import type { ServiceNames } from './service-names.ts';
import { nameLabel, POD_PORT } from './service-objects.ts';

const TLS_FOLDER = '/var/run/keelson/tls';

const secretName = (name: string): string => `${name}-tls`;

export function certificateSecret({ namespace, name }: ServiceNames, issued: IssuedCertificate): JsonObject {
  const data = (pem: string): string => encodeBase64(encodeUtf8(pem));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: secretName(name) },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': data(issued.certificate), 'tls.key': data(issued.key), 'ca.crt': data(issued.ca) },
  };
}

export interface DeploymentOptions {
  readonly image: string;
  readonly replicas?: number;
  readonly volumeClaim?: string;
}

export function deploymentObjects(
  { namespace, name }: ServiceNames,
  options: DeploymentOptions,
): readonly JsonObject[] {
  const { image, replicas = 1, volumeClaim } = options;
  const probe = (path: string): JsonObject => ({
    httpGet: { path, port: POD_PORT, scheme: 'HTTPS' },
    periodSeconds: 5,
  });
  const container: JsonObject = {
    name: 'server',
    image,
    env: [
      { name: 'PORT', value: String(POD_PORT) },
      { name: 'TLS_CERT_FILE', value: `${TLS_FOLDER}/tls.crt` },
      { name: 'TLS_KEY_FILE', value: `${TLS_FOLDER}/tls.key` },
    ],
    ports: [{ name: 'https', containerPort: POD_PORT, protocol: 'TCP' }],
    readinessProbe: probe('/readyz'),
    livenessProbe: probe('/livez'),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [
      { name: 'tls', mountPath: TLS_FOLDER, readOnly: true },
      { name: 'data', mountPath: '/data' },
    ],
  };
  const data = volumeClaim === undefined ? { emptyDir: {} } : { persistentVolumeClaim: { claimName: volumeClaim } };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name, labels: nameLabel(name) },
      spec: {
        replicas,
        selector: { matchLabels: nameLabel(name) },
        // The old pod must end first, because two processes cannot open one data folder at the same time.
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels: nameLabel(name) },
          spec: {
            serviceAccountName: name,
            containers: [container],
            volumes: [
              { name: 'tls', secret: { secretName: secretName(name) } },
              { name: 'data', ...data },
            ],
          },
        },
      },
    },
  ];
}
