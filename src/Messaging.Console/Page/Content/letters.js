// Dead letters: queues, groups, list, one record; redrive, move, discard.

import { byId, lines, make, setText, sync, syncRows, write } from './dom.js';
import { read, send } from './api.js';
import { bytes, clock, count, many, moment, sum } from './format.js';

const pageSize = 20;
const refreshEvery = 10000;
const refreshAtLeastEvery = 30000;
const readOnAfter = 500;
const shownBytes = 4096;
const looked = 20;

const reasonField = byId('letters-reason');
const on = (id, event, listener) => byId(id).addEventListener(event, listener);
let reason = '';            // '' for all
let route = '';             // of a group; '' for all
let after = null;           // the dead letter before this page
let shown = { letters: [], reasons: [], groups: [], matching: 0, unread: 0, next: null };
let chosen = new Set();
let canChange = false;
let knownTotal = -1;
let readAt = 0;
let reading = 0;
let refresh = 0;
let took = 0;

// The list

const filter = () => Object.fromEntries(Object.entries({ reason, route }).filter(([, value]) => value));

async function load() {
  clearTimeout(refresh);
  refresh = 0;
  readAt = Date.now();
  const mine = ++reading;
  const query = new URLSearchParams({ limit: pageSize, ...filter(), ...after && { after } });
  let problem;
  try {
    const answer = await read(`dead-letters?${query}`);
    if (mine !== reading) return;
    took = Date.now() - readAt;
    shown = answer;
    problem = answer.problem ?? (answer.available ? '' : 'The folder of the dead letters is not available.');
    write('letters-note', lines(`In the folder ${answer.folder}: from HTTP, channel, UDP and TCP sources, and what was moved out of a queue.${answer.truncated ? ' The newest 100,000 are listed and counted.' : ''}`,
      answer.unread > 0 && `${many(answer.unread, 'record is', 'records are')} still to be read.`));
    if (answer.unread > 0) refresh = setTimeout(load, readOnAfter);
  } catch (error) {
    problem = error.message;
  }
  write('letters-problem', problem);
  show();
}

function loadFirstPage(wanted = reasonField.value, wantedRoute = '') {
  reason = wanted;
  route = wantedRoute;
  after = null;
  chosen.clear();
  return load();
}

const causeOf = ({ reason, exceptionType }) => exceptionType ? `${reason}: ${exceptionType}` : reason;

function show() {
  const { letters, reasons, groups, next } = shown;
  const options = reasons.some(one => one.reason === reason) || reason === '' ? reasons : [...reasons, { reason, count: 0 }];
  sync(reasonField, [{ reason: '', count: sum(reasons.map(one => one.count)) }, ...options], one => one.reason,
    one => make('option', { value: one.reason }), (option, one) => setText(option, `${one.reason || 'All reasons'} (${count(one.count)})`));
  reasonField.value = reason;
  sync(byId('letter-groups'), groups, group => `${group.reason} ${group.route}`, createGroup, (item, group) => {
    setText(item.facts, `${many(group.count, 'dead letter')} of route ${group.route || 'none'}, ${moment(group.first)} to ${moment(group.last)}`);
    item.button.setAttribute('aria-pressed', reason === group.reason && route === group.route);
  });
  sync(byId('letters-list'), letters, letter => letter.name, createLetter, (item, { name }) => { item.box.checked = chosen.has(name); });
  write('letters-where', letters.length > 0 ? '' : 'No dead letters.');
  byId('letters-older').hidden = next === null;
  byId('letters-newest').hidden = after === null;
  showChoice();
}

function createGroup(group) {
  const button = make('button', { class: 'link', text: group.reason, click: () => loadFirstPage(group.reason, group.route) });
  const facts = make('span', { class: 'quiet' });
  return Object.assign(make('li', {}, button, facts), { button, facts });
}

function createLetter(letter) {
  const { name, id, route, source, attempts, lastSeen, bodyBytes, bodyStart, description } = letter;
  const box = make('input', { type: 'checkbox', 'aria-label': `Select ${id}`, change: () => {
    chosen[box.checked ? 'add' : 'delete'](name);
    showChoice();
  } });
  const item = make('li', { 'data-letter': name }, box, make('div', {},
    make('button', { class: 'link', text: id || 'no id', click: () => openLetter(name) }), make('b', { text: causeOf(letter) }),
    make('span', { class: 'quiet', text: `${moment(lastSeen)}, route ${route}, from ${source}, ${many(attempts, 'attempt')}, ${bytes(bodyBytes)}` }),
    make('p', { text: description }), make('code', { text: bodyStart ?? '' })));
  return Object.assign(item, { box });
}

