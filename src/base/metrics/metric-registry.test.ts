import { describe, expect, it } from 'vitest';
import { isBugError } from '../errors.ts';
import { MetricRegistry } from './metric-registry.ts';
import { formatValue } from './metrics-text.ts';

describe('the text', () => {
  it('sorts metrics by name, labels by name, and series by their label values', () => {
    const registry = new MetricRegistry();
    const gauge = registry.gauge({ name: 'z', help: 'last', labels: [] });
    const counter = registry.counter({ name: 'b_total', help: 'many', labels: ['y', 'x'] });
    gauge.labels().set(-1.5);
    counter.labels('2', 'b').add(2);
    counter.labels('1', 'b').add();
    counter.labels('9', 'a').add(0.25);
    const text = [
      '# HELP b_total many',
      '# TYPE b_total counter',
      'b_total{x="a",y="9"} 0.25',
      'b_total{x="b",y="1"} 1',
      'b_total{x="b",y="2"} 2',
      '# HELP z last',
      '# TYPE z gauge',
      'z -1.5',
      '',
    ].join('\n');
    expect(registry.print()).toBe(text);
    expect(registry.print()).toBe(text);
    counter.labels('0', 'a').add();
    expect(registry.print()).toBe(text.replace('b_total{x="a",y="9"}', 'b_total{x="a",y="0"} 1\nb_total{x="a",y="9"}'));
  });

  it('cumulates the buckets of a histogram', () => {
    const registry = new MetricRegistry();
    const plain = registry.histogram({ name: 'h', help: 'sizes', labels: [], buckets: [0.1, 1, 1e6] });
    for (const value of [0.05, 0.1, 0.5, 2e6, Number.NaN]) plain.labels().observe(value);
    const labelled = registry.histogram({ name: 'i', help: 'sizes', labels: ['a'], buckets: [1] });
    labelled.labels('x').observe(1);
    labelled.labels('x').observe(2.5);
    expect(registry.print()).toBe(
      [
        '# HELP h sizes',
        '# TYPE h histogram',
        'h_bucket{le="0.1"} 2',
        'h_bucket{le="1"} 3',
        'h_bucket{le="1e+06"} 3',
        'h_bucket{le="+Inf"} 5',
        'h_sum NaN',
        'h_count 5',
        '# HELP i sizes',
        '# TYPE i histogram',
        'i_bucket{a="x",le="1"} 1',
        'i_bucket{a="x",le="+Inf"} 2',
        'i_sum{a="x"} 3.5',
        'i_count{a="x"} 2',
        '',
      ].join('\n'),
    );
  });

  it('escapes line breaks and quotes', () => {
    const registry = new MetricRegistry();
    registry
      .counter({ name: 'c', help: 'a\\b\n"c"', labels: ['l'] })
      .labels('a\\b\n"c"é')
      .add();
    expect(registry.print()).toBe('# HELP c a\\\\b\\n"c"\n# TYPE c counter\nc{l="a\\\\b\\n\\"c\\"é"} 1\n');
  });

  it('has a metric with labels only after its first use, one without labels always', () => {
    const registry = new MetricRegistry();
    registry.counter({ name: 'a', help: 'a', labels: ['l'] });
    registry.histogram({ name: 'c', help: 'c', labels: ['l'], buckets: [1] });
    registry.counter({ name: 'b', help: 'b', labels: [] });
    expect(registry.print()).toBe('# HELP b b\n# TYPE b counter\nb 0\n');
  });

  it('runs collectors first', () => {
    const registry = new MetricRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'g', labels: [] });
    registry.onCollect(() => gauge.labels().add(3));
    expect(registry.print()).toContain('\ng 3\n');
  });

  it.each([
    [0, '0'],
    [-0, '-0'],
    [999_999, '999999'],
    [1e6, '1e+06'],
    [1_234_567, '1.234567e+06'],
    [-1_234_567.5, '-1.2345675e+06'],
    [1e21, '1e+21'],
    [1e100, '1e+100'],
    [0.1 + 0.2, '0.30000000000000004'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [999_999.5, '999999.5'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('prints %d as %s', (value, text) => {
    expect(formatValue(value)).toBe(text);
  });
});

describe('a metric', () => {
  it('has no series after it was cleared, until it is used again', () => {
    const registry = new MetricRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'g', labels: ['l'] });
    gauge.labels('a').set(1);
    gauge.clear();
    expect([gauge.size, registry.print()]).toEqual([0, '']);
    gauge.labels('b').set(2);
    expect(registry.print()).toContain('g{l="b"} 2\n');
  });
});

