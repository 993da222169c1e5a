// The metrics of GET /metrics, by the reference that the worker's tests hold against its source, those that Prometheus records from them, and what a
// PromQL expression asks of them.
import { parse } from 'yaml';
import { read } from './checks.mjs';

/** The rules of deploy/prometheus/alerts.yml: alerts, and recorded series. */
export const rules = parse(read('deploy/prometheus/alerts.yml')).groups.flatMap(group => group.rules);

// Of the meter System.Runtime (learn.microsoft.com/dotnet/core/diagnostics/built-in-metrics-runtime), those that the dashboard shows.
const Runtime = [
  ['counter', 'dotnet.process.cpu.time', 's', ['cpu_mode']],
  ['gauge', 'dotnet.process.memory.working_set', 'By', []],
  ['counter', 'dotnet.gc.heap.total_allocated', 'By', []],
  ['counter', 'dotnet.gc.pause.time', 's', []],
  ['gauge', 'dotnet.thread_pool.queue.length', '{work_item}', []],
];

const Row = /^\| `([\w.]+)` \| (counter|gauge|histogram)(?:, (\S+))? \| ([^|]*) \|/gm;

/** Every metric by its exported or recorded name, with its kind and its labels. */
export function readMetrics() {
  const metrics = new Map([['up', { kind: 'gauge', labels: [] }], ['ALERTS', { kind: 'gauge', labels: ['alertname', 'alertstate', 'severity'] }]]);
  const rows = [...read('docs/reference/metrics.md').matchAll(Row)].map(([, name, kind, unit, labels]) => [kind, name, unit, labels.match(/[a-z_.]+/g) ?? []]);
  for (const [kind, name, unit, labels] of [...Runtime, ...rows]) {
    exported(kind, name, unit).forEach(sample => metrics.set(sample, { kind, labels: labels.map(label => label.replaceAll('.', '_')) }));
  }

  for (const { record, expr } of rules.filter(rule => rule.record)) {
    metrics.set(record, { kind: 'gauge', labels: [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', ')) });
  }

  return metrics;
}

// As PrometheusText.cs names them.
function exported(kind, name, unit) {
  const suffix = { s: '_seconds', By: '_bytes', USD: '_usd' }[unit] ?? '';
  const clean = name.replaceAll('.', '_');
  const full = clean.endsWith(suffix) ? clean : clean + suffix;
  return kind === 'counter' ? [`${full}_total`] : kind === 'histogram' ? [`${full}_bucket`, `${full}_sum`, `${full}_count`] : [full];
}

/** What is wrong with an expression's metrics and labels. Whether it parses is promtool's to say. */
export function problemsOf(expression, metrics) {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const grouping = /\b(?:by|without)\s*\(([^)]*)\)/g;
  const names = [...new Set(bare.replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ').replace(grouping, ' ').match(/(?<![\w:])(?:up|ALERTS|(?:worker|messaging|dotnet)_\w+|\w+:[\w:]+)(?![\w:])/g))];
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
    ...names.filter(name => metrics.get(name).kind === 'gauge' && rated(name)).map(name => `${name} is a gauge, and no rate`),
    // The messages lost since the start are shown as they are.
    ...names.filter(name => metrics.get(name).kind !== 'gauge' && !rated(name) && name !== 'worker_messages_lost_total').map(name => `${name} needs rate() or increase()`),
  ];
}
