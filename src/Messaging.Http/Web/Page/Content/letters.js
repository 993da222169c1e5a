// Dead letters: list, filters, one record, redrive.

import { byId, lines, make, setText, sync, syncRows, write } from './dom.js';
import { read, send } from './api.js';
import { bytes, count, many, moment, sum } from './format.js';
import { keepsLettersInFolder } from './problems.js';

const pageSize = 20;
const refreshEvery = 10000;
const refreshAtLeastEvery = 30000;

const [reasonField, dayField, searchField] = ['reason', 'day', 'search'].map(name => byId(`letters-${name}`));
const on = (id, event, listener) => byId(id).addEventListener(event, listener);
let reason = '';            // '' for all
let after = null;           // the dead letter before this page
let shown = { letters: [], reasons: [], next: null };
let chosen = new Set();
let canChange = false;
let knownTotal = -1;
let readAt = 0;
let reading = 0;
let refresh = 0;
let took = 0;

// The list

async function load() {
  clearTimeout(refresh);
  refresh = 0;
  readAt = Date.now();
  const mine = ++reading;
  const query = new URLSearchParams({ limit: pageSize });
  for (const [name, value] of Object.entries({ reason, day: dayField.value, search: searchField.value.trim(), after })) if (value) query.set(name, value);
  let problem;
  try {
    const answer = await read(`dead-letters?${query}`);
    if (mine !== reading) return;
    took = Date.now() - readAt;
    shown = answer;
    problem = answer.problem ?? (answer.available ? '' : 'The folder of the dead letters is not available.');
    write('letters-note', `From HTTP, channel, UDP and TCP sources, in the folder ${answer.folder}. SQS, Service Bus and RabbitMQ have dead-letter queues of their own.${answer.truncated ? ' The newest 10,000 are listed and counted.' : ''}`);
  } catch (error) {
    problem = error.message;
  }
  write('letters-problem', problem);
  show();
}

function loadFirstPage(wanted = reasonField.value) {
  reason = wanted;
  after = null;
  chosen.clear();
  load();
}

function show() {
  const { letters, reasons, next } = shown;
  const options = reasons.some(one => one.reason === reason) || reason === '' ? reasons : [...reasons, { reason, count: 0 }];
  sync(reasonField, [{ reason: '', count: sum(reasons.map(one => one.count)) }, ...options], one => one.reason,
    one => make('option', { value: one.reason }), (option, one) => setText(option, `${one.reason || 'All reasons'} (${count(one.count)})`));
  reasonField.value = reason;
  sync(byId('letters-list'), letters, letter => letter.name, createLetter, (item, { name }) => { item.box.checked = chosen.has(name); });
  write('letters-where', letters.length === 0 ? 'No dead letters.' : '');
  byId('letters-older').hidden = next === null;
  showChoice();
}

function createLetter(letter) {
  const { name, id, route, source, attempts, lastSeen, bodyBytes, description } = letter;
  const box = make('input', { type: 'checkbox', 'aria-label': `Select ${id}`, change: () => {
    chosen[box.checked ? 'add' : 'delete'](name);
    showChoice();
  } });
  const item = make('li', { 'data-letter': name }, box, make('div', {},
    make('button', { class: 'link', text: id || 'no id', click: () => openLetter(name) }), make('b', { text: letter.exceptionType ? `${letter.reason}: ${letter.exceptionType}` : letter.reason }),
    make('span', { class: 'quiet', text: `${moment(lastSeen)}, route ${route}, from ${source}, ${many(attempts, 'attempt')}, ${bytes(bodyBytes)}` }),
    make('p', { text: description ?? '' })));
  return Object.assign(item, { box });
}

const matching = () => shown.reasons.filter(one => reason === '' || one.reason === reason);

function showChoice() {
  const total = sum(matching().map(one => one.count));
  const narrowed = dayField.value !== '' || searchField.value.trim() !== '';
  write('redrive-selected', `Redrive selected (${count(chosen.size)})`);
  write('redrive-all', `Redrive all ${reason || 'dead letters'} (${count(total)}${shown.truncated ? ' or more' : ''})`);
  byId('redrive-selected').disabled = !canChange || chosen.size === 0;
  byId('redrive-all').disabled = !canChange || total === 0 || narrowed;
  write('redrive-note', !canChange ? 'Set Hosting:Token to redrive from this page.' : total > 0 && narrowed ? 'To redrive all of a reason, clear the day and the search.' : '');
}

on('letters-filter', 'submit', event => {
  event.preventDefault();
  loadFirstPage();
});
on('letters-filter', 'change', event => event.target !== searchField && loadFirstPage());
on('letters-filter', 'reset', () => setTimeout(loadFirstPage, 0, ''));
on('letters-newest', 'click', () => loadFirstPage());
on('letters-older', 'click', () => {
  after = shown.next;
  load();
});

/** Shows the dead letters of a reason, or all, and moves the focus. */
export function showLetters(wanted) {
  dayField.value = searchField.value = '';
  byId('letters-title').focus();
  loadFirstPage(wanted);
}

