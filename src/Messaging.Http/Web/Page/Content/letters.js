// Dead letters: list, filters, one record, redrive.

import { byId, make, openDialog, setText, sync, syncPairs } from './dom.js';
import { needsToken, read, send, token } from './api.js';
import { bytes, count, many, moment } from './format.js';
import { keepsLettersInFolder } from './problems.js';

const pageSize = 50;
const refreshEvery = 10000;

let filter = { reason: '', day: '', search: '' };
let pages = [null];         // the cursors of the pages that lead to this one
let shown = { letters: [], reasons: [], next: null };
let chosen = new Set();
let canChange = false;
let current = null;         // the record in the dialog
let knownTotal = -1;
let readAt = 0;
let reading = 0;
let timer = 0;

// The list

async function load() {
  clearTimeout(timer);
  timer = 0;
  readAt = Date.now();
  const mine = ++reading;
  const query = new URLSearchParams({ limit: pageSize });
  for (const [name, value] of Object.entries({ ...filter, after: pages.at(-1) })) if (value) query.set(name, value);
  try {
    const answer = await read(`dead-letters?${query}`);
    if (mine !== reading) return;
    shown = answer;
    chosen = new Set([...chosen].filter(name => answer.letters.some(letter => letter.name === name)));
    const problem = answer.problem ?? (answer.available ? null : 'The folder of the dead letters is not available.');
    showProblem(problem);
    setText(byId('letters-note'), `In the folder ${answer.folder}: dead letters of HTTP, channel, UDP and TCP sources. SQS and Service Bus keep theirs in their own dead-letter queues.${answer.truncated ? ' The folder holds more than 10,000; only these were searched.' : ''}`);
  } catch (error) {
    if (mine !== reading) return;
    showProblem(error.message);
  }
  show();
}

function showProblem(text) {
  byId('letters-problem').hidden = text === null;
  setText(byId('letters-problem'), text ?? '');
}

function show() {
  const { letters, reasons, next } = shown;
  const reasonBox = byId('letters-reason');
  const known = reasons.some(({ reason }) => reason === filter.reason) || !filter.reason ? reasons : [...reasons, { reason: filter.reason, count: 0 }];
  const all = { reason: '', count: reasons.reduce((sum, one) => sum + one.count, 0) };
  sync(reasonBox, [all, ...known], one => one.reason, one => make('option', { value: one.reason }),
    (option, one) => setText(option, `${one.reason || 'All reasons'} (${count(one.count)})`));
  if (document.activeElement !== reasonBox) reasonBox.value = filter.reason;

  sync(byId('letters-list'), letters, letter => letter.name, createRow, updateRow);
  byId('letters-table').hidden = letters.length === 0;
  const filtered = filter.reason || filter.day || filter.search;
  setText(byId('letters-none'), letters.length > 0 ? '' : filtered ? 'No dead letter matches.' : 'No dead letters.');
  byId('letters-none').hidden = letters.length > 0;
  byId('letters-paging').hidden = pages.length === 1 && next === null;
  byId('letters-newer').disabled = pages.length === 1;
  byId('letters-older').disabled = next === null;
  setText(byId('letters-where'), `Page ${count(pages.length)}`);
  showChoice();
}

function createRow(letter) {
  const box = make('input', { type: 'checkbox', 'aria-label': `Select ${letter.id}`, change: () => { chosen[box.checked ? 'add' : 'delete'](letter.name); showChoice(); } });
  const open = make('button', { type: 'button', class: 'link', text: letter.id || '(no id)', click: () => openLetter(letter.name) });
  const cell = (label, ...attributes) => make('td', Object.assign({ 'data-label': label }, ...attributes));
  const message = cell('Message');
  message.append(open);
  const check = make('td', { class: 'check' }, box);
  const row = make('tr', { 'data-letter': letter.name }, check, cell('Last seen', { text: moment(letter.lastSeen) }), cell('Reason', { text: letter.reason, class: 'reason' }), message,
    cell('Route', { text: letter.route }), cell('Description', { text: letter.description ?? '', class: 'description' }), cell('Attempts', { class: 'number', text: count(letter.attempts) }), cell('Body', { class: 'number', text: bytes(letter.bodyBytes) }));
  return Object.assign(row, { box });
}

function updateRow(row, letter) {
  row.box.checked = chosen.has(letter.name);
}

