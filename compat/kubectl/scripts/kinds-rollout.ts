/** rollout on stored objects, with ReplicaSets and revisions as the controllers would create them. */
import { $, type Script } from '../script.ts';

function replicaSet(revision: number): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${revision}`,
      labels: { app: 'web', 'pod-template-hash': `h${revision}` },
      annotations: {
        'deployment.kubernetes.io/revision': String(revision),
        ...(revision === 2 ? { 'kubernetes.io/change-cause': 'a better image' } : {}),
      },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: '{{uid}}', controller: true }],
    },
    spec: {
      replicas: revision === 2 ? 2 : 0,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': `h${revision}` } },
      template: {
        metadata: { labels: { app: 'web', 'pod-template-hash': `h${revision}` } },
        spec: { containers: [{ name: 'nginx', image: `nginx:${revision}` }] },
      },
    },
  });
}

function revisionOf(kind: string, name: string, revision: number): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${revision}`,
      labels: { app: name },
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: '{{uid}}', controller: true }],
    },
    revision,
    data: {
      spec: {
        template: {
          $patch: 'replace',
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: 'main', image: `${name}:${revision}` }] },
        },
      },
    },
  });
}

function workload(kind: string, name: string): string {
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: `${name}:2` }] } },
    },
  });
}

/**
 * An edit writes the uid of each server's own object to the file: the first line reads it, the second creates the
 * object in the file.
 */
export const kindsRollout: Script = {
  name: 'kinds-rollout',
  files: {
    'rs1.json': replicaSet(1),
    'rs2.json': replicaSet(2),
    'sts.json': workload('StatefulSet', 'db'),
    'ds.json': workload('DaemonSet', 'agent'),
    'sts1.json': revisionOf('StatefulSet', 'db', 1),
    'sts2.json': revisionOf('StatefulSet', 'db', 2),
    'ds1.json': revisionOf('DaemonSet', 'agent', 1),
    'ds2.json': revisionOf('DaemonSet', 'agent', 2),
  },
  steps: [
    $('create deployment web --image=nginx:2 --replicas=2'),
    $('rollout history deployment/web'),
    $('rollout status deployment/web --watch=false'),
    $('create -f rs1.json', { uidOf: 'deployment/web' }),
    $('create -f rs2.json', { uidOf: 'deployment/web' }),
    $('annotate deployment web deployment.kubernetes.io/revision=2'),
    $('rollout history deployment/web'),
    $('rollout history deployment/web --revision=1'),
    $('rollout history deployment/web --revision=2 -o yaml'),
    $('rollout history deployment/web --revision=9'),
    $('get rs -o wide'),
    $('describe deployment web'),
    $(
      'patch deployment web --subresource=status --type=merge -p \'{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}\'',
    ),
    $('rollout status deployment/web --watch=false'),
    $(
      'patch deployment web --subresource=status --type=merge -p \'{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":2,"readyReplicas":2}}\'',
    ),
    $('rollout status deployment/web --timeout=2s'),
    $('rollout undo deployment/web --dry-run=server'),
    $('rollout undo deployment/web'),
    $('get deployment web -o yaml'),
    $('rollout undo deployment/web --to-revision=2'),
    $('rollout undo deployment/web --to-revision=7'),
    $('rollout pause deployment/web'),
    $('rollout pause deployment/web'),
    $('rollout undo deployment/web'),
    $('rollout restart deployment/web'),
    $('rollout resume deployment/web'),
    $('rollout resume deployment/web'),
    $('rollout restart deployment/web'),
    $('get deployment web -o yaml'),
    $('create -f sts.json -f ds.json'),
    $('create -f sts1.json', { uidOf: 'sts/db' }),
    $('create -f sts2.json', { uidOf: 'sts/db' }),
    $('create -f ds1.json', { uidOf: 'ds/agent' }),
    $('create -f ds2.json', { uidOf: 'ds/agent' }),
    $('rollout history sts/db'),
    $('rollout history sts/db --revision=1'),
    $('rollout history ds/agent'),
    $('rollout history ds/agent --revision=2'),
    $('rollout undo sts/db --to-revision=1'),
    $('rollout undo ds/agent --to-revision=1'),
    $('rollout status sts/db --watch=false'),
    $('rollout status ds/agent --watch=false'),
    $('rollout restart sts/db ds/agent'),
    $('rollout pause sts/db'),
    $('get sts db -o yaml'),
    $('get ds agent -o yaml'),
    $('get controllerrevisions -o wide'),
    $('delete deployment web --cascade=orphan --wait=false'),
    $('rollout status deployment/web --watch=false'),
  ],
};