/** Handles the worker's values; reloads the newest page after a change, at most every 10 s; every 30 s where reading the folder is slow. */
export function updateLetters({ routes, ...stats }) {
  if (canChange !== stats.canChange) {
    canChange = stats.canChange;
    showChoice();
  }
  // Of the store, so that a redrive or another process counts too; else of this process.
  const total = stats.waitingDeadLetters ? `${stats.waitingDeadLetters.count} ${stats.waitingDeadLetters.newestAt}` : sum(routes.filter(keepsLettersInFolder).map(route => route.deadLetters));
  if (total === knownTotal) return;
  knownTotal = total;
  if (!refresh && after === null && chosen.size === 0) refresh = setTimeout(load, Math.max(200, readAt + Math.min(Math.max(refreshEvery, 50 * took), refreshAtLeastEvery) - Date.now()));
}

// One record

let current;

async function openLetter(name) {
  try {
    current = await read(`dead-letters/letter?name=${encodeURIComponent(name)}`);
  } catch (error) {
    write('letters-problem', error.message);
    return;
  }
  write('letter-title', `Dead letter ${current.id}`);
  write('letter-description', current.description ?? '');
  syncRows(byId('letter-facts'), [['Reason', current.reason], ['Route', current.route], ['Source', current.source], ['Attempts', count(current.attempts)],
    ['First seen', moment(current.firstSeen)], ['Last seen', moment(current.lastSeen)], ['Exception', current.exceptionType ?? 'none'], ['File', current.name],
    current.group && ['Group', current.group], current.deduplicationId && ['Deduplication id', current.deduplicationId],
    current.isPart && ['Part', 'This is part of a message.']]);
  const attributes = Object.entries(current.attributes ?? {});
  syncRows(byId('letter-attributes'), attributes.length > 0 ? attributes : [['None', '']]);
  byId('letter-exception').hidden = !current.exception;
  write('letter-exception', current.exception ?? '');
  byId('letter-body').hidden = true;
  write('letter-size', bytes(current.bodyBytes));
  byId('letter-dialog').showModal();
}

async function showBody(format) {
  const box = byId('letter-body');
  try {
    const response = await send(`dead-letters/body?name=${encodeURIComponent(current.name)}`);
    const body = new Uint8Array(await response.arrayBuffer());
    const whole = Number(response.headers.get('X-Body-Bytes') ?? body.length);
    write('letter-size', whole > body.length ? `the first ${bytes(body.length)} of ${bytes(whole)}` : bytes(whole));
    setText(box, format(body) || '(empty)');
  } catch (error) {
    setText(box, error.message);
  }
  box.hidden = false;
}

function toHex(body) {
  const rows = [];
  for (let at = 0; at < body.length; at += 16) {
    const row = [...body.subarray(at, at + 16)];
    const hex = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ');
    rows.push(`${at.toString(16).padStart(5, '0')}  ${hex.padEnd(47)}  ${row.map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.').join('')}`);
  }
  return rows.join('\n');
}

on('letter-text', 'click', () => showBody(body => new TextDecoder().decode(body)));
on('letter-hex', 'click', () => showBody(toHex));

// Redrive

async function redrive(letters) {
  write('redrive-note', '');
  try {
    await send('redrive', { method: 'POST', body: { ...letters, rate: Number(byId('redrive-rate').value) || 50 } });
    chosen.clear();
    showChoice();
    followRedrive();
  } catch (error) {
    write('redrive-note', error.message);
  }
}

on('redrive-selected', 'click', () => redrive({ names: [...chosen] }));
on('redrive-all', 'click', () => redrive(reason ? { reason } : { all: true }));
on('redrive-stop', 'click', () => read('redrive', { method: 'DELETE' }).then(showRedrive, error => write('redrive-note', error.message)));

let following = false;

async function followRedrive() {
  if (following) return;
  following = true;
  try {
    let progress;
    do {
      if (progress) await new Promise(resolve => setTimeout(resolve, 1000));
      progress = await read('redrive');
      showRedrive(progress);
    } while (progress.state === 'running');
    await load();
  } catch (error) {
    write('redrive-note', error.message);
  }
  following = false;
}

function showRedrive({ state, total, sent, left, rate, problem, failures }) {
  const running = state === 'running';
  byId('redrive').hidden = state === 'idle';
  write('redrive-text', `Redrive ${running ? 'running' : 'ended'}: ${count(sent)} of ${many(total, 'dead letter')} sent, ${count(left)} left${running ? `, at most ${count(rate)}/s` : ''}. ${problem ?? ''}`);
  byId('redrive-progress').max = total || 1;
  byId('redrive-progress').value = sent + left;
  byId('redrive-stop').hidden = !running;
  write('redrive-failures', lines(failures.length > 0 && 'Not sent:', ...failures.map(failure => `${failure.name}: ${failure.error}`)));
}

/** Reads the dead letters and a running redrive. */
export const startLetters = followRedrive;
