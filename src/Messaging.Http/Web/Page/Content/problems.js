// Finds problems: { key, tone, title, text, action, see }, with `letters` the reason of the dead letters to show, '' for all.

import { lines } from './dom.js';
import { count, counts, isNumber, many, seconds, since, span, sum } from './format.js';

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
  const found = [...findWaiting(model), ...findLogLevels(model.stats), ...findRefused(model, null), ...model.stats.routes.flatMap(route => findInRoute(model, route))];
  return found.sort((a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone));
}

/** `action` is what to do, `see` the page of docs/ and the event of the log. */
function createProblem(route, kind, tone, title, texts, action, see, letters) {
  return { key: `${route}/${kind}`, kind, tone, route, title: `${route === null ? '' : `Route ${route}: `}${title}`, text: lines(...texts), action, see, letters };
}

const guide = (section, event) => `docs/guides/alerts.md#${section}${event ? `, event ${event} in the log` : ''}`;

/** Dead letters in the store: a state, whichever process wrote them. */
function findWaiting({ stats, history }) {
  const { waitingDeadLetters: waiting, routes } = stats;
  if (!waiting?.count) return [];
  const now = Date.parse(stats.time);
  const wait = waiting.count === 1 && !waiting.isMore ? 'dead letter waits' : 'dead letters wait';
  const reasons = Object.keys(waiting.byReason);
  const recent = routes.filter(keepsLettersInFolder).map(route => [route.name, deadLately({ history }, route)]).filter(([, number]) => number > 0);
  return [createProblem(null, 'dead-letters', 'warn', `${waiting.isMore ? 'more than ' : ''}${count(waiting.count)} ${wait}${waiting.oldestAt ? `, the oldest for ${span((now - Date.parse(waiting.oldestAt)) / 1000)}` : ''}`, [
    `By reason: ${counts(waiting.byReason)}.`,
    waiting.oldestAt && `The oldest is of ${since(waiting.oldestAt, now)}${waiting.newestAt ? `, the newest of ${since(waiting.newestAt, now)}` : ''}.`,
    recent.length > 0 && `Messages dead-lettered in the last 15 minutes: ${recent.map(([name, number]) => `${count(number)} by route ${name}`).join(', ')}. Equal messages of a day are one dead letter.`,
  ], 'Look at one of each reason, fix the cause, then redrive them, or discard those that are not needed.', guide('workerdeadletters', 5001), reasons.length === 1 ? reasons[0] : '')];
}

function findLogLevels({ time, logLevels }) {
  const at = moment => since(Date.parse(moment), Date.parse(time));
  return logLevels.length === 0 ? [] : [createProblem(null, 'log-level', 'plain', 'More is logged for a time', logLevels.map(({ category, level, since: begin, until }) =>
    `${category} from ${level} on, since ${at(begin)} until ${at(until)}.`), '', 'docs/guides/watch.md#log-more-for-a-time')];
}

/** Dead letters of a route in the last 15 minutes. A history that is not full spans the worker's whole life. */
function deadLately(model, route) {
  const series = model.history?.routes[route.name]?.deadLetters;
  return !series || series.length < fullHistory ? route.deadLetters : Math.round(sum(series));
}

// What ends each refusal.
const refusals = [
  [/^paused$/, 'Receiving is paused: see that problem of the route.'],
  [/^busy$/, 'Raise Intake:Concurrency, Intake:BytesInFlight or Sources:Http:MaxReceivingBytes, or add workers.'],
  [/^too-many-connections$/, 'Raise Hosting:MaxConnections, or add workers.'],
  [/^(too-large|request-too-large|too-many-lines)$/, 'Send smaller messages, or raise the limit that the answer names (Sources:Http).'],
  [/^(too-slow|headers-too-slow)$/, 'Check the network of the callers; Sources:Http:BodyTimeout and MinBodyRate are the limits.'],
  [/^(unknown-route|unknown-path|route-required|method-not-allowed)$/, 'Correct the address or the method that the callers use: POST /messages/{route}.'],
  [/^(host-not-allowed|origin-not-allowed|cross-site)$/, 'If the callers are yours, add their host to Hosting:AllowedHosts.'],
  [/^token-/, 'Give the callers the value of Hosting:Token.'],
  [/^no-answer$/, 'The callers closed their connections first: compare their timeouts with the processing time.'],
  [/^(starting|stopping)$/, 'Nothing: callers send again after Retry-After.'],
];

