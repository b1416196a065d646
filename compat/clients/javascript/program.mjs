// Uses the official JavaScript client with its default settings. Prints a line for each step and ends with code 1 at
// the first failure. usage: node program.mjs KUBECONFIG NAMESPACE
import assert from 'node:assert/strict';
import {
  ApiextensionsV1Api,
  AuthorizationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';

const [file, namespace] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(file);
const core = config.makeApiClient(CoreV1Api);
const names = (list) => list.items.map((item) => item.metadata.name);

async function step(name, run) {
  const timer = setTimeout(() => {
    console.log(`FAIL ${name}: no end after 20 s`);
    process.exit(1);
  }, 20_000);
  try {
    await run();
    console.log(`ok   ${name}`);
  } catch (error) {
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
    process.exit(1);
  } finally {
    clearTimeout(timer);
  }
}

await step('read the version', async () => {
  const { gitVersion } = await config.makeApiClient(VersionApi).getCode();
  assert.match(gitVersion, /^v1\.36\./);
});

await step('create a namespace and 12 objects', async () => {
  await core.createNamespace({ body: { metadata: { name: namespace } } });
  for (let i = 0; i < 12; i++) {
    const name = `cm-${String(i).padStart(2, '0')}`;
    const body = { metadata: { name, labels: { app: 'js' } }, data: { i: String(i) } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    assert.equal(made.metadata.name, name);
    assert.ok(made.metadata.creationTimestamp instanceof Date);
  }
  await assert.rejects(
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'cm-00' } } }),
    (error) => error.code === 409,
  );
  await assert.rejects(
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'Bad_Name' } } }),
    (error) => error.code === 422,
  );
});

await step('list in pages of 5', async () => {
  const seen = [];
  let token;
  do {
    const page = await core.listNamespacedConfigMap({ namespace, limit: 5, _continue: token });
    seen.push(...names(page));
    token = page.metadata._continue;
  } while (token);
  assert.equal(seen.length, 12);
});

await step('read, replace, and lose a race', async () => {
  const one = await core.readNamespacedConfigMap({ namespace, name: 'cm-01' });
  await core.replaceNamespacedConfigMap({ namespace, name: 'cm-01', body: { ...one, data: { i: 'new' } } });
  await assert.rejects(
    core.replaceNamespacedConfigMap({ namespace, name: 'cm-01', body: { ...one, data: { i: 'late' } } }),
    (error) => error.code === 409,
  );
  await assert.rejects(core.readNamespacedConfigMap({ namespace, name: 'missing' }), (error) => error.code === 404);
});

await step('patch in three ways', async () => {
  const patches = [
    [PatchStrategy.MergePatch, { data: { merge: '1' } }],
    [PatchStrategy.JsonPatch, [{ op: 'add', path: '/data/json', value: '1' }]],
    [PatchStrategy.StrategicMergePatch, { data: { strategic: '1', merge: null } }],
  ];
  for (const [type, body] of patches) {
    await core.patchNamespacedConfigMap({ namespace, name: 'cm-02', body }, setHeaderOptions('Content-Type', type));
  }
  const { data } = await core.readNamespacedConfigMap({ namespace, name: 'cm-02' });
  assert.deepEqual(data, { i: '2', json: '1', strategic: '1' });
});

await step('watch from a revision', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const events = [];
  let enough;
  const three = new Promise((resolve) => {
    enough = resolve;
  });
  const controller = await new Watch(config).watch(
    path,
    { resourceVersion: metadata.resourceVersion },
    (type, object) => {
      events.push(`${type} ${object.metadata.name}`);
      if (events.length === 3) enough();
    },
    () => enough(),
  );
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'watched' } } });
  await core.patchNamespacedConfigMap(
    { namespace, name: 'watched', body: { data: { a: 'b' } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
  await three;
  controller.abort();
  assert.deepEqual(events, ['ADDED watched', 'MODIFIED watched', 'DELETED watched']);
});

await step('inform', async () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const informer = makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
  const added = [];
  const news = new Promise((resolve, reject) => {
    informer.on('add', (object) => {
      added.push(object.metadata.name);
      if (object.metadata.name === 'informed') resolve();
    });
    informer.on('error', reject);
  });
  await informer.start();
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'informed' } } });
  await news;
  await informer.stop();
  assert.equal(added.length, 13);
});

