// Finds problems: { key, tone, title, text }, with `letters` the reason of the dead letters to show, '' for all.

import { lines } from './dom.js';
import { clock, count, counts, isNumber, many, seconds, since, span, sum } from './format.js';

const tones = ['bad', 'warn', 'plain'];
const oldAge = 30;               // seconds in flight
const slowFactor = 4;            // times the usual p99
const slowAtLeast = 0.1;         // seconds
const returnedShare = 0.1;       // of the messages received
const retriedShare = 0.01;       // of the messages stored
const fullHistory = 180;         // steps

export const keepsLettersInFolder = route => route.sources.some(source => /^(http|channel|udp|tcp)/i.test(source));
const ascending = values => values.filter(isNumber).sort((a, b) => a - b);

/** The start of the newest run of steps that pass a test, single failures aside; -1: no run. */
function runStart(values, test) {
  let start = -1;
  let failed = 0;
  for (let i = values.length - 1; i >= 0 && failed < 2; i--) {
    if (!isNumber(values[i])) continue;
    if (test(values[i])) [start, failed] = [i, 0];
    else failed++;
  }
  return start;
}

export function findProblems(model) {
  return model.stats.routes.flatMap(route => findInRoute(model, route)).sort((a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone));
}

function findInRoute(model, route) {
  const { name, breaker, store, process, slots, limit, inFlight, held } = route;
  const found = [];
  const add = (kind, tone, title, ...text) => found.push({ key: `${name}/${kind}`, kind, tone, route: name, title: `Route ${name}: ${title}`, text: lines(...text) });
  const now = model.now();
  const oldest = since(now - route.oldestAgeSeconds * 1000, now);
  const inUse = `${many(inFlight, 'message is', 'messages are')} in flight, of ${count(limit)} that the worker allows now and ${count(slots)} at most.`;
  const outage = breaker.state !== 'closed';
  const series = model.series(name);
  // Older steps are unknown.
  const earlier = index => (index === 0 && series.inFlight.length >= fullHistory ? ' or earlier' : '');
  const at = index => since(model.stepEnd(index), now) + earlier(index);

  if (route.stuck) add('stuck', 'bad', `a message has been stuck since ${oldest}`, 'It ignores its cancellation. Restart the worker to free its slot.', inUse);

  if (outage) {
    const target = route.sink === null ? 'handler' : `sink ${route.sink}`;
    const probe = isNumber(breaker.nextProbeSeconds) ? `One message will probe it in ${span(Math.ceil(breaker.nextProbeSeconds))}.` : breaker.state === 'open' ? 'The next message will probe it.' : 'One message is probing it now.';
    add('breaker', 'bad', `the ${target} has been failing since ${since(breaker.since, now)}`,
      breaker.lastFailure && `Last failure: ${breaker.lastFailure}`,
      route.problem,
      `Receiving is paused. ${probe}`,
      held > 0 && `${many(held, 'message is', 'messages are')} held until it works again.`);
  }

  if (!outage && route.problem !== null) add('problem', 'bad', route.problem);
  else if (!route.receiving && !outage && !model.stats.stopping) add('receiving', 'bad', 'it receives no messages');
  if (route.lost > 0) add('lost', 'bad', `${many(route.lost, 'message was', 'messages were')} lost since the start`, 'The log has their ids.');
  if (!route.stuck && !outage && route.oldestAgeSeconds > oldAge) add('age', 'warn', `the oldest message has been in flight since ${oldest}`, inUse);
  if (!series) return found;

  // A history that is not full spans the worker's whole life.
  const isWhole = series.deadLetters.length < fullHistory;
  const dead = isWhole ? route.deadLetters : Math.round(sum(series.deadLetters));
  if (dead > 0) {
    const first = series.deadLetters.findIndex(value => value > 0);
    const last = series.deadLetters.findLastIndex(value => value > 0);
    const reasons = Object.keys(route.deadLettersByReason);
    add('dead-letters', 'warn', `${many(dead, 'dead letter')} in the last 15 minutes`,
      `By reason${isWhole ? '' : ' since the start'}: ${counts(route.deadLettersByReason)}.`,
      first >= 0 && `The first at ${clock(model.stepEnd(first))}${earlier(first)}, the last at ${clock(model.stepEnd(last))}.`,
      !keepsLettersInFolder(route) && 'They are in the dead-letter queue of the source.');
    if (keepsLettersInFolder(route)) found.at(-1).letters = reasons.length === 1 ? reasons[0] : '';
  }
  if (outage) return found;

  // Even at the limit a slot is free now and then.
  const most = limit * 0.9;
  const fullFrom = runStart(series.inFlight, value => value >= most);
  const isFull = inFlight >= most && fullFrom >= 0 && series.inFlight.length - fullFrom >= 3;
  const pressure = isFull && `${inUse} It has been near the limit since ${at(fullFrom)}; messages wait at the source.`;

  // The lower quartile, so that a slow sink does not become the norm.
  const sorted = ascending(series.p99);
  const usual = sorted[sorted.length >> 2];
  const isSlow = value => value > Math.max(slowAtLeast, slowFactor * usual);
  const slowFrom = runStart(series.p99, isSlow);
  const storeTimes = store && `p50 of a store is ${seconds(store.p50)}, p99 ${seconds(store.p99)}.`;
  if (store && isSlow(store.p99) && slowFrom > 0) {
    const before = ascending(series.p99.slice(0, slowFrom));
    add('slow', 'warn', `the sink ${route.sink} has been slow since ${at(slowFrom)}`, `${storeTimes} Before that, p99 of processing was ${seconds(before[before.length >> 1])}.`, pressure);
  } else if (isFull && store?.p50 > slowAtLeast) add('slow', 'warn', `the sink ${route.sink} is slow and limits the rate`, storeTimes, pressure);
  else if (isFull) add('full', 'plain', 'it works at its limit', process && `p50 of processing is ${seconds(process.p50)}, p99 ${seconds(process.p99)}.`, pressure);

  const [retries, returned, done, received] = ['retries', 'returned', 'done', 'received'].map(key => Math.round(sum(model.lastMinute(series[key]))));
  if (retries >= 5 && retries > done * retriedShare) {
    add('retries', 'warn', `${many(retries, 'request')} to the sink ${retries === 1 ? 'was' : 'were'} retried in the last minute`,
      `By status since the start: ${counts(route.retries)}. 429 and 503 mean that the sink throttles.`,
      `The worker allows ${many(limit, 'message')} in flight.`);
  }
  if (returned >= 5 && returned > received * returnedShare) {
    add('returned', 'warn', `${count(returned)} of ${count(received)} messages of the last minute were returned to the source`, 'The source redelivers them. The log has the reasons (event 5002).');
  }
  return found;
}
