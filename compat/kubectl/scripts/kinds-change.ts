/** Changes of stored workloads: set, scale, autoscale, label, annotate, patch, edit, apply, diff. */
import { $, type Script } from '../script.ts';

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: nginx:1.27
        ports: [{containerPort: 80, name: http}]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
      - {name: side, image: "side:1"}
`;
const SERVICE = `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80, targetPort: http, name: http}, {port: 443, targetPort: 8443, name: https}]
`;
const CLAIM = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;
const STATEFUL = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: "db:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;

export const kindsChange: Script = {
  name: 'kinds-change',
  files: {
    'web.yaml': DEPLOYMENT,
    'web2.yaml': DEPLOYMENT.replace('nginx:1.27', 'nginx:1.28').replace('- {name: side, image: "side:1"}\n', ''),
    'web3.yaml': DEPLOYMENT.replace('matchLabels: {app: web}', 'matchLabels: {app: other}'),
    'web4.yaml': DEPLOYMENT.replace(
      '{name: B, value: "2"}',
      '{name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}',
    ),
    'svc.yaml': SERVICE,
    'svc2.yaml': SERVICE.replace('{port: 443, targetPort: 8443, name: https}', '{port: 8443, name: alt}'),
    'claim.yaml': CLAIM,
    'claim2.yaml': CLAIM.replace('1Gi', '2Gi'),
    'db.yaml': STATEFUL,
    'db2.yaml': STATEFUL.replace('storage: 1Gi', 'storage: 2Gi'),
    'db3.yaml': STATEFUL.replace('"db:1"', '"db:2"'),
  },
  steps: [
    $('diff -f web.yaml'),
    $('apply -f web.yaml -f svc.yaml -f claim.yaml -f db.yaml'),
    $('apply -f web.yaml -f svc.yaml -f claim.yaml -f db.yaml'),
    $('diff -f web.yaml -f svc.yaml -f claim.yaml -f db.yaml'),
    $('diff -f web2.yaml'),
    $('diff -f db2.yaml'),
    $('apply -f web2.yaml'),
    $('apply -f web3.yaml'),
    $('apply -f web4.yaml'),
    $('apply -f svc2.yaml'),
    $('apply -f claim2.yaml'),
    $('apply -f db2.yaml'),
    $('apply -f db3.yaml'),
    $('get deployment web -o yaml'),
    $('get service web -o yaml'),
    $('get pvc,sts -o wide'),
    $('set image deployment/web main=nginx:1.29 side=side:2'),
    $('set image deployment/web missing=x'),
    $('set image deployments,sts --all *=all:1'),
    $('set image -f web.yaml main=local:1 --local -o yaml'),
    $('set env deployment/web D=4 A-'),
    $('set env deployment/web --list'),
    $('create configmap settings --from-literal=KEY=value'),
    $('set env deployment/web --from=configmap/settings --prefix=CM_'),
    $('set resources deployment/web --limits=cpu=200m,memory=512Mi --requests=cpu=100m,memory=256Mi'),
    $('set resources deployment/web -c=main --limits=cpu=0'),
    $('set resources deployment/web -c=main --limits=cpu=50m --requests=cpu=100m'),
    $('set selector service/web app=other,tier=x'),
    $('set selector deployment/web app=other'),
    $('set serviceaccount deployment/web builder'),
    $('create rolebinding rb --clusterrole=view --user=alice'),
    $('set subject rolebinding rb --user=bob --group=devs --serviceaccount={{ns}}:builder'),
    $('get rolebinding rb -o yaml'),
    $('get deployment web -o yaml'),
    $('scale deployment web --replicas=5'),
    $('scale deployment web --current-replicas=4 --replicas=1'),
    $('scale deployment web --current-replicas=5 --replicas=1'),
    $('scale deployment web --replicas=-1'),
    $('scale sts db --replicas=3'),
    $('scale service web --replicas=3'),
    $('scale deployment,sts --all --replicas=0'),
    $('get deployment,sts'),
    $('get deployment web -o yaml --subresource=scale'),
    $('autoscale deployment web --min=2 --max=5 --cpu=80%'),
    $('autoscale sts db --max=3'),
    $('autoscale deployment web --min=6 --max=5 --name=bad'),
    $('autoscale deployment missing --max=2'),
    $('get hpa -o yaml'),
    $('get hpa.v1.autoscaling web -o yaml'),
    $('get hpa -o wide'),
    $('label deployment web a=b'),
    $('label deployment web a=c --overwrite'),
    $('annotate service web note=x'),
    $('annotate service web note-'),
    $(
      'patch deployment web -p \'{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"patched:1"}]}}}}\'',
    ),
    $(
      'patch deployment web --type=merge -p \'{"spec":{"template":{"spec":{"containers":[{"name":"only","image":"merged:1"}]}}}}\'',
    ),
    $('patch deployment web --type=json -p \'[{"op":"replace","path":"/spec/replicas","value":7}]\''),
    $('patch deployment web -p \'{"spec":{"selector":{"matchLabels":{"app":"x"}}}}\''),
    $('patch deployment web --subresource=scale --type=merge -p \'{"spec":{"replicas":4}}\''),
    $(
      'patch deployment web --subresource=status --type=merge -p \'{"status":{"replicas":4,"readyReplicas":3,"updatedReplicas":2,"availableReplicas":1}}\'',
    ),
    $('patch service web -p \'{"spec":{"ports":[{"port":80,"targetPort":81}]}}\''),
    $('patch service web -p \'{"spec":{"type":"NodePort"}}\''),
    $('patch service web -p \'{"spec":{"clusterIP":"10.0.0.9"}}\''),
    $('get deployment web -o wide'),
    $('get service web -o yaml'),
    $('edit deployment web', { editor: 'sed -i s/merged:1/edited:1/' }),
    $('edit deployment web', { editor: 'sed -i s/replicas:.*/replicas:\\ text/' }),
    $('get deployment web -o yaml'),
    $('replace -f web.yaml'),
    $('replace --force -f svc.yaml'),
    $('wait deployment/web --for=jsonpath={.spec.replicas}=2 --timeout=2s'),
    $('wait deployment/web --for=condition=Available --timeout=1s'),
    $('wait pvc/data --for=delete --timeout=1s', {
      // Whether the watch has begun by then depends on the machine.
      errors: (text) => text.replace(/^I\d{4} .*\n/gm, ''),
    }),
    $('delete -f web.yaml -f svc.yaml -f db.yaml'),
    $('delete pvc data --wait=false'),
  ],
};
