// What is wrong, in words. Each problem: { key, level, route, title, lines, letters } with level failing, warning or note;
// letters is set where the dead letters help, with the reason to look for ('' for all).

import { bytes, clock, count, counts, isNumber, many, percent, rate, seconds, since, span } from './format.js';
import { total } from './model.js';

const order = { failing: 0, warning: 1, note: 2 };
const oldAge = 30;               // seconds
const slowFactor = 4;
const slowAtLeast = 0.1;         // seconds
const folderSources = /^(http|channel|udp|tcp)/i;
export const keepsLettersInFolder = route => route.sources.some(source => folderSources.test(source));

const median = values => values.toSorted((a, b) => a - b)[values.length >> 1];
const sum = values => values.reduce((all, value) => all + value, 0);

/** Index at which the newest unbroken run of steps begins that pass a test; -1 where the newest does not pass. */
function runStart(values, test) {
  let start = -1;
  let missed = 0;
  for (let i = values.length - 1; i >= 0; i--) {
    if (values[i] !== null && test(values[i])) {
      start = i;
      missed = 0;
    } else if (values[i] !== null && ++missed > 1) break;
  }
  return start;
}

export function findProblems(model) {
  const { stats } = model;
  if (stats === null) return [];
  const found = stats.routes.flatMap(route => problemsOf(route, model));
  const minute = model.lastMinute();
  if (minute !== null && minute.seconds >= 30) {
    const used = minute.cpuSeconds / minute.seconds;
    if (used > 0.9 * stats.runtime.cores) {
      found.push({ key: 'cpu', level: 'note', title: `The process used ${used.toFixed(1)} of ${many(stats.runtime.cores, 'core')} in the last minute`, lines: ['The processor limits the rate of messages.'] });
    }
    const paused = minute.gcPauseSeconds / minute.seconds;
    if (paused > 0.1) {
      found.push({ key: 'gc', level: 'warning', title: `Garbage collection paused the process for ${percent(paused)} of the last minute`, lines: [`The heap holds ${bytes(stats.runtime.heapBytes)}.`] });
    }
  }
  return found.sort((a, b) => order[a.level] - order[b.level]);
}

function problemsOf(route, model) {
  const found = [];
  const now = model.now();
  const name = `Route ${route.name}`;
  const series = model.series(route.name);
  const add = (kind, level, title, lines, letters) => found.push({ key: `${route.name}/${kind}`, kind, level, route: route.name, title: `${name}: ${title}`, lines: lines.filter(Boolean), letters });
  const target = route.sink === null ? 'handler' : 'sink';
  const outage = route.breaker.state !== 'closed';
  const oldest = since(now - route.oldestAgeSeconds * 1000, now);

  if (route.stuck) {
    add('stuck', 'failing', `a message has been stuck since ${oldest}`, [
      'It ignores its cancellation long after its timeout, so its slot is lost. Restart the worker to free the slot.',
      `${count(route.inFlight)} of ${count(route.slots)} slots are in use.`,
    ]);
  }

  if (outage) {
    const { state, lastFailure, nextProbeSeconds } = route.breaker;
    const lastDone = series === null ? -1 : series.done.findLastIndex(value => value > 0);
    add('breaker', 'failing', `the ${target}${route.sink === null ? '' : ` ${route.sink}`} has been failing since ${since(Date.parse(route.breaker.since), now)}`, [
      lastFailure && `Last failure: ${lastFailure}`,
      'Receiving is paused. ' + (state === 'half-open' ? `One message is probing the ${target} now.`
        : isNumber(nextProbeSeconds) ? `One message will probe the ${target} in ${span(Math.ceil(nextProbeSeconds))}.`
          : `The next message will probe the ${target}.`),
      route.held > 0 && `${many(route.held, 'message is', 'messages are')} held until the ${target} works; no message is dead-lettered because of the outage.`,
      lastDone >= 0 && `The last message was ${route.sink === null ? 'completed' : 'stored'} at ${clock(model.stepEnd(lastDone))}.`,
    ]);
  }

  if (route.problem !== null) add('problem', 'failing', route.problem, []);

  if (!route.receiving && !outage && route.problem === null && !model.stats.stopping) {
    const last = series === null ? -1 : series.received.findLastIndex(value => value > 0);
    add('receiving', 'failing', 'no messages can arrive', [last >= 0 && `The last message was received at ${clock(model.stepEnd(last))}.`]);
  }

  if (route.lost > 0) add('lost', 'failing', `${many(route.lost, 'message was', 'messages were')} lost since the start`, ['The log names their ids.']);

  const dead = series === null ? 0 : Math.round(sum(series.deadLetters));
  if (dead > 0) deadLetters(route, model, series, dead, add);

  if (!outage) slowness(route, model, series, add);
  throttling(route, model, series, add);

  if (!route.stuck && !outage && route.oldestAgeSeconds > oldAge) {
    add('age', 'warning', `the oldest message has been in flight since ${oldest}`, [`${count(route.inFlight)} of ${count(route.slots)} slots are in use.`]);
  }

  if (series !== null) {
    const steps = Math.round(60 / model.history.stepSeconds);
    const returned = sum(series.returned.slice(-steps));
    const received = sum(series.received.slice(-steps));
    if (!outage && returned >= 5 && returned > received / 10) {
      add('returned', 'warning', `${count(Math.round(returned))} of ${count(Math.round(received))} messages of the last minute were returned to their source`, ['The source delivers them again. The log has the reasons (event 5002).']);
    }
  }

  const timeouts = route.timeouts - (model.firstOf(route.name)?.timeouts ?? route.timeouts);
  if (timeouts > 0) add('timeouts', 'warning', `${many(timeouts, 'message')} timed out since this page was opened`, []);
  return found;
}

