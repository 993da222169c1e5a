// deploy/grafana/worker.json: metrics and labels, PromQL, and what Grafana needs to import it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { check, read, run } from './checks.mjs';
import { problemsOf, readMetrics } from './instruments.mjs';

const { id, uid, panels, annotations, templating } = JSON.parse(read('deploy/grafana/worker.json'));
const variables = { $__rate_interval: '5m', $__range: '1h', $worker_route: '.*', $instance: '.*' };
const substitute = text => Object.entries(variables).reduce((result, [variable, value]) => result.replaceAll(variable, value), text);

const queries = [
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ refId, expr, legendFormat }) => ({ place: `${title}, ${refId}`, expr, legend: legendFormat }))),
  ...annotations.list.map(({ name, expr }) => ({ place: name, expr })),
  ...templating.list.filter(({ type }) => type === 'query').map(({ name, definition }) => ({ place: name, expr: /^label_values\((\w+), \w+\)$/.exec(definition)[1] })),
].map(query => ({ ...query, expr: substitute(query.expr) }));

await check(`dashboard: ${queries.length} queries use metrics and labels of the worker`, () => {
  const metrics = readMetrics();
  return queries.flatMap(({ place, expr }) => problemsOf(expr, metrics).map(problem => `${place}: ${problem}`));
});

await check('dashboard: legends show labels that the query keeps', () => queries.flatMap(({ place, expr, legend = '' }) => {
  const kept = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', '));
  return [...legend.matchAll(/\{\{(\w+)\}\}/g)].filter(([, label]) => !kept.includes(label)).map(([text]) => `${place}: the query has no ${text}`);
}));

await check('dashboard: PromQL parses (promtool check rules)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  try {
    const rules = queries.map(({ place, expr }, i) => ({ record: `query:${i}`, expr, labels: { place } }));
    writeFileSync(join(folder, 'queries.yml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
    run('promtool', ['check', 'rules', join(folder, 'queries.yml')]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

await check(`dashboard: ${panels.length} panels can be imported`, () => {
  const charts = panels.filter(({ type }) => type !== 'row');
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`));
  return [
    ...(id === null && uid ? [] : ['id must be null and uid set, so that an import replaces the dashboard']),
    ...(new Set(panels.map(panel => panel.id)).size === panels.length ? [] : ['two panels have one id']),
    ...(new Set(cells).size === cells.length ? [] : ['panels overlap']),
    ...panels.filter(({ gridPos: { x, w } }) => x + w > 24).map(({ title }) => `${title}: wider than the grid`),
    ...charts.filter(({ title, description, targets }) => !title || !description || !targets?.length).map(panel => `panel ${panel.id} needs a title, a description and a query`),
    ...charts.filter(({ datasource }) => datasource?.uid !== '${datasource}').map(({ title }) => `${title}: the data source is not the variable`),
  ];
});
