import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../../apimachinery/meta/user-info.ts';
import { encodeUtf8 } from '../../../base/bytes.ts';
import type { RequestAttributes } from '../../authorizer.ts';
import { atOnce, authorizerOf, bodyJson, FakeIncoming, testChain, userNamed } from '../filters.fixtures.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** One authorization check as text: `verb group/resource[/subresource] name [in namespace]`. */
function textOf(question: RequestAttributes): string {
  const { verb, apiGroup, resource, subresource, name, namespace } = question;
  const where = namespace === '' ? '' : ` in ${namespace}`;
  return `${verb} ${apiGroup}/${resource}${subresource === '' ? '' : `/${subresource}`} ${name}${where}`;
}

/** Runs one request as `bob`. `allowed` decides the authorization checks. */
async function run(headers: Headers, allowed: (question: string) => boolean, sender: UserInfo = userNamed('bob')) {
  const questions: string[] = [];
  const seenUsers: UserInfo[] = [];
  const chain = testChain({
    authenticate: () => ({ outcome: 'ok', user: sender }),
    authorizer: authorizerOf((attributes) => {
      const text = textOf(attributes);
      if (attributes.user.name !== sender.name) return true;
      questions.push(text);
      seenUsers.push(attributes.user);
      return allowed(text);
    }),
  });
  const answer = await chain.handler(new FakeIncoming({ headers }));
  return { answer, questions, seenUsers, request: chain.dispatched[0], chain };
}

const legacyOnly = (question: string): boolean => question.startsWith('impersonate ');