function showChoice() {
  const { letters } = shown;
  for (const row of byId('letters-list').children) row.box.checked = chosen.has(row.key);
  const page = byId('letters-page');
  page.checked = letters.length > 0 && chosen.size === letters.length;
  page.indeterminate = chosen.size > 0 && chosen.size < letters.length;
  const matching = allMatching();
  const selected = byId('redrive-selected');
  const all = byId('redrive-all');
  setText(selected, chosen.size > 0 ? `Redrive selected (${count(chosen.size)})` : 'Redrive selected');
  setText(all, matching > 0 ? `Redrive all ${filter.reason || 'dead letters'} (${count(matching)})` : 'Redrive all');
  selected.disabled = !canChange || chosen.size === 0;
  // The worker redrives all of a reason: not all of a day or of a search.
  all.disabled = !canChange || matching === 0 || Boolean(filter.day || filter.search);
  setText(byId('redrive-note'), !canChange ? 'Set Hosting:Token to redrive from this page.' : matching > 0 && (filter.day || filter.search) ? 'To redrive all of a reason, clear the day and the search.' : '');
  byId('letter-redrive').hidden = !canChange;
  byId('token-forget').hidden = !token.get();
}

const allMatching = () => shown.reasons.filter(({ reason }) => !filter.reason || reason === filter.reason).reduce((sum, one) => sum + one.count, 0);

function apply(next) {
  filter = next;
  pages = [null];
  chosen.clear();
  byId('letters-reason').value = filter.reason;
  byId('letters-day').value = filter.day;
  byId('letters-search').value = filter.search;
  return load();
}

const fields = () => ({ reason: byId('letters-reason').value, day: byId('letters-day').value, search: byId('letters-search').value.trim() });
byId('letters-filter').addEventListener('submit', event => { event.preventDefault(); apply(fields()); });
byId('letters-reason').addEventListener('change', () => apply(fields()));
byId('letters-day').addEventListener('change', () => apply(fields()));
byId('letters-clear').addEventListener('click', () => apply({ reason: '', day: '', search: '' }));
byId('letters-refresh').addEventListener('click', load);
byId('letters-newer').addEventListener('click', () => { pages.pop(); chosen.clear(); load(); });
byId('letters-older').addEventListener('click', () => { pages.push(shown.next); chosen.clear(); load(); });
byId('letters-page').addEventListener('change', event => {
  chosen = new Set(event.target.checked ? shown.letters.map(letter => letter.name) : []);
  showChoice();
});

/** Shows the dead letters of a reason and moves there. */
export async function showLetters(reason) {
  const title = byId('letters-title');
  title.tabIndex = -1;
  title.focus();
  await apply({ reason, day: '', search: '' });
  title.scrollIntoView();
}

/** Called with all values of the worker: reads the newest page again when dead letters were added, not more than every 10 s. */
export function updateLetters(stats) {
  if (canChange !== stats.canChange) {
    canChange = stats.canChange;
    showChoice();
  }
  const total = stats.routes.filter(keepsLettersInFolder).reduce((sum, route) => sum + route.deadLetters, 0);
  if (total === knownTotal) return;
  knownTotal = total;
  if (timer || pages.length > 1 || chosen.size > 0) return;
  timer = setTimeout(load, Math.max(200, readAt + refreshEvery - Date.now()));
}

export function startLetters() {
  load();
  followRedrive();
}

// One record

async function openLetter(name) {
  const dialog = byId('letter-dialog');
  try {
    current = await read(`dead-letters/letter?name=${encodeURIComponent(name)}`);
  } catch (error) {
    showProblem(error.message);
    return;
  }
  showProblem(null);
  setText(byId('letter-title'), `Dead letter ${current.id}`);
  setText(byId('letter-description'), current.description ?? '');
  syncPairs(byId('letter-facts'), [
    ['Reason', current.reason],
    ['Route', current.route],
    ['Source', current.source],
    ['Attempts', count(current.attempts)],
    ['First seen', moment(current.firstSeen)],
    ['Last seen', moment(current.lastSeen)],
    ['Exception', current.exceptionType ?? 'none'],
    ['Part of a message', current.isPart ? 'yes' : 'no'],
    ['File', current.name],
  ]);
  const attributes = Object.entries(current.attributes ?? {});
  syncPairs(byId('letter-attributes'), attributes.length > 0 ? attributes : [['None', '']]);
  byId('letter-body').hidden = true;
  setText(byId('letter-body'), '');
  setText(byId('letter-size'), bytes(current.bodyBytes));
  byId('letter-redrive').hidden = !canChange;
  openDialog(dialog);
}

async function showBody(format) {
  const pre = byId('letter-body');
  try {
    const response = await send(`dead-letters/body?name=${encodeURIComponent(current.name)}`);
    const body = new Uint8Array(await response.arrayBuffer());
    const whole = Number(response.headers.get('X-Body-Bytes') ?? body.length);
    setText(byId('letter-size'), whole > body.length ? `the first ${bytes(body.length)} of ${bytes(whole)}` : bytes(whole));
    setText(pre, body.length === 0 ? '(empty)' : format(body));
  } catch (error) {
    setText(pre, error.message);
  }
  pre.hidden = false;
}

