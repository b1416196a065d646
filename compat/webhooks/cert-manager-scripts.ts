/** The command lines around cert-manager's webhook. It validates its kinds, and records the user of a request. */
import { $, fails } from '../aggregation/lines.ts';
import type { Script } from '../kubectl/script.ts';
import { registration } from './registration.ts';

export const CERT_MANAGER = { namespace: 'cert-manager', service: 'cert-manager-webhook' } as const;

const REGISTRATION = registration(CERT_MANAGER, [
  {
    kind: 'Mutating',
    name: 'webhook.cert-manager.io',
    path: '/mutate',
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    rules:
      '[{apiGroups: [cert-manager.io], apiVersions: [v1], operations: [CREATE], resources: [certificaterequests]}]',
  },
  {
    kind: 'Validating',
    name: 'webhook.cert-manager.io',
    path: '/validate',
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    rules:
      '[{apiGroups: [cert-manager.io, acme.cert-manager.io], apiVersions: [v1], operations: [CREATE, UPDATE], resources: ["*/*"]}]',
  },
]);

/** A certificate signing request in PEM, base64, for shop.example.com. */
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkJEQ0Jxd0lCQURBYk1Sa3dGd1lEVlFRRERCQnphRzl3TG1WNFlXMXdiR1V1WTI5dE1Ga3dFd1lIS29aSQp6ajBDQVFZSUtvWkl6ajBEQVFjRFFnQUVGSXRUaFkrQlhYd0l2SXFvY1RCbGxBaHBkcTFXbVVTMEJBWmk4bmlVCmxQd0x1TVFBTGxrK0RTN2JhMklLWllVYUIrem12cFdyY2QrN21BTm14OEFwN3FBdU1Dd0dDU3FHU0liM0RRRUoKRGpFZk1CMHdHd1lEVlIwUkJCUXdFb0lRYzJodmNDNWxlR0Z0Y0d4bExtTnZiVEFLQmdncWhrak9QUVFEQWdOSQpBREJGQWlBdEI5cFZEOHEvTjhNMXFYZlMrbkVZZHErMGx1SXk4ck1JeGFsSU1JV04rd0loQUxDYnFWcXF1RUlTCjR0WWJMaW5aM1dVd1l0c2NJMXN2RDFnZVU5UHJZRDVkCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

/** alice may write requests and their status, and may not approve for the signer. */
const RIGHTS = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: requester}
rules:
- {apiGroups: [cert-manager.io], resources: [certificaterequests, certificaterequests/status], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: requester}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: requester}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: alice}]
`;

function object(kind: string, name: string, spec: string): string {
  return `apiVersion: cert-manager.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

const ISSUER_REF = 'issuerRef: {name: own}';

export function installed(): Script {
  return {
    name: 'cert-manager-installed',
    files: { 'registration.yaml': REGISTRATION },
    steps: [
      $('apply --server-side -f {{crds}}'),
      $('wait --for=condition=Established crd --all --timeout=15s'),
      $('apply -f registration.yaml', { unscoped: true }),
      // The reference uses new configurations within about a second; an Issuer without a type is refused from then on.
      fails('create --dry-run=server -f -', { stdin: object('Issuer', 'empty', '{}'), retryUntil: 1 }),
    ],
  };
}

export function used(): Script {
  return {
    name: 'cert-manager-used',
    files: {
      'issuer.yaml': object('Issuer', 'own', '{selfSigned: {}}'),
      'two-types.yaml': object('Issuer', 'own', '{selfSigned: {}, ca: {secretName: ca}}'),
      'vault.yaml': object('ClusterIssuer', 'vault', "{vault: {server: '', path: '', auth: {}}}"),
      'certificate.yaml': object(
        'Certificate',
        'shop',
        `{secretName: shop, dnsNames: [shop.example.com], ${ISSUER_REF}}`,
      ),
      'nameless.yaml': object('Certificate', 'nameless', `{secretName: shop, ${ISSUER_REF}}`),
      'short.yaml': object(
        'Certificate',
        'shop',
        `{secretName: shop, dnsNames: [shop.example.com], duration: 1m, renewBefore: 2h, ${ISSUER_REF}}`,
      ),
      'request.yaml': object('CertificateRequest', 'shop', `{request: ${REQUEST}, ${ISSUER_REF}}`),
      'forged.yaml': object('CertificateRequest', 'forged', `{request: ${REQUEST}, username: root, ${ISSUER_REF}}`),
      'unreadable.yaml': object('CertificateRequest', 'unreadable', `{request: aGVsbG8=, ${ISSUER_REF}}`),
      'rights.yaml': RIGHTS,
    },
    steps: [
      $('apply -f rights.yaml'),
      $('apply -f issuer.yaml'),
      fails('apply -f two-types.yaml'),
      fails('apply --server-side -f two-types.yaml'),
      fails('create -f vault.yaml'),
      $('apply -f certificate.yaml'),
      fails('create -f nameless.yaml'),
      fails('create --dry-run=server -f nameless.yaml'),
      fails('apply -f short.yaml'),
      fails(`patch certificate shop --type=merge -p '{"spec":{"dnsNames":null}}'`),
      $('get certificate shop -o yaml --show-managed-fields'),
      $('create -f request.yaml', { user: 'alice' }),
      $('get certificaterequest shop -o yaml --show-managed-fields'),
      $('create -f forged.yaml', { user: 'alice' }),
      $('get certificaterequest forged -o jsonpath={.spec.username}'),
      fails('create -f unreadable.yaml'),
      fails(`patch certificaterequest shop --type=merge -p '{"spec":{"username":"root"}}'`),
      fails(`patch certificaterequest shop --type=merge -p '{"spec":{"isCA":true}}'`),
      ...(['alice', 'admin'] as const).map((user) => {
        const condition = '{"type":"Approved","status":"True","reason":"Checked","message":"by the suite"}';
        const patch = `{"status":{"conditions":[${condition}]}}`;
        const line = `patch certificaterequest shop --subresource=status --type=merge -p '${patch}'`;
        return user === 'alice' ? fails(line, { user }) : $(line, { user });
      }),
      fails(`patch certificaterequest shop --subresource=status --type=merge -p '{"status":{"conditions":[]}}'`),
      $('label certificaterequest shop checked=yes', { user: 'alice' }),
      $('delete certificaterequest shop'),
    ],
  };
}

/** Go's dialer tries both loopback addresses and names the last. */
function withoutAddress(text: string): string {
  return text.replace(/dial tcp \S+: connect/g, 'dial tcp <address>: connect');
}

export function stopped(): Script {
  return {
    name: 'cert-manager-stopped',
    files: { 'issuer.yaml': object('Issuer', 'own', '{selfSigned: {}}') },
    steps: [
      fails('create -f issuer.yaml', { errors: withoutAddress }),
      $('create configmap unrelated'),
      $('delete validatingwebhookconfiguration cert-manager-webhook'),
      // The reference drops the configuration within about a second.
      $('create --dry-run=server -f issuer.yaml', { retryUntil: 0 }),
      $('create -f issuer.yaml'),
    ],
  };
}
