// The metrics of GET /metrics, read from the code that makes them, and what a PromQL expression asks of them.
import { files, read } from './checks.mjs';

// Of the meter System.Runtime (learn.microsoft.com/dotnet/core/diagnostics/built-in-metrics-runtime), those that the dashboard shows.
const Runtime = [
  ['Counter', 'dotnet.process.cpu.time', 's', ['cpu_mode']],
  ['Gauge', 'dotnet.process.memory.working_set', 'By', []],
  ['Counter', 'dotnet.gc.heap.total_allocated', 'By', []],
  ['Counter', 'dotnet.gc.pause.time', 's', []],
  ['Gauge', 'dotnet.thread_pool.queue.length', '{work_item}', []],
];

// CountRoutes and GaugeInlets of RouteMetrics make instruments too.
const Creation = /\b(?:Create(?:Observable)?(Counter|Histogram|Gauge)(?:<\w+>)?|(CountRoutes|GaugeInlets))\(\s*"([\w.]+)"([^;]*);/g;
const AnyCreation = /\bCreate(?:Observable)?(?:Counter|UpDownCounter|Histogram|Gauge)(?:<\w+>)?\(/g;

/** Every metric by its exported name, with its kind and the labels that the code of its file uses. */
export function readMetrics() {
  const metrics = new Map([['up', { kind: 'Gauge', labels: [] }], ['ALERTS', { kind: 'Gauge', labels: ['alertname', 'alertstate', 'severity'] }]]);
  Runtime.forEach(([kind, name, unit, labels]) => exported(kind, name, unit).forEach(sample => metrics.set(sample, { kind, labels })));
  for (const path of files('src', '.cs')) {
    const text = read(path);
    const labels = [...text.matchAll(/"((?:worker|rpc|error)\.[a-z_]+)"/g)].map(([, label]) => label.replaceAll('.', '_'));
    const created = [...text.matchAll(Creation)];
    for (const [, given, helper, name, rest] of created) {
      const kind = given ?? (helper === 'CountRoutes' ? 'Counter' : 'Gauge');
      const unit = /"(s|By|USD|\{\w+\})"/.exec(rest)?.[1];
      exported(kind, name, unit).forEach(sample => metrics.set(sample, { kind, labels }));
    }

    // The two helpers of RouteMetrics create what they are given a name for.
    const expected = created.filter(([, , helper]) => !helper).length + (path.endsWith('/RouteMetrics.cs') ? 2 : 0);
    if ([...text.matchAll(AnyCreation)].length !== expected) {
      throw new Error(`${path}: an instrument is created in a way that tests/deploy/instruments.mjs does not read`);
    }
  }

  return metrics;
}

// As PrometheusText.cs names them.
function exported(kind, name, unit) {
  const suffix = { s: '_seconds', By: '_bytes', USD: '_usd' }[unit] ?? '';
  const clean = name.replaceAll('.', '_');
  const full = clean.endsWith(suffix) ? clean : clean + suffix;
  return kind === 'Counter' ? [`${full}_total`] : kind === 'Histogram' ? [`${full}_bucket`, `${full}_sum`, `${full}_count`] : [full];
}

/** What is wrong with an expression's metrics and labels. Whether it parses is promtool's to say. */
export function problemsOf(expression, metrics) {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const grouping = /\b(?:by|without)\s*\(([^)]*)\)/g;
  const names = [...new Set(bare.replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ').replace(grouping, ' ').match(/\b(?:up|ALERTS|(?:worker|messaging|dotnet)_\w+)\b/g))];
  const unknown = names.filter(name => !metrics.has(name));
  if (names.length === 0 || unknown.length > 0) {
    return names.length === 0 ? ['names no metric'] : unknown.map(name => `no instrument gives ${name}`);
  }

  const known = ['job', 'instance', 'namespace', 'le', ...names.flatMap(name => metrics.get(name).labels)];
  const used = [
    ...[...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, matchers]) => matchers.match(/\w+(?=\s*[=!])/g) ?? []),
    ...[...bare.matchAll(grouping)].flatMap(([, list]) => list.split(',').map(label => label.trim())),
  ];
  const rated = name => new RegExp(`\\b(?:rate|increase)\\(${name}\\b`).test(bare);
  return [
    ...used.filter(label => !known.includes(label)).map(label => `${names} has no label ${label}`),
    ...names.filter(name => metrics.get(name).kind === 'Gauge' && rated(name)).map(name => `${name} is a gauge, and no rate`),
    // The messages lost since the start are shown as they are.
    ...names.filter(name => metrics.get(name).kind !== 'Gauge' && !rated(name) && name !== 'worker_messages_lost_total').map(name => `${name} needs rate() or increase()`),
  ];
}
