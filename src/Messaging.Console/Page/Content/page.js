// The worker's page: follows the worker's values and draws them.

import { byId, lines, make, setAttribute, setText, setTone, sync, write } from './dom.js';
import { follow, read } from './api.js';
import { keyOf, Model, problemsOf, summaryOf } from './model.js';
import { clock, count, since, span, sum } from './format.js';
import { updateRoutes } from './routes.js';
import { loadConfiguration, updateProcess, updateProcessCharts } from './process.js';
import { showLetters, showQueue, startLetters, updateLetters } from './letters.js';

const model = new Model();
const opened = Date.now();
let lost = null;            // { answer, ended, retryAt } while there is no stream
let isLive = false;
let stoppingSince = null;
let restartedAt = 0;
let historyAt = 0;
let failures = 0;

follow(onStats, details => {
  isLive = model.isLive = false;
  lost = details;
  if (model.stats) updateRoutes(model, false);
  showConnection();
});
setInterval(showConnection, 1000);

// The history is for charts only.
const chartsAreOpen = () => document.querySelector('main [open] > .columns') !== null;
document.addEventListener('toggle', () => chartsAreOpen() && loadHistory(), true);

function onStats(stats) {
  const restarted = model.accept(stats);
  if (restarted) restartedAt = Date.parse(stats.startedAt);
  stoppingSince = stats.stopping ? stoppingSince ?? model.now() : null;
  if (!isLive || restarted) {
    isLive = model.isLive = true;
    historyAt = 0;
    loadConfiguration();
    startLetters();
    showConnection();
  }
  updateLetters(stats);
  if (document.hidden) return;
  show(false);
  if (chartsAreOpen() && Date.now() - historyAt >= 1000 * (model.history?.stepSeconds ?? 1)) loadHistory();
}

async function loadHistory() {
  historyAt = Date.now();
  try {
    model.acceptHistory(await read('history'));
    show(true);
  } catch {
    // The stream reports errors; the next values retry.
  }
}

function show(withCharts) {
  const { stats } = model;
  const facts = { machine: stats.machine, 'process-id': String(stats.process), version: stats.version, uptime: since(stats.startedAt, Date.parse(stats.time)), clock: clock(stats.time) };
  for (const [id, text] of Object.entries(facts)) write(id, text);
  showProblems();
  updateRoutes(model, withCharts);
  updateProcess(model);
  if (withCharts) updateProcessCharts(model);
}

function showProblems() {
  const summary = summaryOf(model.stats);
  failures = summary.failures;
  headline(summary.title);
  setTone(byId('problems'), summary.tone);
  write('problems-none', summary.text);
  sync(byId('problem-list'), problemsOf(model.stats), keyOf, createProblem, updateProblem);
}

function headline(text) {
  write('problems-title', text);
  write('announcement', text);
  document.title = `${text} · ${model.stats?.machine ?? ''} · Quayside worker`;
}

/** The heading in docs/guides/alerts.md about an event. */
const headings = {
  1003: 'workersourcefailing', 1006: 'workersourcefailing', 1008: 'workersourcefailing', 1016: 'workerroutepaused', 1018: 'workersourcefailing',
  2001: 'workerbreakeropen', 3002: 'workermessageslost', 3402: 'workerinputdropped', 3403: 'workerkerneldrops', 3404: 'workerinputlost',
  3454: 'workerinputdropped', 3457: 'workerinputlost', 3460: 'workerinputdropped', 5001: 'workerdeadletters',
  5003: 'workerstuck', 5009: 'workersourcefailing', 5011: 'workersourcefailing', 5013: 'workersourcefailing',
};

/** Whether the worker can read the dead-letter queue of a source of the route. */
function canLookInto(route) {
  const { routes, redriveSources } = model.stats;
  return routes.find(({ name }) => name === route).deadLetterQueues.some(source => redriveSources.includes(source));
}

function createProblem({ event, route }) {
  const button = make('button', { text: route === null ? 'Show the dead letters' : 'Look into the queue', click: () => route === null ? showLetters(button.reason) : showQueue(route) });
  const head = route === null ? make('strong') : make('a', { href: `#route-${route}` });
  return make('li', { 'data-problem': event, 'data-route': route }, head, make('p'), make('p', { class: 'action' }), make('code'), make('p', { class: 'quiet' }, make('a', { target: '_blank' }), ', event ', make('a', { target: '_blank' }), ' in the log'), make('div', {}, button));
}

/** The worker serves the guide of alerts. The browser looks for the heading in its text. */
function addressOf(page, heading) {
  const { docsUrl } = model.stats;
  return docsUrl ? docsUrl.replaceAll('{page}', page) + (heading ? `#${heading}` : '') : heading ? `/docs/${page}.md#:~:text=${encodeURIComponent(`## ${heading}`)}` : null;
}

function updateProblem(item, { event, route, severity, text, advice, setting, since: began }) {
  const [head, body, next, code, see, { children: [button] }] = item.children;
  const [page, id] = see.children;
  setTone(item, severity === 'failure' ? 'bad' : 'warn');
  setText(head, route === null ? text : `Route ${route}: ${text}`);
  setText(body, began ? `Since ${since(began, model.now())}.` : '');
  setText(next, advice);
  setText(code, setting ?? '');
  setText(page, `docs/guides/alerts.md#${headings[event]}`);
  setAttribute(page, 'href', addressOf('guides/alerts', headings[event]));
  setText(id, String(event));
  setAttribute(id, 'href', addressOf('reference/events'));
  const reasons = Object.keys(model.stats.waitingDeadLetters?.byReason ?? {});
  button.hidden = event !== 5001 || (route !== null && !canLookInto(route));
  button.reason = reasons.length === 1 ? reasons[0] : '';
}

function showConnection() {
  const { stats } = model;
  const now = model.now();
  const state = isLive ? stats.stopping ? 'stopping' : 'live' : lost === null ? 'connecting' : lost.ended ? 'stopped' : 'lost';
  let title = '';
  let text = '';
  if (!isLive && lost !== null) {
    const wait = Math.ceil((lost.retryAt - Date.now()) / 1000);
    title = lost.answer || `The worker ${lost.ended ? 'stopped at' : 'has not answered since'} ${since(stats?.time ?? opened, now)}.`;
    text = lines(stats && 'Its last values are below.', wait > 0 ? `Next attempt in ${span(wait)}.` : 'Retrying now.');
  } else if (state === 'stopping') {
    title = `The worker has been shutting down since ${since(stoppingSince, now)}.`;
    text = `It receives no more messages; ${count(sum(stats.routes.map(route => route.inFlight)))} in flight.`;
  } else if (now - restartedAt < 120000) {
    title = `The worker was restarted at ${since(restartedAt, now)}.`;
    text = 'Its counts were reset.';
  }
  document.documentElement.dataset.state = state;
  const word = { connecting: 'Connecting', live: failures > 0 ? 'Failing' : 'Running', stopping: 'Shutting down', stopped: 'Stopped', lost: lost?.answer ? 'Refused' : 'No answer' }[state];
  write('state', word);
  if (!isLive && lost !== null) {
    // No sentence may tell what the worker does now.
    headline(word);
    write('problems-none', stats ? 'Nothing is known about it now. Below is what it last reported.' : '');
    setTone(byId('problems'), 'bad');
  }
  const tone = { live: failures > 0 ? 'bad' : 'good', lost: 'bad', stopped: 'bad' }[state] ?? 'warn';
  setTone(byId('state'), tone);
  setTone(byId('connection'), tone);
  byId('connection').hidden = title === '';
  write('connection-title', title);
  write('connection-text', text);
}