function showChoice() {
  const { groups, matching, truncated, discardedDays } = shown;
  const all = `all${reason && ` of ${reason}`} (${count(matching)}${truncated ? ' or more' : ''})`;
  // A run takes all of a reason: where a group shows those of one route, the others must not be taken too.
  const isAll = !route || groups.every(group => group.reason !== reason || group.route === route);
  for (const action of ['redrive', 'discard']) {
    const verb = action[0].toUpperCase() + action.slice(1);
    write(`${action}-selected`, `${verb} selected (${count(chosen.size)})`);
    write(`${action}-all`, `${verb} ${all}`);
    byId(`${action}-selected`).hidden = byId(`${action}-all`).hidden = action === 'discard' && !discardedDays;
    byId(`${action}-selected`).disabled = !canChange || chosen.size === 0;
    byId(`${action}-all`).disabled = !canChange || matching === 0 || !isAll;
  }
  write('redrive-note', canChange ? '' : 'Set Hosting:Token to change dead letters from this page.');
}

reasonField.addEventListener('change', () => loadFirstPage());
on('letters-newest', 'click', () => turn(() => loadFirstPage(reason, route)));
on('letters-older', 'click', () => turn(() => {
  after = shown.next;
  return load();
}));

/** A page may be shorter than the one before: its begin stays in view. */
async function turn(read) {
  await read();
  byId('letters-list').scrollIntoView({ block: 'nearest' });
}

/** Shows the dead letters of a reason, or all, and moves the focus. */
export function showLetters(wanted) {
  byId('letters-title').focus();
  loadFirstPage(wanted);
}

/** The dead-letter queue of a source. Only what is moved out of it is in the list. */
function createQueue(queue) {
  const { route, source } = queue;
  const text = make('span');
  const move = path => ({ target }) => (byId('redrive-dry').checked || confirm(`${target.textContent}: all dead letters of ${source}, route ${route}?`)) && change(path, { queue, all: true });
  const buttons = [['Look into it', () => change('redrive', { queue, all: true, max: looked, dryRun: true })], ['Move to the folder', move('dead-letters/move')], ['Redrive to the queue', move('redrive')]]
    .map(([text, click]) => make('button', { text, click, 'aria-label': `${text}: ${source}, route ${route}` }));
  return Object.assign(make('li', { 'data-route': route, tabindex: -1 }, text, ...buttons), { text, buttons });
}

function showQueues(routes, redriveSources) {
  const queues = routes.flatMap(route => (route.deadLetterQueues ?? []).map(source => ({ route: route.name, source, waiting: route.inDeadLetterQueue })));
  sync(byId('letter-queues'), queues, ({ route, source }) => `${route} ${source}`, ({ route, source }) => createQueue({ route, source }), (item, { route, source, waiting }) => {
    setText(item.text, `Dead-letter queue of ${source}, route ${route}: ${waiting === null ? 'number not known' : `${many(waiting, 'message')} at the last count, which is made once a minute`}`);
    for (const button of item.buttons) {
      button.disabled = !canChange;
      button.hidden = !redriveSources.includes(source);
    }
  });
}

/** Moves the focus to the dead-letter queue of a route, and looks into it. */
export function showQueue(route) {
  const row = byId('letter-queues').querySelector(`[data-route="${CSS.escape(route)}"]:has(button:not([hidden]))`);
  row?.focus();
  row?.buttons[0].click();
}

/** Handles the worker's values; reloads the newest page after a change, at most every 10 s; every 30 s where reading the folder is slow. */
export function updateLetters({ routes, ...stats }) {
  if (canChange !== stats.canChange) {
    canChange = stats.canChange;
    showChoice();
  }
  showQueues(routes, stats.redriveSources);
  // Of the store, so that a redrive or another process counts too; else of this process.
  const total = stats.waitingDeadLetters ? `${stats.waitingDeadLetters.count} ${stats.waitingDeadLetters.newestAt}` : sum(routes.map(route => route.totals.deadLetters));
  if (total === knownTotal) return;
  knownTotal = total;
  if (!refresh && after === null && chosen.size === 0) refresh = setTimeout(load, Math.max(200, readAt + Math.min(Math.max(refreshEvery, 50 * took), refreshAtLeastEvery) - Date.now()));
}

