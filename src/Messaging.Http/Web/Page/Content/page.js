// The worker's page: follows the worker's values and draws them.

import { byId, make, openDialog, setAttribute, setText, sync } from './dom.js';
import { follow, read, token } from './api.js';
import { Model } from './model.js';
import { clock, count, many, since, span } from './format.js';
import { findProblems } from './problems.js';
import { updateRoutes, updateRouteCharts } from './routes.js';
import { updateRuntime, updateRuntimeCharts } from './runtime.js';
import { showLetters, startLetters, updateLetters } from './letters.js';
import { loadConfiguration } from './configuration.js';

const historyEvery = 60000;

const model = new Model();
const opened = Date.now();
let connection = { state: 'connecting' };
let stoppingSince = null;
let restartedAt = null;
let historyAt = 0;
let drawnStep = null;

const worker = follow(onStats, onState);
setInterval(showConnection, 1000);

function onStats(stats) {
  const restarted = model.accept(stats);
  if (restarted) restartedAt = Date.parse(stats.startedAt);
  stoppingSince = stats.stopping ? stoppingSince ?? model.now() : null;
  if (connection.state !== 'live' || restarted) {
    historyAt = 0;
    loadConfiguration();
    startLetters();
  }
  if (Date.now() - historyAt > historyEvery) loadHistory();
  if (!document.hidden) show();
  updateLetters(stats);
}

async function loadHistory() {
  historyAt = Date.now();
  try {
    model.setHistory(await read('history'));
    drawnStep = null;
    show();
  } catch {
    historyAt = Date.now() - historyEvery + 5000;
  }
}

function onState(state, details = {}) {
  if (state === 'live' && connection.state === 'live') return;
  connection = { ...details, state };
  if (state === 'token') askToken(details.error);
  showConnection();
}

function show() {
  const { stats } = model;
  showHeader(stats);
  showProblems();
  updateRoutes(model);
  updateRuntime(model);
  if (model.history === null || model.history.end === drawnStep) return;
  drawnStep = model.history.end;
  updateRouteCharts(model);
  updateRuntimeCharts(model);
}

function showHeader(stats) {
  setText(byId('machine'), stats.machine);
  setText(byId('process'), String(stats.process));
  setText(byId('version'), stats.version);
  setText(byId('uptime'), span((Date.parse(stats.time) - Date.parse(stats.startedAt)) / 1000));
  setText(byId('clock'), clock(stats.time));
}

// What is wrong

function showProblems() {
  const found = findProblems(model);
  const failing = found.filter(problem => problem.level === 'failing');
  const warnings = found.filter(problem => problem.level === 'warning');
  const { routes, machine } = model.stats;
  const routesText = routes.length === 1 ? 'The route receives' : `All ${count(routes.length)} routes receive`;
  const title = failing.length + warnings.length === 0 ? 'Nothing is wrong'
    : [failing.length > 0 && many(failing.length, 'failure'), warnings.length > 0 && many(warnings.length, 'warning')].filter(Boolean).join(', ');
  setText(byId('problems-title'), title);
  setAttribute(byId('problems'), 'data-level', failing.length > 0 ? 'failing' : warnings.length > 0 ? 'warning' : 'none');
  byId('problems-none').hidden = failing.length + warnings.length > 0;
  setText(byId('problems-none'), routes.length === 0 ? 'The worker has no routes.' : model.stats.stopping ? 'The worker is shutting down.' : `${routesText}, and no message was dead-lettered in the last 15 minutes.`);
  sync(byId('problem-list'), found, problem => problem.key, createProblem, updateProblem);
  document.title = `${failing.length + warnings.length > 0 ? `${title} · ` : ''}${machine} · Quayside worker`;
  announce(failing.length > 0 ? failing.map(problem => problem.key).join() : 'none', failing[0]?.title ?? '');
}

function createProblem(problem) {
  const button = make('button', { type: 'button', text: 'Show the dead letters', click: () => showLetters(button.reason) });
  return Object.assign(make('li', { 'data-problem': problem.kind ?? problem.key, 'data-route': problem.route }, make('strong'), make('div'), button), { button });
}

function updateProblem(item, problem) {
  const [title, lines, button] = item.children;
  setAttribute(item, 'data-level', problem.level);
  setText(title, problem.title);
  sync(lines, problem.lines.map((text, i) => ({ text, i })), line => line.i, () => make('p'), (line, { text }) => setText(line, text));
  button.hidden = problem.letters === undefined;
  button.reason = problem.letters;
}

let announced = '';
function announce(key, text) {
  if (key === announced) return;
  announced = key;
  setText(byId('announcement'), text);
}

// The connection

function showConnection() {
  const { state, error, retryAt } = connection;
  const stopping = state === 'live' && model.stats.stopping;
  document.documentElement.dataset.state = stopping ? 'stopping' : state;
  setText(byId('state'), { connecting: 'Connecting', live: stopping ? 'Shutting down' : 'Running', lost: 'No answer', stopped: 'Stopped', token: 'Token needed' }[state]);
  const away = state === 'lost' || state === 'stopped';
  const last = model.stats === null ? opened : Date.parse(model.stats.time);
  let title = '';
  let text = '';
  if (away) {
    title = state === 'stopped' ? `The worker stopped at ${since(last, model.now())}.`
      : model.stats === null ? `The worker has not answered since this page was opened ${span((Date.now() - opened) / 1000)} ago.`
        : `The worker has not answered since ${since(last, model.now())}.`;
    const wait = Math.ceil((retryAt - Date.now()) / 1000);
    text = [error, model.stats !== null && `The values below are those of ${clock(last)}.`, wait > 0 ? `Next try in ${span(wait)}.` : 'Trying now.'].filter(Boolean).join(' ');
    announce(state, title);
  } else if (stopping) {
    const inFlight = model.stats.routes.reduce((sum, route) => sum + route.inFlight, 0);
    title = `The worker has been shutting down since ${since(stoppingSince, model.now())}.`;
    text = `It receives no more messages; ${count(inFlight)} in flight.`;
    announce('stopping', title);
  } else if (state === 'live' && restartedAt !== null && model.now() - restartedAt < 120000) {
    title = `The worker was restarted at ${since(restartedAt, model.now())}.`;
    text = 'Its counts began again.';
  }
  byId('connection').hidden = title === '';
  setText(byId('connection-title'), title);
  setText(byId('connection-text'), text);
  byId('connection-retry').hidden = !away;
}

byId('connection-retry').addEventListener('click', () => worker.retry());

// The token

function askToken(error) {
  const dialog = byId('token-dialog');
  setText(byId('token-error'), error?.code === 'token-wrong' ? error.message : '');
  if (!dialog.open) openDialog(dialog);
}

byId('token-form').addEventListener('submit', () => {
  token.set(byId('token').value);
  byId('token').value = '';
  worker.retry();
});
byId('token-dialog').addEventListener('cancel', event => event.preventDefault());