function deadLetters(route, model, series, dead, add) {
  const first = series.deadLetters.findIndex(value => value > 0);
  const last = series.deadLetters.findLastIndex(value => value > 0);
  const recent = sum(series.deadLetters.slice(-12)) / (Math.min(12, series.deadLetters.length) * model.history.stepSeconds);
  const reasons = Object.entries(route.deadLettersByReason);
  const before = model.firstOf(route.name)?.deadLettersByReason ?? {};
  const growing = Object.fromEntries(reasons.map(([reason, number]) => [reason, number - (before[reason] ?? 0)]).filter(([, number]) => number > 0));
  const growingReasons = Object.keys(growing);
  let text;
  if (reasons.length === 1) text = `Reason: ${reasons[0][0]}.`;
  else if (route.deadLetters === dead) text = `By reason: ${counts(route.deadLettersByReason)}.`;
  else if (growingReasons.length > 0) text = `By reason since this page was opened: ${counts(growing)}.`;
  else text = `By reason since the start: ${counts(route.deadLettersByReason)}.`;
  const only = growingReasons.length === 1 ? growingReasons[0] : reasons.length === 1 ? reasons[0][0] : '';
  const folder = keepsLettersInFolder(route);
  add('dead-letters', 'warning', `${many(dead, 'dead letter')} in the last 15 minutes`, [
    text,
    `The first in this time at ${clock(model.stepEnd(first))}, the last at ${clock(model.stepEnd(last))}${recent >= 0.05 ? `; ${rate(recent)} in the last minute` : ''}.`,
    !folder && 'They are in the dead-letter queue of the source.',
  ], folder ? only : undefined);
}

function slowness(route, model, series, add) {
  if (series === null || route.inFlight === 0 && route.store === null) return;
  const store = route.store;
  const full = runStart(series.inFlight, value => value >= route.slots);
  const isFull = full >= 0 && route.inFlight >= route.slots && series.inFlight.length - full >= 3;
  const fullLine = isFull && `All ${count(route.slots)} slots have been in use since ${since(model.stepEnd(full), model.now())}; messages wait at the source.`;
  const waiting = route.limit !== null && route.limit.waiting > 0 && `${many(route.limit.waiting, 'request waits', 'requests wait')} for the limit of ${count(route.limit.limit)} concurrent requests.`;

  // Compared with the fastest quarter of the window: a sink that has been slow for ten minutes does not become the norm.
  const known = series.p99.filter(value => value !== null);
  const usual = known.toSorted((a, b) => a - b)[known.length >> 2];
  const limit = Math.max(slowAtLeast, slowFactor * (usual ?? Infinity));
  const slowFrom = runStart(series.p99, value => value > limit);
  if (store !== null && slowFrom > 0 && store.p99 > limit && series.p99.length - slowFrom >= 2) {
    const before = median(series.p99.slice(0, slowFrom).filter(value => value !== null)) ?? usual;
    add('slow', 'warning', `the sink ${route.sink} has been slow since ${since(model.stepEnd(slowFrom), model.now())}`, [
      `p99 of a store is ${seconds(store.p99)}, p50 ${seconds(store.p50)}. Before, p99 of the whole processing was ${seconds(before)}.`,
      fullLine, waiting,
    ]);
  } else if (isFull && store !== null && store.p50 > slowAtLeast) {
    add('slow', 'warning', `the sink ${route.sink} is slow and limits the rate`, [`p50 of a store is ${seconds(store.p50)}, p99 ${seconds(store.p99)}.`, fullLine, waiting]);
  } else if (isFull) {
    add('full', 'note', 'works at its limit', [fullLine, route.process !== null && `p50 of processing is ${seconds(route.process.p50)}, p99 ${seconds(route.process.p99)}.`, waiting]);
  }
}

function throttling(route, model, series, add) {
  if (series === null) return;
  const retries = sum(series.retries.slice(-12));
  const done = sum(series.done.slice(-12));
  if (retries < 5 || retries < done / 100) return;
  const from = runStart(series.retries, value => value > 0);
  add('retries', 'warning', `the sink ${route.sink ?? ''} makes the worker retry requests`.replace('  ', ' '), [
    `${many(Math.round(retries), 'retry', 'retries')} in the last minute${from >= 0 ? `, since ${since(model.stepEnd(from), model.now())}` : ''}. By status since the start: ${counts(route.retries)}.`,
    (route.retries[503] || route.retries[429]) && '503 and 429 mean that the sink throttles.',
    route.limit !== null && `The worker limits itself to ${many(route.limit.limit, 'concurrent request')}.`,
  ]);
}