describe('a series', () => {
  it('has one handle for any label values', () => {
    const family = new MetricRegistry().counter({ name: 'c', help: 'c', labels: ['a', 'b'] });
    const handles = new Set([
      family.labels('x', 'y'),
      family.labels('x', 'y'),
      family.labels('xy', ''),
      family.labels('', 'xy'),
      family.labels('x\0', 'y'),
      family.labels('x', '\0y'),
    ]);
    expect([handles.size, family.size]).toEqual([5, 5]);
  });

  it('of a counter cannot decrease', () => {
    const counter = new MetricRegistry().counter({ name: 'c', help: 'c', labels: [] }).labels();
    for (const by of [-1, Number.NaN]) expect(() => counter.add(by)).toThrow(expect.toSatisfy(isBugError));
    expect(counter.value).toBe(0);
  });

  it('above the limit is counted as overflow and uses no memory', () => {
    const registry = new MetricRegistry();
    const family = registry.counter({ name: 'c', help: 'c', labels: ['a', 'b'], maxSeries: 2 });
    for (const [a, b] of [
      ['1', '1'],
      ['1', '2'],
      ['1', '3'],
      ['2', '1'],
      ['3', '1'],
      ['1', '2'],
    ] as const)
      family.labels(a, b).add();
    expect(registry.print().split('\n').slice(2, -1)).toEqual([
      'c{a="1",b="1"} 1',
      'c{a="1",b="2"} 2',
      'c{a="overflow",b="overflow"} 3',
    ]);
    expect(family.size).toBe(3);
  });

  it.each([
    ['counter', 10_000],
    ['histogram', 2_000],
  ] as const)('of a %s is one of %d at most unless told otherwise', (type, bound) => {
    const registry = new MetricRegistry();
    const options = { name: 'c', help: 'c', labels: ['a'] } as const;
    const family = type === 'counter' ? registry.counter(options) : registry.histogram({ ...options, buckets: [1] });
    for (let i = 0; i < bound + 5; i++) family.labels(String(i));
    expect(family.size).toBe(bound + 1);
  });

  it('requires one value per label', () => {
    const family = new MetricRegistry().counter({ name: 'c', help: 'c', labels: ['a', 'b'] });
    const labels = family.labels.bind(family) as (...values: string[]) => unknown;
    expect(() => labels('x')).toThrow(expect.toSatisfy(isBugError));
    expect(() => labels('x', 'y', 'z')).toThrow(expect.toSatisfy(isBugError));
  });
});

describe('a registration', () => {
  const good = { name: 'ok_total', help: 'text', labels: ['a'] };

  it.each([
    [{ ...good, name: '1x' }],
    [{ ...good, name: 'a b' }],
    [{ ...good, name: '' }],
    [{ ...good, help: '' }],
    [{ ...good, labels: ['a', 'a'] }],
    [{ ...good, labels: ['a-b'] }],
    [{ ...good, labels: ['__a'] }],
    [{ ...good, labels: ['a:b'] }],
  ])('of %j throws a BugError', (options) => {
    expect(() => new MetricRegistry().counter(options)).toThrow(expect.toSatisfy(isBugError));
    expect(() => new MetricRegistry().gauge(options)).toThrow(expect.toSatisfy(isBugError));
  });

  it.each([[[]], [[1, 1]], [[2, 1]], [[1, Number.POSITIVE_INFINITY]], [[Number.NaN]]])(
    'with the buckets %j is a bug',
    (buckets) => {
      expect(() => new MetricRegistry().histogram({ ...good, buckets })).toThrow(expect.toSatisfy(isBugError));
    },
  );

  it('of a name that a metric or a part of a histogram has throws a BugError', () => {
    const registry = new MetricRegistry();
    registry.histogram({ ...good, name: 'h', buckets: [1] });
    registry.counter({ ...good, name: 'x_sum' });
    for (const name of ['h', 'h_sum', 'h_count', 'h_bucket', 'x_sum'])
      expect(() => registry.counter({ ...good, name })).toThrow(expect.toSatisfy(isBugError));
    expect(() => registry.histogram({ ...good, name: 'x', buckets: [1] })).toThrow(expect.toSatisfy(isBugError));
  });

  it('of the label le throws a BugError for a histogram only', () => {
    const registry = new MetricRegistry();
    registry.counter({ ...good, labels: ['le'] });
    expect(() => registry.histogram({ name: 'h', help: 'h', labels: ['le'], buckets: [1] })).toThrow(
      expect.toSatisfy(isBugError),
    );
  });
});
