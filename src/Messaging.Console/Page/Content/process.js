// The process of all routes, and the settings in effect.

import { byId, syncRows, write } from './dom.js';
import { read } from './api.js';
import { createChart } from './charts.js';
import { bytes, count, many, seconds, sum } from './format.js';

const coresUsed = value => value === undefined ? '–' : String(Number(value.toFixed(2)));
const charts = [
  ['cpu-per-message', 'Processor time per message', seconds, 1e-6],
  ['bytes-per-message', 'Bytes allocated per message', bytes, 1],
  ['cores', 'Cores in use', coresUsed, 0.1],
  ['gc-pauses', 'GC pauses per second', seconds, 0.001, true],
].map(([id, title, format, least, bars]) => createChart({ id, title, format, least, series: [{ name: title, tone: 'flow', bars }] }));
byId('process-charts').append(...charts.map(chart => chart.root));

export function updateProcess({ stats: { runtime, process, version } }) {
  const { heapBytes, collections, threads, cores, gcPauseSeconds } = runtime;
  write('process-values', `Process ${process}, version ${version}. Heap ${bytes(heapBytes)}; collections of generation 0, 1 and 2: ${collections.map(count).join(', ')}, with pauses of ${seconds(gcPauseSeconds)} since the start; ${many(threads, 'thread')} on ${many(cores, 'core')}.`);
}

export function updateProcessCharts({ history: range }) {
  const { runtime, routes, stepSeconds } = range;
  const received = runtime.cpuSeconds.map((_, i) => sum(Object.values(routes).map(series => series.received[i])));
  const perMessage = values => values.map((value, i) => received[i] > 0 ? value / received[i] : null);
  const perSecond = values => values.map(value => value / stepSeconds);
  [perMessage(runtime.cpuSeconds), perMessage(runtime.allocatedBytes), perSecond(runtime.cpuSeconds), perSecond(runtime.gcPauseSeconds)]
    .forEach((values, i) => charts[i].update({ values: [values], range }));
}

let settings = [];

export async function loadConfiguration() {
  try {
    ({ settings } = await read('config'));
    showConfiguration();
  } catch (error) {
    write('configuration-count', error.message);
  }
}

function showConfiguration() {
  const search = byId('configuration-search').value.trim().toLowerCase();
  const changed = byId('configuration-changed').checked;
  const shown = settings.filter(({ key, value, isDefault }) => !(changed && isDefault) && `${key} ${value}`.toLowerCase().includes(search));
  syncRows(byId('configuration-list'), shown.map(({ key, value, isDefault }) => [key, value ?? '', isDefault ? 'default' : '']));
  write('configuration-count', `${count(shown.length)} of ${many(settings.length, 'setting')}`);
}

byId('configuration-filter').addEventListener('input', showConfiguration);
byId('configuration-filter').addEventListener('submit', event => event.preventDefault());