describe('impersonation', () => {
  it('passes on a request without its headers synchronously', () => {
    const { handler, dispatched } = testChain();
    atOnce(handler(new FakeIncoming({ headers: { accept: '*/*', 'if-match': 'x', 'impersonate-other': 'x' } })));
    expect(dispatched[0]?.impersonator).toBeUndefined();
  });

  it('decodes names as UTF-8', async () => {
    const bytes = (text: string): string => String.fromCharCode(...encodeUtf8(text));
    const headers = { 'impersonate-user': bytes('jürgen'), 'impersonate-group': bytes('€') };
    const { questions } = await run(headers, legacyOnly);
    expect(questions.slice(1)).toEqual(['impersonate /users jürgen', 'impersonate /groups €']);
  });

  it('without constraints checks user, uid, groups and extra', async () => {
    const { questions, request } = await run(
      {
        'impersonate-user': 'eve',
        'impersonate-uid': '7',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-foo%2fbar': ['x', 'y'],
        accept: '*/*',
      },
      legacyOnly,
    );
    expect(questions).toEqual([
      'impersonate-on:user-info:get /configmaps x in default',
      'impersonate /users eve',
      'impersonate authentication.k8s.io/uids 7',
      'impersonate /groups a',
      'impersonate /groups b',
      'impersonate authentication.k8s.io/userextras/foo/bar x',
      'impersonate authentication.k8s.io/userextras/foo/bar y',
    ]);
    expect(request?.user).toEqual({
      name: 'eve',
      uid: '7',
      groups: ['a', 'b', 'system:authenticated'],
      extra: { 'foo/bar': ['x', 'y'] },
    });
    expect(request?.impersonator?.name).toBe('bob');
    expect(request?.incoming.headerNames()).toEqual(['accept']);
  });

  it.each<[string, Headers, readonly string[], readonly string[]]>([
    [
      'a service account gets the groups that go with it',
      { 'impersonate-user': 'system:serviceaccount:ns:sa' },
      ['impersonate /serviceaccounts sa in ns'],
      ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    ],
    [
      'but not if groups are wanted',
      { 'impersonate-user': 'system:serviceaccount:ns:sa', 'impersonate-group': 'g' },
      ['impersonate /serviceaccounts sa in ns', 'impersonate /groups g'],
      ['g', 'system:authenticated'],
    ],
    [
      'anonymous stays unauthenticated',
      { 'impersonate-user': 'system:anonymous' },
      ['impersonate /users system:anonymous'],
      ['system:unauthenticated'],
    ],
    [
      'who wants to be unauthenticated is',
      { 'impersonate-user': 'eve', 'impersonate-group': 'system:unauthenticated' },
      ['impersonate /users eve', 'impersonate /groups system:unauthenticated'],
      ['system:unauthenticated'],
    ],
    [
      'a node is a user like any other',
      { 'impersonate-user': 'system:node:n1' },
      ['impersonate /users system:node:n1'],
      ['system:authenticated'],
    ],
  ])('without constraints: %s', async (_, headers, expected, groups) => {
    const { questions, request } = await run(headers, legacyOnly);
    expect(questions.filter(legacyOnly)).toEqual(expected);
    expect(request?.user.groups).toEqual(groups);
  });

  it('can be allowed for some requests only, and that is tried first', async () => {
    const allowed = (question: string) =>
      question.startsWith('impersonate-on:user-info:get ') || question.startsWith('impersonate:user-info ');
    const { questions, request } = await run({ 'impersonate-user': 'eve', 'impersonate-group': 'g' }, allowed);
    expect(questions).toEqual([
      'impersonate-on:user-info:get /configmaps x in default',
      'impersonate:user-info authentication.k8s.io/users eve',
      'impersonate:user-info authentication.k8s.io/groups g',
    ]);
    expect(request?.user.name).toBe('eve');
  });

  it('checks a wildcard first for many groups or extras', async () => {
    const groups = ['a', 'b', 'c', 'd'];
    const { questions } = await run({ 'impersonate-user': 'eve', 'impersonate-group': groups }, () => true);
    expect(questions.at(-1)).toBe('impersonate:user-info authentication.k8s.io/groups *');
    const extra = await run({ 'impersonate-user': 'eve', 'impersonate-extra-k.io%2fa': groups }, () => true);
    expect(extra.questions.at(-1)).toBe('impersonate:user-info authentication.k8s.io/userextras/* *');
    const single = await run({ 'impersonate-user': 'eve', 'impersonate-group': groups }, (q) => !q.endsWith('*'));
    expect(single.questions.filter((q) => q.includes('/groups'))).toHaveLength(5);
  });

  it('of nodes: any node, or the node of the sender', async () => {
    const headers = { 'impersonate-user': 'system:node:n1' };
    const arbitrary = await run(headers, (q) => q.includes('arbitrary-node'));
    expect(arbitrary.questions).toEqual([
      'impersonate-on:arbitrary-node:get /configmaps x in default',
      'impersonate:arbitrary-node authentication.k8s.io/nodes n1',
    ]);
    expect(arbitrary.request?.user.groups).toEqual(['system:nodes', 'system:authenticated']);
    const key = 'authentication.kubernetes.io/node-name';
    const agent = userNamed('system:serviceaccount:ns:agent', [], { [key]: ['n1'], a: ['secret'] });
    const associated = await run(headers, () => true, agent);
    expect(associated.questions).toEqual([
      'impersonate-on:associated-node:get /configmaps x in default',
      'impersonate:associated-node authentication.k8s.io/nodes *',
    ]);
    expect(associated.seenUsers[1]?.extra).toEqual({
      'authentication.kubernetes.io/associated-node-keys': ['a', key],
    });
    const elsewhere = await run({ 'impersonate-user': 'system:node:n2' }, () => true, agent);
    expect(elsewhere.questions[0]).toContain('arbitrary-node');
  });

  it('with constraints refuses system:masters, empty groups and malformed keys', async () => {
    const constrained = (q: string) => q.startsWith('impersonate:') || q.startsWith('impersonate-on:');
    const refusal = async (headers: Headers) =>
      bodyJson((await run({ 'impersonate-user': 'eve', ...headers }, constrained)).answer)['message'];
    expect(await refusal({ 'impersonate-group': 'system:masters' })).toBe(
      'groups.authentication.k8s.io "system:masters" is forbidden: User "bob" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
    expect(await refusal({ 'impersonate-group': '' })).toContain('impersonating the empty string group is not allowed');
    expect(await refusal({ 'impersonate-extra-': 'x' })).toContain('impersonating the empty string key in extra');
    expect(await refusal({ 'impersonate-extra-k.io%2fa': '' })).toContain('empty string value in extra is not allowed');
    expect(await refusal({ 'impersonate-extra-a_b': 'x' })).toContain(
      'impersonating an invalid key in extra is not allowed: ',
    );
  });

  // Texts of kube-apiserver 1.36.3.
  it.each([
    [
      { 'impersonate-user': 'eve' },
      403,
      'configmaps "x" is forbidden: User "bob" cannot impersonate-on:user-info:get resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:default:x' },
      403,
      'configmaps "x" is forbidden: User "bob" cannot impersonate-on:serviceaccount:get resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      { 'impersonate-group': 'g', 'impersonate-extra-foo%2fbar': 'v' },
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string{"foo/bar":[]string{"v"}}} without impersonating a user name',
    ],
    [
      { 'impersonate-uid': 'u' },
      400,
      'requested &user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    ],
  ])('that is refused: %j', async (headers, code, message) => {
    const { answer, request } = await run(headers as Headers, () => false);
    expect(bodyJson(answer)).toMatchObject({ code, message });
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(request).toBeUndefined();
  });

  it('answers with the refusal of the mode that succeeded last', async () => {
    let allowed = true;
    const { handler } = testChain({
      authenticate: () => ({ outcome: 'ok', user: userNamed('bob') }),
      authorizer: authorizerOf(({ verb, user }) => user.name === 'eve' || (allowed && verb === 'impersonate')),
    });
    const incoming = new FakeIncoming({ headers: { 'impersonate-user': 'eve' } });
    await handler(incoming);
    allowed = false;
    expect(bodyJson(await handler(incoming))['message']).toBe(
      'users "eve" is forbidden: User "bob" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });
});
