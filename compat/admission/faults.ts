/**
 * Compares the answers of both servers to requests that call webhooks with a fault: the matrix of test/webhook.
 * usage: faults.ts
 */
import {
  allow,
  CALLBACKS,
  comparable,
  FAULTS,
  type FaultyServer,
  faultConfiguration,
  type ReviewCall,
  runCallback,
  type SendRequest,
  startFaulty,
} from '../../test/webhook/webhook-faults.ts';
import { type Answer, ask, type Client, createClient } from '../diff/client.ts';
import { onFreshPair } from '../peers/pair.ts';

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
/** The reference reads a new configuration within about a second. */
const INSTALL_TRIES = 100;
const INSTALL_MS = 100;
/** The part of a message that is compared. */
const SHOWN = 600;

function post(client: Client, path: string, body: unknown): Promise<Answer> {
  return ask(client, { method: 'POST', path, body: body as Record<string, unknown> }, NO_VARIABLES);
}

/** Creates ConfigMaps until one is refused, or the webhook of the label was called. */
async function provoke(
  client: Client,
  label: string,
  server: FaultyServer,
): Promise<{ readonly status: number; readonly message: string }> {
  for (let i = 0; i < INSTALL_TRIES; i++) {
    const object = { metadata: { generateName: 'x-', labels: { fault: label } }, data: { k: 'v' } };
    const answer = await post(client, '/api/v1/namespaces/default/configmaps', object);
    if (answer.status !== 201) {
      const { message = '' } = JSON.parse(answer.text) as { message?: string };
      return { status: answer.status, message };
    }
    if (server.received() > 0) return { status: 201, message: 'admitted' };
    await new Promise((resolve) => setTimeout(resolve, INSTALL_MS));
  }
  return { status: 201, message: 'the webhook is not used' };
}

let failed = 0;
let compared = 0;

function report(name: string, [theirs = '', ours = '']: readonly string[], differs = false): void {
  compared++;
  const agree = theirs === ours || differs;
  if (!agree) failed++;
  console.log(`${agree ? 'ok  ' : 'FAIL'} ${name}\n  ${theirs}${theirs === ours ? '' : `\n  ${ours}`}`);
}

await onFreshPair('keelson', [], async ({ reference, candidate }) => {
  const clients = [reference, candidate].map((peer) => createClient(peer));
  for (const [index, fault] of FAULTS.entries()) {
    const answers: string[] = [];
    for (const client of clients) {
      const server = await startFaulty(() => fault);
      const label = `f${index}`;
      await post(client, CONFIGURATIONS, faultConfiguration(server, label, 1));
      const { status, message } = await provoke(client, label, server);
      const text = comparable(message, server.port)
        .replace(/127\.0\.0\.1:\d+->/, '127.0.0.1:N->')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
      // A reset inside the body may be seen as its end.
      const seen = text.replace(/read tcp \S+: read: connection reset by peer$/, 'unexpected EOF');
      const isExpected = status === fault.code && fault.message.test(text.replace('127.0.0.1:N->', '127.0.0.1:1->'));
      if (!isExpected && !(fault.differs === true && client === clients[0]))
        report(`${fault.name}: the table of test/webhook says otherwise`, [String(fault.message), `${status} ${text}`]);
      answers.push(`${status} ${(fault.name.endsWith('inside its body') ? seen : text).slice(0, SHOWN)}`);
      await server.stop();
    }
    report(fault.name, answers, fault.differs);
  }
  for (const [index, callback] of CALLBACKS.entries()) {
    const answers: string[] = [];
    for (const client of clients) {
      const webhook = { server: undefined as unknown as FaultyServer, answer: allow as (call: ReviewCall) => void };
      webhook.server = await startFaulty(() => ({
        name: '',
        code: 0,
        message: /x/,
        answer: (call) => webhook.answer(call),
      }));
      const label = `c${index}`;
      await post(client, CONFIGURATIONS, faultConfiguration(webhook.server, label, 5));
      for (let i = 0; i < INSTALL_TRIES && webhook.server.received() === 0; i++) {
        await post(client, '/api/v1/namespaces/default/configmaps?dryRun=All', {
          metadata: { generateName: 'x-', labels: { fault: label } },
        });
        await new Promise((resolve) => setTimeout(resolve, INSTALL_MS));
      }
      const send: SendRequest = async (method, path, body) => {
        const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
        const answer = await ask(
          client,
          { method, path, headers, ...(body && { body: body as Record<string, unknown> }) },
          NO_VARIABLES,
        );
        return { status: answer.status, body: JSON.parse(answer.text) as { reason?: string } };
      };
      answers.push(await runCallback(callback, label, send, webhook));
      await webhook.server.stop();
    }
    const expected = `${callback.code} ${callback.reason}, ${callback.reviews} reviews`;
    report(`a webhook that ${callback.name}`, answers);
    if (answers[0] !== expected) report('the table of test/webhook says otherwise', [expected, answers[0] ?? '']);
  }
  for (const client of clients) client.close();
});
console.log(`${compared - failed} of ${compared} answers agree`);
process.exitCode = failed === 0 ? 0 : 1;
