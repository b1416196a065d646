import { describe, expect, it } from 'vitest';
import { selectLoops } from './select-loops.ts';

const AVAILABLE = ['garbage-collector-controller', 'namespace-controller'];

function running(...given: string[]): string[] {
  const selected = selectLoops(given, AVAILABLE);
  return AVAILABLE.filter((name) => selected(name));
}

describe('--controllers', () => {
  it('runs everything for *, and nothing for an empty list', () => {
    expect(running('*')).toEqual(AVAILABLE);
    expect(running()).toEqual([]);
  });

  it('runs the named loops, or all loops except those that are turned off', () => {
    expect(running('namespace-controller')).toEqual(['namespace-controller']);
    expect(running('*', '-namespace-controller')).toEqual(['garbage-collector-controller']);
    expect(running('-namespace-controller', '*')).toEqual(['garbage-collector-controller']);
    expect(running('-namespace-controller')).toEqual([]);
  });

  it('applies the first mention of a name', () => {
    expect(running('namespace-controller', '-namespace-controller')).toEqual(['namespace-controller']);
    expect(running('-namespace-controller', 'namespace-controller', '*')).toEqual(['garbage-collector-controller']);
  });

  it('accepts aliases, and counts them as the name', () => {
    expect(running('garbagecollector')).toEqual(['garbage-collector-controller']);
    expect(running('*', '-namespace', 'namespace-controller')).toEqual(['garbage-collector-controller']);
  });

  it('refuses unknown names and lists the known ones', () => {
    expect(() => running('*', 'nonsense')).toThrow(
      '--controllers: "nonsense" is not the name of a controller; this server has garbage-collector-controller, namespace-controller',
    );
    expect(() => running('-namespce-controller')).toThrow('(did you mean namespace-controller?)');
    expect(() => running('')).toThrow('"" is not the name of a controller');
    expect(() => running('-*')).toThrow('"*" is not the name of a controller');
  });

  it('turns off controllers that only kube-controller-manager has, and refuses to turn them on', () => {
    expect(running('*', '-deployment-controller')).toEqual(AVAILABLE);
    expect(() => running('deployment')).toThrow('this server has no deployment-controller; it has');
  });
});