const asText = body => new TextDecoder().decode(body);

function asHex(body) {
  const lines = [];
  for (let at = 0; at < body.length; at += 16) {
    const row = [...body.subarray(at, at + 16)];
    const hex = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ').padEnd(47);
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex}  ${row.map(byte => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.').join('')}`);
  }
  return lines.join('\n');
}

byId('letter-text').addEventListener('click', () => showBody(asText));
byId('letter-hex').addEventListener('click', () => showBody(asHex));
byId('letter-close').addEventListener('click', () => byId('letter-dialog').close());
byId('letter-redrive').addEventListener('click', () => askRedrive(`the dead letter ${current.id}`, { names: [current.name] }));

// Redrive

let request = null;

function askRedrive(what, chosenLetters) {
  request = chosenLetters;
  setText(byId('redrive-what'), `The worker sends ${what} to the source again.`);
  byId('redrive-max-label').hidden = 'names' in chosenLetters;
  byId('redrive-max').value = '';
  byId('redrive-token-label').hidden = Boolean(token.get());
  byId('redrive-token').required = !token.get();
  setText(byId('redrive-error'), '');
  openDialog(byId('redrive-dialog'));
}

byId('redrive-selected').addEventListener('click', () => askRedrive(many(chosen.size, 'dead letter'), { names: [...chosen] }));
byId('redrive-all').addEventListener('click', () => askRedrive(`${many(allMatching(), 'dead letter')}${filter.reason ? ` with the reason ${filter.reason}` : ''}`, { reason: filter.reason || null }));
byId('redrive-cancel').addEventListener('click', () => byId('redrive-dialog').close());
byId('token-forget').addEventListener('click', () => { token.set(null); showChoice(); });
byId('redrive-form').addEventListener('submit', async event => {
  event.preventDefault();
  if (byId('redrive-token').value) token.set(byId('redrive-token').value);
  const body = { ...request, rate: Number(byId('redrive-rate').value) };
  if (!('names' in body)) body.max = byId('redrive-max').value ? Number(byId('redrive-max').value) : null;
  byId('redrive-start').disabled = true;
  try {
    showRedrive(await read('redrive', { method: 'POST', body }));
    byId('redrive-token').value = '';
    byId('redrive-dialog').close();
    byId('letter-dialog').close();
    chosen.clear();
    showChoice();
    byId('redrive').scrollIntoView({ block: 'nearest' });
    followRedrive();
  } catch (error) {
    setText(byId('redrive-error'), error.message);
    if (needsToken(error)) {
      token.set(null);
      byId('redrive-token-label').hidden = false;
      byId('redrive-token').required = true;
      byId('redrive-token').focus();
    }
  } finally {
    byId('redrive-start').disabled = false;
  }
});

byId('redrive-stop').addEventListener('click', async () => {
  try {
    showRedrive(await read('redrive', { method: 'DELETE' }));
  } catch (error) {
    setText(byId('redrive-note'), error.message);
  }
});

let following = false;

async function followRedrive() {
  if (following) return;
  following = true;
  let ran = false;
  try {
    for (;;) {
      const progress = await read('redrive');
      showRedrive(progress);
      if (progress.state !== 'running') break;
      ran = true;
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
    if (ran) await load();
  } catch (error) {
    if (ran) setText(byId('redrive-text'), `The progress cannot be read: ${error.message}`);
  } finally {
    following = false;
  }
}

function showRedrive({ state, total, sent, left, rate, problem, failures }) {
  byId('redrive').hidden = state === 'idle';
  const sentences = [state === 'running'
    ? `Redrive: ${count(sent)} of ${many(total, 'dead letter')} sent, ${count(left)} left, at most ${count(rate)}/s.`
    : `Redrive ended: ${count(sent)} of ${many(total, 'dead letter')} sent, ${count(left)} left.`];
  if (problem) sentences.push(problem);
  if (failures.length > 0) sentences.push('Not sent, with the reason:');
  setText(byId('redrive-text'), sentences.join(' '));
  byId('redrive-progress').max = Math.max(1, total);
  byId('redrive-progress').value = total > 0 ? sent + failures.length : 1;
  byId('redrive-stop').hidden = state !== 'running';
  sync(byId('redrive-failures'), failures, failure => failure.name, failure => make('li', { text: `${failure.name}: ${failure.error}` }));
}