await step('other kinds, by typed and by generic client', async () => {
  await core.createNamespacedSecret({ namespace, body: { metadata: { name: 's' }, stringData: { k: 'v' } } });
  const secret = await core.readNamespacedSecret({ namespace, name: 's' });
  assert.equal(Buffer.from(secret.data.k, 'base64').toString(), 'v');
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'robot' } } });
  const { status } = await core.createNamespacedServiceAccountToken({
    namespace,
    name: 'robot',
    body: { spec: { audiences: [] } },
  });
  assert.match(status.token, /^ey/);
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  await rbac.createNamespacedRole({
    namespace,
    body: { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }] },
  });
  await config
    .makeApiClient(CoordinationV1Api)
    .createNamespacedLease({ namespace, body: { metadata: { name: 'l' }, spec: { holderIdentity: 'js' } } });
  const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: { namespace, verb: 'get', resource: 'secrets' } } },
  });
  assert.equal(review.status.allowed, true);
  const generic = KubernetesObjectApi.makeApiClient(config);
  const lease = await generic.read({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l', namespace },
  });
  assert.equal(lease.spec.holderIdentity, 'js');
});

await step('delete one, and a collection', async () => {
  await core.deleteNamespacedConfigMap({ namespace, name: 'cm-03' });
  await assert.rejects(core.deleteNamespacedConfigMap({ namespace, name: 'cm-03' }), (error) => error.code === 404);
  await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'app=js' });
  assert.deepEqual(names(await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=js' })), []);
});

const group = 'js.clients.example.com';
const kind = { group, version: 'v1', plural: 'kites', namespace };
const kites = config.makeApiClient(CustomObjectsApi);
const kite = (name, spec) => ({ apiVersion: `${group}/v1`, kind: 'Kite', metadata: { name }, spec });

await step('define a kind', async () => {
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  const openAPIV3Schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { color: { type: 'string', _default: 'red' }, length: { type: 'integer', maximum: 100 } },
      },
      status: { type: 'object', properties: { flies: { type: 'boolean' } } },
    },
  };
  const name = `kites.${group}`;
  const made = await definitions.createCustomResourceDefinition({
    body: {
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'kites', kind: 'Kite' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
        ],
      },
    },
  });
  assert.equal(made.spec.names.listKind, 'KiteList');
  for (;;) {
    const { status } = await definitions.readCustomResourceDefinition({ name });
    const isServed = await kites.listNamespacedCustomObject(kind).then(
      () => true,
      () => false,
    );
    if (isServed && status.conditions.some(({ type, status }) => type === 'Established' && status === 'True')) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
});

await step('create, read, replace and patch objects of it', async () => {
  const made = await kites.createNamespacedCustomObject({ ...kind, body: kite('a', { length: 5 }) });
  assert.deepEqual(made.spec, { color: 'red', length: 5 });
  await assert.rejects(
    kites.createNamespacedCustomObject({ ...kind, body: kite('b', { length: 500 }) }),
    (error) => error.code === 422,
  );
  const one = await kites.getNamespacedCustomObject({ ...kind, name: 'a' });
  await kites.replaceNamespacedCustomObject({ ...kind, name: 'a', body: { ...one, spec: { length: 6 } } });
  await assert.rejects(
    kites.replaceNamespacedCustomObject({ ...kind, name: 'a', body: { ...one, spec: { length: 7 } } }),
    (error) => error.code === 409,
  );
  await kites.patchNamespacedCustomObject(
    { ...kind, name: 'a', body: [{ op: 'replace', path: '/spec/color', value: 'blue' }] },
    setHeaderOptions('Content-Type', PatchStrategy.JsonPatch),
  );
  await kites.patchNamespacedCustomObject(
    { ...kind, name: 'a', body: { spec: { length: 8 } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  const { status } = await kites.patchNamespacedCustomObjectStatus(
    { ...kind, name: 'a', body: { status: { flies: true } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  assert.deepEqual(status, { flies: true });
  const { items } = await kites.listNamespacedCustomObject(kind);
  assert.deepEqual(
    items.map(({ spec }) => spec),
    [{ color: 'blue', length: 8 }],
  );
});

await step('watch and delete objects of it', async () => {
  const { metadata } = await kites.listNamespacedCustomObject(kind);
  const events = [];
  let enough;
  const three = new Promise((resolve) => {
    enough = resolve;
  });
  const controller = await new Watch(config).watch(
    `/apis/${group}/v1/namespaces/${namespace}/kites`,
    { resourceVersion: metadata.resourceVersion },
    (type, object) => {
      events.push(`${type} ${object.metadata.name}`);
      if (events.length === 3) enough();
    },
    () => enough(),
  );
  await kites.createNamespacedCustomObject({ ...kind, body: kite('w', {}) });
  await kites.deleteNamespacedCustomObject({ ...kind, name: 'w' });
  await kites.deleteCollectionNamespacedCustomObject(kind);
  await three;
  controller.abort();
  assert.deepEqual(events, ['ADDED w', 'DELETED w', 'DELETED a']);
  await config.makeApiClient(ApiextensionsV1Api).deleteCustomResourceDefinition({ name: `kites.${group}` });
});
