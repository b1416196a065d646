import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json-value.ts';
import { GADGETS, gadget, gadgets, startTestExtensions, type TestAnswer } from '../apiextensions.fixtures.ts';

const SPEC: JsonObject = {
  type: 'object',
  properties: { weight: { type: 'integer', default: 1 } },
  'x-kubernetes-validations': [{ rule: 'has(self.weight)', message: 'needs a weight' }],
};
const STATUS: JsonObject = {
  type: 'object',
  default: { phase: 'Waiting' },
  properties: { phase: { type: 'string' } },
};

function causesOf({ body }: TestAnswer): string[] {
  const { causes } = body['details'] as JsonObject;
  return (causes as Record<string, string>[]).map(({ reason, field }) => `${reason} ${field}`);
}

async function started(): Promise<(method: string, target: string, body?: JsonObject) => Promise<TestAnswer>> {
  const { define, request } = await startTestExtensions();
  await define(
    gadgets([
      {
        properties: { spec: SPEC, status: STATUS },
        more: { subresources: { status: {} } },
      },
    ]),
  );
  return request;
}

describe('the default of a status that clients may not set', () => {
  it('is in the answer to a create, to a dry run and to a get', async () => {
    const request = await started();
    const expected = { body: { status: { phase: 'Waiting' } } };
    const given = gadget('a', { status: { phase: 'Ready' } });
    expect(await request('POST', `${GADGETS}?dryRun=All`, given)).toMatchObject(expected);
    expect(await request('POST', GADGETS, given)).toMatchObject(expected);
    expect(await request('GET', `${GADGETS}/a`)).toMatchObject(expected);
  });

  it('is set again when the status is removed', async () => {
    const request = await started();
    await request('POST', GADGETS, gadget('a'));
    const patch = (status: JsonObject | null): Promise<TestAnswer> =>
      request('PATCH', `${GADGETS}/a/status`, { status });
    expect((await patch({ phase: 'Ready' })).body['status']).toEqual({ phase: 'Ready' });
    expect((await patch(null)).body['status']).toEqual({ phase: 'Waiting' });
  });
});

describe('refusals of custom resources', () => {
  it('say that rules were not checked if metadata is invalid', async () => {
    const request = await started();
    const answer = await request('POST', GADGETS, gadget('', { spec: {} }));
    expect(causesOf(answer)).toEqual(['FieldValueRequired metadata.name', 'FieldValueInvalid <nil>']);
  });

  it('name the kind of the object, and rules that fail because such an object gets no defaults', async () => {
    const request = await started();
    const answer = await request('POST', GADGETS, { ...gadget('a', { spec: {} }), kind: 'Widget' });
    expect(answer.body['message']).toMatch(/^Widget\.example\.test "a" is invalid/);
    expect(causesOf(answer)).toEqual(['FieldValueInvalid kind', 'FieldValueInvalid spec']);
  });

  it('of another version follow the warnings about its unknown fields', async () => {
    const request = await started();
    const answer = await request('POST', GADGETS, gadget('a', { spec: {} }, 'v0'));
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message:
          'the API version in the data (example.test/v0) does not match the expected API version (example.test/v1)',
      },
      warnings: ['299 - "unknown field \\"spec\\""'],
    });
  });

  it('of an object without a kind name the kind of the path, and show the beginning of the body if fields are validated', async () => {
    const request = await started();
    const body = { apiVersion: 'example.test/v1', metadata: { name: 'a' } };
    const missing = 'Object \'Kind\' is missing in \'{"apiVersion":"example.test/v1","metadata":{"name":"a"}}\'';
    const ignored = await request('POST', `${GADGETS}?fieldValidation=Ignore`, body);
    expect(ignored.body['message']).toBe(`Gadget in version "v1" cannot be handled as a Gadget: ${missing}`);
    const warned = await request('POST', GADGETS, body);
    expect(warned.body['message']).toBe(
      `the object provided is unrecognized (must be of type Gadget): ${missing} ({"apiVersion":"example.test/v1 ...)`,
    );
  });

  it('of a patch that changes the group name the new group', async () => {
    const request = await started();
    await request('POST', GADGETS, gadget('a'));
    const { body } = await request('PATCH', `${GADGETS}/a`, { apiVersion: 'other.test/v1' });
    expect(body['message']).toMatch(
      /^Gadget\.other\.test "a" is invalid: apiVersion: Invalid value: "other\.test\/v1"/,
    );
  });

  it('of a patch that removes the kind show the object with its fields in order', async () => {
    const request = await started();
    await request('POST', GADGETS, gadget('a', { spec: { weight: 2 } }));
    const { body } = await request('PATCH', `${GADGETS}/a`, { kind: null });
    expect(body['message']).toMatch(
      /Object 'Kind' is missing in '\{"apiVersion":"[^"]+","metadata":\{"creationTimestamp":/,
    );
  });
});
