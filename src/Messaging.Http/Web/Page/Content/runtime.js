// The process: processor time, allocation and garbage collection, per message of all routes.

import { byId, syncPairs } from './dom.js';
import { createChart } from './charts.js';
import { bytes, count, isNumber, percent, seconds, span } from './format.js';

const per = (values, received) => values.map((value, i) => received[i] > 0 ? value / received[i] : null);

const charts = [
  createChart({ id: 'cpu-per-message', title: 'Processor time per message', format: seconds, series: [{ name: 'processor time', tone: 'flow' }] }),
  createChart({ id: 'bytes-per-message', title: 'Bytes allocated per message', format: bytes, series: [{ name: 'allocated', tone: 'flow' }] }),
  createChart({ id: 'cores', title: 'Cores in use', format: value => isNumber(value) ? `${Number(value.toFixed(2))}` : '–', series: [{ name: 'cores', tone: 'flow' }] }),
  createChart({ id: 'gc-pauses', title: 'GC pauses per second', format: seconds, series: [{ name: 'paused', tone: 'flow', bars: true }] }),
];
byId('runtime-charts').append(...charts.map(chart => chart.root));

export function updateRuntime(model) {
  const { runtime } = model.stats;
  const minute = model.lastMinute();
  const each = value => minute?.received > 0 ? value / minute.received : null;
  syncPairs(byId('runtime-facts'), [
    ['Processor time per message', seconds(each(minute?.cpuSeconds))],
    ['Allocated per message', bytes(each(minute?.allocatedBytes))],
    ['Cores in use', minute ? `${(minute.cpuSeconds / minute.seconds).toFixed(2)} of ${runtime.cores}` : '–'],
    ['Time in GC pauses', minute ? percent(minute.gcPauseSeconds / minute.seconds) : '–'],
    ['Heap', bytes(runtime.heapBytes)],
    ['Collections, gen 0 / 1 / 2', runtime.collections.map(count).join(' / ')],
    ['GC pauses since the start', seconds(runtime.gcPauseSeconds)],
    ['Processor time since the start', runtime.cpuSeconds < 60 ? seconds(runtime.cpuSeconds) : span(runtime.cpuSeconds)],
    ['Threads', count(runtime.threads)],
  ]);
}

export function updateRuntimeCharts(model) {
  const { history } = model;
  const { cpuSeconds, allocatedBytes, gcPauseSeconds } = history.runtime;
  const received = cpuSeconds.map((_, i) => Object.values(history.routes).reduce((all, series) => all + (series.received[i] ?? 0), 0));
  const { end, stepSeconds } = history;
  const perSecond = values => values.map(value => value / stepSeconds);
  [per(cpuSeconds, received), per(allocatedBytes, received), perSecond(cpuSeconds), perSecond(gcPauseSeconds)]
    .forEach((values, i) => charts[i].update({ values: [values], end, stepSeconds }));
}