/** Requests that were refused before a route accepted a message, or got no answer. */
function findRefused(model, route) {
  const { http, routes } = model.stats;
  const of = http.answers.filter(answer => answer.refusal && (answer.route === route || route === null && !routes.some(({ name }) => name === answer.route)));
  const series = route === null ? model.history?.refused : model.history?.routes[route]?.refused;
  const total = sum(of.map(answer => answer.count));
  const lately = !series || series.length < fullHistory ? total : Math.round(sum(series));
  if (!lately) return [];
  const minute = series ? Math.round(sum(model.lastMinute(series))) : total;
  const byReason = Object.fromEntries(of.map(({ status, reason, count: number }) => [`${status ? `${status} ` : ''}${reason}`, number]));
  const actions = [...new Set(of.map(({ reason }) => refusals.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Correct the requests; the answers say what is wrong.'))];
  return [createProblem(route, 'refused', 'warn', `${many(lately, 'HTTP request was', 'HTTP requests were')} refused in the last 15 minutes`, [
    `In the last minute: ${count(minute)}.`,
    `By status and reason since the start: ${counts(byReason)}.`,
  ], actions.join(' '), 'docs/reference/http.md#answers, event 1215 in the log')];
}

function findInRoute(model, route) {
  const { name, breaker, store, process, slots, limit, inFlight, held } = route;
  const found = findRefused(model, name);
  const add = (kind, tone, title, texts, action, see) => found.push(createProblem(name, kind, tone, title, texts, action, see));
  const now = model.now();
  const oldest = since(now - route.oldestAgeSeconds * 1000, now);
  const inUse = `${many(inFlight, 'message is', 'messages are')} in flight, of ${count(limit)} that the worker allows now and ${count(slots)} at most.`;
  const outage = breaker.state !== 'closed';
  const series = model.series(name);
  // Older steps are unknown.
  const earlier = index => (index === 0 && series.inFlight.length >= fullHistory ? ' or earlier' : '');
  const at = index => since(model.stepEnd(index), now) + earlier(index);

  if (route.stuck) {
    add('stuck', 'bad', `a message has been stuck since ${oldest}`, ['It ignores its cancellation.', inUse],
      'Restart the worker to free its slot; unsettled messages are redelivered.', guide('workerstuck', 5003));
  }

  const { pause } = route;
  if (pause) {
    add('paused', 'warn', `paused since ${since(pause.since, now)}`, [`By ${pause.by}${pause.note ? `: ${pause.note}` : ''}.`, pause.kept && 'A restart does not end it.', inUse],
      'Resume it as soon as its reason is gone.', guide('workerroutepaused', 1016));
  }

  if (outage) {
    const target = route.sink === null ? 'handler' : `sink ${route.sink}`;
    const probe = breaker.awaitsMessage ? 'It passed the worker\u2019s check; the next message decides.'
      : `Receiving is paused. ${breaker.nextProbeSeconds > 0 ? `The next probe is in ${span(Math.ceil(breaker.nextProbeSeconds))}` : 'The next message probes it'}; the worker checks it too.`;
    add('breaker', breaker.awaitsMessage ? 'warn' : 'bad', `the ${target} has been failing since ${since(breaker.since, now)}`, [
      breaker.lastFailure && `Last failure: ${breaker.lastFailure}`,
      route.problem,
      probe,
      held > 0 && `${many(held, 'message is', 'messages are')} held until it works again.`,
    ], actionFor(route), guide('workerbreakeropen', 2001));
  }

  if (!outage && route.problem !== null) add('problem', 'bad', route.problem, [], isFull(route.problem) ? freeSpace(route) : 'Fix what it names; the worker continues by itself, and a restart does not help.', guide('workersourcefailing'));
  else if (!route.receiving && !pause && !outage && !model.stats.stopping) add('receiving', 'bad', 'it receives no messages', [], 'The log says why its source does not receive.', guide('workersourcefailing', 1003));
  for (const warning of route.warnings) add('warning', 'warn', warning, [], '', guide('workersourcefailing', 5010));
  if (route.lost > 0) add('lost', 'bad', `${many(route.lost, 'message was', 'messages were')} lost since the start`, [], 'Take their ids from the log, and have the senders send them again.', guide('workermessageslost', 3002));
  const dropped = sum(Object.values(route.dropped));
  if (dropped > 0) add('dropped', 'bad', `its source dropped input ${many(dropped, 'time', 'times')} since the start`, [`By reason: ${counts(route.dropped)}. One piece may have held several messages.`], route.droppedAdvice, guide('workerinputdropped', 3454));
  if (!route.stuck && !outage && route.oldestAgeSeconds > oldAge) {
    add('age', 'warn', `the oldest message has been in flight since ${oldest}`, [inUse], 'Compare the times of the handler and the sink below.', guide('workeroldestmessage'));
  }
  if (!series) return found;

  // Those that wait are a state of the store, or of the queue.
  const dead = deadLately(model, route);
  const queued = route.inDeadLetterQueue;
  if (queued > 0 || dead > 0 && (!keepsLettersInFolder(route) || model.stats.waitingDeadLetters === null)) {
    add('dead-letters', 'warn', queued > 0 ? `${many(queued, 'message waits', 'messages wait')} in its dead-letter queue` : `${many(dead, 'dead letter')} in the last 15 minutes`, [
      queued > 0 && dead > 0 && `In the last 15 minutes: ${count(dead)}.`,
      route.deadLetters > 0 && `By reason since the start: ${counts(route.deadLettersByReason)}.`,
      route.lastDeadLetterAt && `The last at ${since(route.lastDeadLetterAt, now)}.`,
      queued == null && !keepsLettersInFolder(route) && 'They are in the dead-letter queue of the source.',
    ], `Fix the cause, then ${keepsLettersInFolder(route) ? 'redrive them' : `run: redrive --from ${route.sources[0].toLowerCase()} --dry-run, then without --dry-run`}.`, guide('workerdeadletters', 5001));
  }
  if (outage) return found;

  // Even at the limit a slot is free now and then.
  const most = limit * 0.9;
  const fullFrom = runStart(series.inFlight, value => value >= most);
  const isLoaded = inFlight >= most && fullFrom >= 0 && series.inFlight.length - fullFrom >= 3;
  const pressure = isLoaded && `${inUse} It has been near the limit since ${at(fullFrom)}; messages wait at the source.`;

  // The lower quartile, so that a slow sink does not become the norm.
  const sorted = ascending(series.p99);
  const usual = sorted[sorted.length >> 2];
  const isSlow = value => value > Math.max(slowAtLeast, slowFactor * usual);
  const slowFrom = runStart(series.p99, isSlow);
  const storeTimes = store && `In the last minute, p50 of a store is ${seconds(store.p50)}, p99 ${seconds(store.p99)}.`;
  const relieve = 'Look at the load of the sink and at the network. More workers help only if the sink has room.';
  if (route.slowSink) {
    add('slow', 'warn', `the sink ${route.sink} has been slow since ${since(route.slowSink.since, now)}`, [storeTimes, `In the hour before, p99 of a store was ${seconds(route.slowSink.usualP99)}.`, pressure], relieve, guide('workeroldestmessage', 1232));
  } else if (store && isSlow(store.p99) && slowFrom > 0) {
    const before = ascending(series.p99.slice(0, slowFrom));
    add('slow', 'warn', `the sink ${route.sink} has been slow since ${at(slowFrom)}`, [`${storeTimes} Before that, p99 of processing was ${seconds(before[before.length >> 1])}.`, pressure], relieve, guide('workeroldestmessage'));
  } else if (isLoaded && store?.p50 > slowAtLeast) add('slow', 'warn', `the sink ${route.sink} is slow and limits the rate`, [storeTimes, pressure], relieve, guide('workeroldestmessage'));
  else if (isLoaded) add('full', 'plain', 'it works at its limit', [process && `In the last minute, p50 of processing is ${seconds(process.p50)}, p99 ${seconds(process.p99)}.`, pressure], 'If messages wait too long at the source, raise Intake:Concurrency or add workers.', 'docs/guides/scale-out.md');

  const [retries, returned, done, received] = ['retries', 'returned', 'done', 'received'].map(key => Math.round(sum(model.lastMinute(series[key]))));
  if (retries >= 5 && retries > done * retriedShare) {
    add('retries', 'warn', `${many(retries, 'request')} to the sink ${retries === 1 ? 'was' : 'were'} retried in the last minute`,
      [`By status since the start: ${counts(route.retries)}. 429 and 503 mean that the sink throttles.`, `The worker allows ${many(limit, 'message')} in flight.`],
      'Raise the limits of the store, or spread the load over more prefixes or buckets.', 'docs/guides/scale-out.md#requests-in-flight');
  }
  if (returned >= 5 && returned > received * returnedShare) {
    add('returned', 'warn', `${count(returned)} of ${count(received)} messages of the last minute were returned to the source`, ['The source redelivers them.'], 'The log has the reasons.', 'docs/explanation/settlement.md, event 5002 in the log');
  }
  return found;
}

const isFull = text => /no space left|disk (is )?full|not enough space|quota/i.test(text ?? '');
const freeSpace = ({ results, sink }) => `Free space on the disk of ${results ?? sink ?? 'DeadLetters:Path'}. The worker continues by itself.`;

/** What to do about a sink or handler that fails. */
function actionFor(route) {
  if (isFull(`${route.breaker.lastFailure} ${route.problem}`)) return freeSpace(route);
  return route.sink === null
    ? 'Fix what the failure names: the handler, or what it calls. The worker continues by itself.'
    : `Repair ${route.results ?? `the sink ${route.sink}`}, its credentials or the network. The worker continues by itself; a restart does not help.`;
}
