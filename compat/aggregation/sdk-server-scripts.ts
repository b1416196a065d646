/** The command lines about a server of `keelson/extension`. */
import type { Script } from '../kubectl/script.ts';
import { $, fails } from './lines.ts';
import { availability } from './registration.ts';

const API = 'v1.bank.example.com';

const account = (name: string, spec: string, more = ''): string => `apiVersion: bank.example.com/v1
kind: Account
metadata: {name: ${name}${more}}
spec: ${spec}
`;

export function sdkRegistered(manifests: string): Script {
  return {
    name: 'sdk-registered',
    files: { 'manifests.json': manifests },
    steps: [
      fails('get accounts'),
      $('apply -f manifests.json', { unscoped: true }),
      $('apply -f manifests.json', { unscoped: true }),
      availability('False', API),
    ],
  };
}

export function sdkServed(): Script {
  return {
    name: 'sdk-served',
    files: {
      'ann.yaml': account('ann', '{owner: ann, cards: [{name: gold, limit: 100}]}'),
      'ann-changed.yaml': account('ann', '{owner: ann, currency: CHF, cards: [{name: gold, limit: 200}]}'),
      'ann-card.yaml': account('ann', '{owner: ann, cards: [{name: silver, limit: 10}]}'),
      'ann-limit.yaml': account('ann', '{owner: ann, cards: [{name: silver, limit: 20}]}'),
      'ann-sold.yaml': account('ann', '{owner: bob}'),
      'bob.yaml': account('bob', '{owner: bob}', ', labels: {vip: "true"}'),
      'ownerless.yaml': account('eve', '{currency: EUR}'),
      'typo.yaml': account('eve', '{owner: eve, curency: EUR}'),
      'lost.yaml': account('lost', '{owner: lost}', ', namespace: nowhere'),
    },
    steps: [
      availability('True', API),
      $('get accounts', { retryUntil: 0 }),
      $(`get apiservice ${API}`),
      $('api-resources --api-group=bank.example.com -o wide'),
      $('get --raw /apis/bank.example.com'),
      $('get --raw /apis/bank.example.com/v1'),
      $('explain accounts', { retryUntil: 0 }),
      $('explain accounts.spec --recursive'),
      $('explain accounts.spec.cards'),
      $('create -f ann.yaml'),
      fails('create -f ann.yaml'),
      fails('create -f ownerless.yaml'),
      fails('create -f typo.yaml'),
      fails('create -f lost.yaml', { unscoped: true }),
      $('get acc'),
      $('get acc -o wide'),
      $('get account ann -o yaml'),
      $('apply -f ann.yaml'),
      $('apply -f ann-changed.yaml'),
      $('diff -f ann-changed.yaml'),
      fails('apply -f ann-sold.yaml'),
      $('apply --server-side --field-manager=cards -f ann-card.yaml'),
      $('get acc ann -o jsonpath={.spec}'),
      fails('apply --server-side --field-manager=other -f ann-limit.yaml'),
      $('apply --server-side --field-manager=other --force-conflicts -f ann-limit.yaml'),
      $('apply -f bob.yaml'),
      $('get acc -l vip'),
      $('get acc --field-selector spec.owner=bob -o name'),
      fails('get acc --field-selector spec.currency=EUR'),
      $(`patch acc ann --subresource=status --type=merge -p '{"status":{"balance":12}}'`),
      $('get acc ann -o wide'),
      $('label acc ann vip=false'),
      $('annotate acc ann note=yes'),
      $('get all -o name'),
      $('get acc -A --chunk-size=1'),
      $('get acc --watch -o name', { during: ['annotate acc ann note=no --overwrite', 'delete acc bob'] }),
      $('auth can-i create accounts.bank.example.com'),
      fails('auth can-i create accounts.bank.example.com', { user: 'alice' }),
      fails('get acc', { user: 'alice' }),
      fails('delete acc ann', { user: 'alice' }),
      $('create role reader --verb=get,list,watch --resource=accounts.bank.example.com'),
      $('create rolebinding readers --role=reader --group=developers'),
      $('get acc', { user: 'bob' }),
      fails('delete acc ann', { user: 'bob' }),
      $('get acc --as=carol --as-group=developers'),
      fails('get acc --as=carol'),
      $('delete acc ann --wait'),
      fails('get acc ann'),
      $('apply -f bob.yaml'),
      $('delete acc --all'),
      $('apply -f bob.yaml'),
    ],
  };
}

export function sdkDead(): Script {
  return {
    name: 'sdk-dead',
    steps: [
      availability('False', API),
      // It reads discovery again, which kubectl has from before the server died.
      $('api-resources --api-group=bank.example.com'),
      fails('get accounts'),
      $('get namespaces -o name'),
    ],
  };
}

export function sdkBack(): Script {
  return {
    name: 'sdk-back',
    steps: [
      availability('True', API),
      $('get accounts -A', { retryUntil: 0 }),
      $('get --raw /apis/bank.example.com/v1'),
    ],
  };
}

export function sdkGone(): Script {
  return { name: 'sdk-gone', steps: [$(`delete apiservice ${API}`), fails('get accounts', { retryUntil: 1 })] };
}
