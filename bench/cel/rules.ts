/**
 * Twenty typical rules of definitions, their schema, an object that satisfies them, and the condition of each rule in
 * plain JavaScript.
 */
import type { JsonObject } from '../../src/base/json-value.ts';

const text = { type: 'string', maxLength: 300 };
const integer = { type: 'integer' };

export const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    name: text,
    host: text,
    image: text,
    scheme: text,
    policy: text,
    replicas: integer,
    minReplicas: integer,
    maxReplicas: integer,
    weight: { type: 'number' },
    paused: { type: 'boolean' },
    arguments: { type: 'array', maxItems: 32, items: text },
    labels: { type: 'object', maxProperties: 32, additionalProperties: text },
    tls: { type: 'object', properties: { secret: text } },
    strategy: { type: 'object', properties: { type: text, maxSurge: integer } },
    ports: {
      type: 'array',
      maxItems: 16,
      items: { type: 'object', properties: { name: text, port: integer, protocol: text } },
    },
  },
};

export interface Subject {
  readonly name: string;
  readonly host: string;
  readonly image: string;
  readonly scheme: string;
  readonly policy: string;
  readonly replicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly weight: number;
  readonly paused?: boolean;
  readonly arguments: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly tls?: { readonly secret: string };
  readonly strategy: { readonly type: string; readonly maxSurge?: number };
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
}

export const SUBJECT: Subject = {
  name: 'cart-service',
  host: 'cart.shop.example.com',
  image: 'registry.example.com/shop/cart:1.2.3',
  scheme: 'https',
  policy: 'OnFailure',
  replicas: 3,
  minReplicas: 1,
  maxReplicas: 10,
  weight: 0.5,
  paused: false,
  arguments: ['--level=info', '--listen=:8080', '--cache=64Mi'],
  labels: { app: 'cart', region: 'north', stage: 'test' },
  tls: { secret: 'cart-tls' },
  strategy: { type: 'Rolling', maxSurge: 1 },
  ports: [
    { name: 'http', port: 8080, protocol: 'TCP' },
    { name: 'metrics', port: 9090, protocol: 'TCP' },
    { name: 'admin', port: 9091, protocol: 'TCP' },
  ],
};

const POLICIES = ['Always', 'Never', 'OnFailure'];
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const HOST = /^[a-z0-9.-]+$/;

export interface Rule {
  readonly rule: string;
  holds(self: Subject): boolean;
}

export const RULES: readonly Rule[] = [
  {
    rule: 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
    holds: (self) => self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas,
  },
  {
    rule: "has(self.image) && self.image.startsWith('registry.example.com/')",
    holds: (self) => 'image' in self && self.image.startsWith('registry.example.com/'),
  },
  {
    rule: 'self.ports.all(p, p.port > 0 && p.port < 65536)',
    holds: (self) => self.ports.every((p) => p.port > 0 && p.port < 65_536),
  },
  { rule: "self.ports.exists(p, p.name == 'http')", holds: (self) => self.ports.some((p) => p.name === 'http') },
  {
    rule: "self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
    holds: (self) => NAME.test(self.name),
  },
  { rule: 'size(self.arguments) <= 10', holds: (self) => self.arguments.length <= 10 },
  { rule: "self.policy in ['Always', 'Never', 'OnFailure']", holds: (self) => POLICIES.includes(self.policy) },
  { rule: '!has(self.paused) || !self.paused', holds: (self) => self.paused === undefined || !self.paused },
  {
    rule: 'self.labels.all(k, size(k) <= 63)',
    holds: (self) => Object.keys(self.labels).every((k) => k.length <= 63),
  },
  {
    rule: "'app' in self.labels && self.labels['app'] == 'cart'",
    holds: (self) => 'app' in self.labels && self.labels['app'] === 'cart',
  },
  {
    rule: "self.strategy.type == 'Rolling' ? has(self.strategy.maxSurge) : true",
    holds: (self) => (self.strategy.type === 'Rolling' ? self.strategy.maxSurge !== undefined : true),
  },
  {
    rule: "has(self.tls) == (self.scheme == 'https')",
    holds: (self) => (self.tls !== undefined) === (self.scheme === 'https'),
  },
  {
    rule: "self.ports.exists_one(p, p.name == 'metrics')",
    holds: (self) => self.ports.filter((p) => p.name === 'metrics').length === 1,
  },
  {
    rule: "self.arguments.filter(a, a.startsWith('--')).size() == size(self.arguments)",
    holds: (self) => self.arguments.filter((a) => a.startsWith('--')).length === self.arguments.length,
  },
  {
    rule: 'self.ports.map(p, p.port).all(n, n >= 1024)',
    holds: (self) => self.ports.map((p) => p.port).every((n) => n >= 1024),
  },
  {
    rule: "self.image.contains(':') && !self.image.endsWith(':latest')",
    holds: (self) => self.image.includes(':') && !self.image.endsWith(':latest'),
  },
  { rule: 'self.weight >= 0.0 && self.weight <= 1.0', holds: (self) => self.weight >= 0 && self.weight <= 1 },
  {
    rule: 'self.replicas % 2 == 1 || self.replicas == 2',
    holds: (self) => self.replicas % 2 === 1 || self.replicas === 2,
  },
  {
    rule: 'self.ports.all(p, self.ports.exists_one(q, q.port == p.port))',
    holds: (self) => self.ports.every((p) => self.ports.filter((q) => q.port === p.port).length === 1),
  },
  {
    rule: "self.host == '' || self.host.size() <= 253 && self.host.matches('^[a-z0-9.-]+$')",
    holds: (self) => self.host === '' || (self.host.length <= 253 && HOST.test(self.host)),
  },
];