// One record

let current;

const place = name => new URLSearchParams({ name });

async function openLetter(name) {
  try {
    current = await read(`dead-letters/letter?${place(name)}`);
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
  byId('letter-discard').hidden = !canChange || !shown.discardedDays || current.isPart;
  write('letter-size', bytes(current.bodyBytes));
  byId('letter-dialog').showModal();
  if (current.bodyBytes <= shownBytes) showBody(toJson);
}

async function showBody(format) {
  const box = byId('letter-body');
  try {
    const response = await send(`dead-letters/body?${place(current.name)}`);
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

const toText = body => new TextDecoder().decode(body);

function toJson(body) {
  try {
    return JSON.stringify(JSON.parse(toText(body)), null, 2);
  } catch (error) {
    return lines(`Not JSON: ${error.message}`, toText(body));
  }
}

on('letter-json', 'click', () => showBody(toJson));
on('letter-text', 'click', () => showBody(toText));
on('letter-hex', 'click', () => showBody(toHex));

on('letter-discard', 'click', () => {
  byId('letter-dialog').close();
  change('dead-letters/discard', { names: [current.name] });
});

// Redrive, move, discard: one run at a time.

async function change(path, letters) {
  write('redrive-note', '');
  try {
    await send(path, { method: 'POST', body: { ...path === 'redrive' && { rate: Number(byId('redrive-rate').value) || 50 }, dryRun: byId('redrive-dry').checked && letters.names === undefined, ...letters } });
    chosen.clear();
    showChoice();
    const run = await followRedrive();
    byId('redrive').scrollIntoView({ block: 'nearest' });
    if (path === 'dead-letters/move' && !run?.dryRun) loadFirstPage('');
    return run;
  } catch (error) {
    write('redrive-note', error.message);
  }
}

for (const [action, path] of [['redrive', 'redrive'], ['discard', 'dead-letters/discard']]) {
  on(`${action}-selected`, 'click', () => change(path, { names: [...chosen] }));
  on(`${action}-all`, 'click', ({ target }) => (byId('redrive-dry').checked || confirm(`${target.textContent}?`)) && change(path, reason ? { reason } : { all: true }));
}
on('redrive-stop', 'click', () => read('redrive', { method: 'DELETE' }).then(showRedrive, error => write('redrive-note', error.message)));

let following = false;

async function followRedrive() {
  if (following) return;
  following = true;
  let progress;
  try {
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
  return progress;
}

function showRedrive({ state, startedAt, action, dryRun, total, found, sent, sentToQueue, left, rate, problem, results, failures, notes, queue, listing }) {
  const running = state === 'running';
  const [name, done] = { redrive: ['Redrive', sentToQueue > 0 ? 'sent' : 'stored'], move: ['Move to the folder', 'moved'], discard: ['Discard', 'discarded'] }[action];
  const verb = `${startedAt ? `${clock(startedAt)} ` : ''}${queue ? `Dead-letter queue of route ${queue}. ` : ''}${listing === null ? name : 'Look'}`;
  byId('redrive').hidden = state === 'idle';
  write('redrive-text', lines(dryRun ? `${verb}, dry run ${running ? 'running' : 'ended'}: ${many(found, 'dead letter')} found; nothing was changed. ${problem ?? ''}`
    : `${verb} ${running ? 'running' : 'ended'}: ${count(sent)} of ${many(total, 'dead letter')} ${done}, ${count(left)} left${running && rate ? `, at most ${count(rate)}/s` : ''}. ${problem ?? ''}`,
    ...results.map(one => `${one.reason}: ${dryRun ? `${count(one.found)} found` : `${count(one.sent)} ${done}, ${count(one.left)} left`}`),
    !dryRun && sentToQueue > 0 && `A queue accepted ${count(sentToQueue)}: the worker of the route stores them, or dead-letters them again.`, ...notes));
  byId('redrive-listing').hidden = !listing;
  write('redrive-listing', listing ?? '');
  byId('redrive-progress').max = total || 1;
  byId('redrive-progress').value = sent + left;
  byId('redrive-stop').hidden = byId('redrive-progress').hidden = !running;
  write('redrive-failures', lines(failures.length > 0 && 'Left as they were:', ...failures.map(failure => `${failure.name}: ${failure.error}`)));
}

/** Reads the dead letters and a running redrive. */
export const startLetters = followRedrive;
