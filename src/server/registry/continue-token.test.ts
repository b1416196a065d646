import { describe, expect, it } from 'vitest';
import { escapeSegment } from '../../storage/keys.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const PREFIX = 'registry/clusterroles/';

describe('continue tokens', () => {
  it.each(['a', 'größe', '🚢', '\uffff', 'a b'])('contain the name %j, not its escaped form', (name) => {
    const token = { revision: 7, start: PREFIX + escapeSegment(name) };
    const text = encodeContinue(PREFIX, token);
    expect(JSON.parse(Buffer.from(text, 'base64url').toString())).toEqual({ v: 'meta.k8s.io/v1', rv: 7, start: name });
    expect(decodeContinue(PREFIX, text)).toEqual(token);
  });

  it('of kube-apiserver start after the last name, which a zero byte follows', () => {
    const token = JSON.stringify({ v: 'meta.k8s.io/v1', rv: 7, start: '🚢\0' });
    const { start } = decodeContinue(PREFIX, Buffer.from(token).toString('base64url'));
    expect(start > PREFIX + escapeSegment('🚢')).toBe(true);
    expect(start < PREFIX + escapeSegment('🚢\u0001')).toBe(true);
    expect(start < PREFIX + escapeSegment('🚣')).toBe(true);
  });
});
