// deploy/prometheus/alerts.yml: metrics and labels, tests, texts and the page that explains each alert.
import { parse } from 'yaml';
import { anchors, check, read } from './checks.mjs';
import { problemsOf, readMetrics, rules } from './instruments.mjs';

const alerts = rules.filter(({ alert }) => alert);
const records = rules.filter(({ record }) => record);
const queries = parse(read('deploy/prometheus/tests/alerts.test.yml')).tests.flatMap(test => test.promql_expr_test);
const queriesOf = alert => queries.filter(({ expr }) => expr.includes(`alertname="${alert}"`));

await check(`alerts: ${rules.length} expressions use metrics and labels of the worker, or recorded ones`, () => {
  const metrics = readMetrics();
  return rules.flatMap(({ alert, record, expr }) => problemsOf(expr, metrics).map(problem => `${alert ?? record}: ${problem}`));
});

await check(`alerts: ${records.length} recorded series are named level:metric:operation, used by an alert and have a test`, () => records.flatMap(({ record }) => [
  ...(/^[a-z_]+:[a-z_]+:[a-z0-9_]+$/.test(record) ? [] : ['is not level:metric:operation']),
  ...(alerts.some(({ expr }) => expr.split(/[^\w:]+/).includes(record)) ? [] : ['no alert uses it']),
  ...(queries.some(({ expr, exp_samples }) => expr.split(/[^\w:]+/).includes(record) && exp_samples.length > 0) ? [] : ['no test expects a value of it']),
].map(problem => `${record}: ${problem}`)));

await check('alerts: each fires in a test and stays quiet in another', () => alerts.flatMap(({ alert }) => [
  ...(queriesOf(alert).some(({ exp_samples }) => exp_samples.length > 0) ? [] : [`${alert}: no test in which it fires`]),
  ...(queriesOf(alert).some(({ exp_samples }) => exp_samples.length === 0) ? [] : [`${alert}: no test in which it stays quiet`]),
]));

await check('alerts: severity, texts and a section of the guide', () => alerts.flatMap(({ alert, labels, annotations }) => {
  const [page, anchor] = (annotations?.runbook ?? '').split('#');
  const fired = queriesOf(alert).flatMap(({ exp_samples }) => exp_samples.map(sample => sample.labels));
  const shown = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
  return [
    ...(['critical', 'warning'].includes(labels?.severity) ? [] : ['severity must be critical or warning']),
    ...(annotations?.summary && annotations?.description ? [] : ['needs a summary and a description']),
    ...(page.startsWith('docs/') && anchors(page).includes(anchor) ? [] : [`runbook leads nowhere: ${annotations?.runbook}`]),
    ...shown.filter(label => fired.some(series => !series.includes(`${label}="`))).map(label => `{{ $labels.${label} }} is empty`),
  ].map(problem => `${alert}: ${problem}`);
}));
