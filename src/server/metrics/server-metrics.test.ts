import { describe, expect, it } from 'vitest';
import { isBugError } from '../../base/errors.ts';
import { MetricRegistry } from '../../base/metrics/metric-registry.ts';
import { parseRequestInfo, type RequestInfo } from '../http/request-info.ts';
import { metricScope, metricVerb, registerServerMetrics } from './server-metrics.ts';

function info(method: string, target: string): RequestInfo {
  const result = parseRequestInfo(method, target);
  if (!result.ok) throw new Error(result.problem);
  return result.info;
}

it('are registered once per registry', () => {
  const registry = new MetricRegistry();
  registerServerMetrics(registry);
  expect(() => registerServerMetrics(registry)).toThrow(expect.toSatisfy(isBugError));
});

it('print under the names, labels and buckets of the reference', () => {
  const registry = new MetricRegistry();
  const metrics = registerServerMetrics(registry);
  metrics.requestTotal.labels('GET', '', 'apps', 'v1', 'deployments', '', 'resource', 'apiserver', '200').add();
  metrics.requestDuration.labels('GET', '', 'apps', 'v1', 'deployments', '', 'resource', 'apiserver').observe(0.004);
  metrics.responseSizes.labels('LIST', '', 'v1', 'pods', '', 'cluster', 'apiserver').observe(5e6);
  metrics.currentInFlight.labels('readOnly').set(3);
  const lines = registry.print().split('\n');
  const labels =
    'component="apiserver",dry_run="",group="apps",resource="deployments",scope="resource",subresource="",verb="GET",version="v1"';
  expect(lines).toContain(
    'apiserver_request_total{code="200",component="apiserver",dry_run="",group="apps",resource="deployments",scope="resource",subresource="",verb="GET",version="v1"} 1',
  );
  expect(lines).toContain(`apiserver_request_duration_seconds_bucket{${labels},le="0.005"} 1`);
  expect(lines).toContain(`apiserver_request_duration_seconds_bucket{${labels},le="60"} 1`);
  expect(lines).toContain(
    'apiserver_response_sizes_bucket{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="LIST",version="v1",le="1e+07"} 1',
  );
  expect(lines).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 3');
});

describe('a request', () => {
  it.each([
    ['GET', '/api/v1/pods', 'LIST', 'cluster'],
    ['HEAD', '/api/v1/namespaces/a/pods', 'LIST', 'namespace'],
    ['GET', '/api/v1/namespaces/a/pods/b', 'GET', 'resource'],
    ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name=b', 'LIST', 'namespace'],
    ['GET', '/api/v1/pods?watch=1', 'WATCH', 'cluster'],
    ['GET', '/api/v1/watch/pods', 'WATCH', 'cluster'],
    ['POST', '/api/v1/namespaces/a/pods', 'POST', 'resource'],
    ['PUT', '/api/v1/namespaces/a/pods/b', 'PUT', 'resource'],
    ['PATCH', '/api/v1/namespaces/a', 'PATCH', 'resource'],
    ['DELETE', '/api/v1/namespaces/a/pods', 'DELETE', 'namespace'],
    ['GET', '/healthz', 'GET', ''],
    ['BREW', '/healthz', 'other', ''],
  ])('%s %s is a %s of scope %j', (method, target, verb, scope) => {
    const parsed = info(method, target);
    expect([metricVerb(method, parsed), metricScope(parsed)]).toEqual([verb, scope]);
  });

  it('is APPLY or CONNECT if the caller says so', () => {
    expect(metricVerb('PATCH', info('PATCH', '/api/v1/nodes/a'), 'APPLY')).toBe('APPLY');
    expect(metricVerb('POST', info('POST', '/api/v1/namespaces/a/pods/b/exec'), 'CONNECT')).toBe('CONNECT');
  });
});
