// The worker's page: follows the worker's values and draws them.

import { byId, lines, make, setAttribute, setText, setTone, sync, write } from './dom.js';
import { follow, read } from './api.js';
import { Model } from './model.js';
import { clock, count, many, since, span, sum } from './format.js';
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
  const { problems: found, routes, stopping, waitingDeadLetters: waiting } = model.stats;
  const [failing, warnings] = ['bad', 'warn'].map(tone => found.filter(problem => problem.tone === tone).length);
  failures = failing;
  const wrong = [failing > 0 && many(failing, 'failure'), warnings > 0 && many(warnings, 'warning')].filter(Boolean).join(', ');
  const where = [...new Set(found.map(({ route }) => route).filter(Boolean))].join(', ');
  headline(wrong && where ? `${wrong}: ${where}` : wrong || (stopping ? 'Shutting down' : 'Nothing is wrong'));
  setTone(byId('problems'), failing > 0 ? 'bad' : wrong ? 'warn' : 'good');
  write('problems-none', wrong || stopping ? '' : `${many(routes.length, 'route receives', 'routes receive')}; ${waiting === null ? 'no message was dead-lettered in the last 15 minutes' : 'no dead letter waits'}.`);
  sync(byId('problem-list'), found, ({ route, kind, event }) => [route, kind, event].join('/'), createProblem, updateProblem);
}

function headline(text) {
  write('problems-title', text);
  write('announcement', text);
  document.title = `${text} · ${model.stats?.machine ?? ''} · Quayside worker`;
}

function createProblem({ kind, route }) {
  const button = make('button', { text: route === null ? 'Show the dead letters' : 'Look into the queue', click: () => route === null ? showLetters(button.reason) : showQueue(route) });
  const head = route === null ? make('strong') : make('a', { href: `#route-${route}` });
  return make('li', { 'data-problem': kind, 'data-route': route }, head, make('p'), make('p', { class: 'action' }), make('code'), make('p', { class: 'quiet' }, make('a', { target: '_blank' }), ', event ', make('a', { target: '_blank' }), ' in the log'), make('div', {}, button));
}

/** The worker serves the document that most problems name. The browser looks for the heading in its text. */
function servedAt(docs) {
  const [file, heading] = docs.split('#');
  return file === 'docs/guides/alerts.md' && `/${file}#:~:text=${encodeURIComponent(`## ${heading}`)}`;
}

function updateProblem(item, { kind, route, tone, title, details, effect, action, how, docs, event, docsLink, eventLink, letters }) {
  const [head, body, next, setting, see, { children: [button] }] = item.children;
  const [page, id] = see.children;
  setTone(item, tone);
  setText(head, title);
  setText(body, lines(...details, effect));
  setText(next, action);
  setText(setting, how);
  setText(page, docs);
  setAttribute(page, 'href', docsLink ?? servedAt(docs));
  setText(id, String(event));
  setAttribute(id, 'href', eventLink);
  // A route may keep its dead letters in a store that the page cannot show.
  const hasQueue = model.stats.routes.some(one => one.name === route && one.deadLetterQueues?.length > 0);
  button.hidden = kind !== 'dead-letters' || letters === null && !hasQueue;
  button.reason = letters ?? '';
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
