import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { wantsColour } from './colour.ts';
import { createLogger, type LoggingOptions, redactSecrets } from './logging.ts';

let folder: string;
let descriptor: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-logging-'));
  descriptor = openSync(join(folder, 'log'), 'w');
});

afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

const written = (): string => readFileSync(join(folder, 'log'), 'utf8');
const open = (options: Partial<LoggingOptions>) =>
  createLogger({
    format: 'json',
    descriptor,
    clock: new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5)),
    ...options,
  });

const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

describe('logs', () => {
  it('are one JSON object per line, with level, time, message and fields', async () => {
    const logger = await open({});
    logger.info('listening', { port: 6443 });
    logger.warn('odd');
    expect(
      written()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { level: 'info', time: '2026-01-02T03:04:05.000Z', port: 6443, msg: 'listening' },
      { level: 'warn', time: '2026-01-02T03:04:05.000Z', msg: 'odd' },
    ]);
  });

  it('contain errors with their stack and causes', async () => {
    const error = new Error('outer', { cause: new Error('inner') });
    (await open({})).error('broken', error);
    (await open({ format: 'text' })).error('broken', error, { step: 2 });
    const [json = '', ...text] = written().split('\n');
    const { err } = JSON.parse(json) as { err: { message: string; stack: string } };
    expect(err.message).toContain('inner');
    expect(err.stack).toContain('logging.test.ts');
    expect(text.join('\n')).toMatch(/error broken: outer step=2\n {2}at [\s\S]*\n {2}caused by Error: inner\n {2}at /);
  });

  it('are lines of text in the text format', async () => {
    const logger = await open({ format: 'text' });
    logger.info('listening', { url: 'https://[::1]:1', note: 'two words', nothing: undefined });
    expect(written()).toMatch(/^\d\d:\d\d:\d\d info {2}listening url=https:\/\/\[::1\]:1 note="two words"\n$/);
  });

  it('are one line of text for an error whose cause lies outside of the program', async () => {
    const full = new ConfigError('the disk is full', { cause: new Error('ENOSPC') });
    (await open({ format: 'text' })).error('cannot write', full, { code: 500 });
    expect(written()).toMatch(/^\d\d:\d\d:\d\d error cannot write: the disk is full code=500\n$/);
  });

  it('have colours if asked for, and hide credentials next to them', async () => {
    const logger = await open({ format: 'text', colour: true });
    logger.warn('odd', { token: TOKEN });
    expect(written()).toMatch(
      /^\u001b\[90m\S+\u001b\[39m \u001b\[33mwarn \u001b\[39m odd \u001b\[90mtoken=\[redacted\]/,
    );
    expect(written()).not.toContain(TOKEN);
  });

  it('have colours on a terminal, unless NO_COLOR is set; FORCE_COLOR decides first', () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColour({ NO_COLOR: '' }, true)).toBe(true);
    expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: '1', NO_COLOR: '1' }, false)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '' }, false)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '0' }, true)).toBe(false);
  });

  it('contain debug lines only from verbosity 2 on', async () => {
    for (const format of ['json', 'text'] as const) {
      (await open({ format })).debug('quiet');
      (await open({ format, verbosity: 2 })).debug('loud');
    }
    expect(written()).not.toContain('quiet');
    expect(written().match(/loud/g)).toHaveLength(2);
  });

  it('never contain a token or a private key', async () => {
    const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----';
    for (const format of ['json', 'text'] as const) {
      const logger = await open({ format });
      logger.info('Authorization: Bearer abc-def', { token: TOKEN, header: 'bearer abc-123.def' });
      logger.error('failed', new Error(`with ${TOKEN}`, { cause: new Error(key) }));
    }
    expect(written()).not.toMatch(/abc-|c2lnbmF0dXJl|MHcCAQEE/);
    expect(written().match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(6);
  });

  it('keep the text before a token, and redact several in a row', () => {
    expect(redactSecrets(`"authorization":"Bearer a b", Bearer abcdefg1 ${TOKEN},${TOKEN}`)).toBe(
      '"authorization":"Bearer [redacted] b", Bearer [redacted] [redacted],[redacted]',
    );
  });

  it('redact long texts in linear time', () => {
    const size = 1_000_000;
    for (const unit of [' ', 'eyJ-', 'bearer ', '-----BEGIN PRIVATE KEY-----', 'authorization:', 'eyJaaaaaaaa.']) {
      const text = `a${unit.repeat(size / unit.length)}b`;
      expect(redactSecrets(text).startsWith('a'), JSON.stringify(unit)).toBe(true);
    }
  });

  it('contain no control characters', async () => {
    (await open({ format: 'text' })).info('request', { path: '/\u001b[2J', user: 'a\u009b2Jb' });
    expect(written()).toMatch(/request path="\/\\u001b\[2J" user="a\\u009b2Jb"\n$/);
  });

  it('do not change other texts', () => {
    const text = 'invalid bearer token of system:serviceaccount:a:b, eyJ, basic validation at https://127.0.0.1:6443';
    expect(redactSecrets(text)).toBe(text);
  });
});
