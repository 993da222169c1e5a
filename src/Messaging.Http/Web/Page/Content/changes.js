// What was asked of the worker over its API. Nothing is read while the section is closed.

import { byId, make, write } from './dom.js';
import { read } from './api.js';
import { count, moment } from './format.js';

const readEvery = 5000;
const section = byId('changes-details');
let readAt = 0;
let known = '';

async function load() {
  readAt = Date.now();
  try {
    const { changes, denied } = await read('changes');
    write('changes-note', changes.length + denied.length > 0 ? '' : 'Nothing was asked for since the start.');
    // Rows do not change, so that a selection stays until there are others.
    const answer = JSON.stringify([changes, denied]);
    if (answer === known) return;
    known = answer;
    const rows = [...changes, ...denied.map(one => ({ ...one, time: one.last, result: `denied: ${one.reason}${one.count > 1 ? `, ${count(one.count)} times since ${moment(one.first)}` : ''}`, isDenied: true }))];
    rows.sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
    byId('changes-list').tBodies[0].replaceChildren(...rows.map(createRow));
  } catch (error) {
    write('changes-note', error.message);
  }
}

const createRow = ({ time, from, what, result, isDenied }) => make('tr', { 'data-tone': isDenied ? 'bad' : /^(done|started|ended: .*( 0 left|found))$/.test(result) ? null : 'warn' },
  make('td', { text: moment(time) }), make('td', { text: from }), make('td', { text: what }), make('td', { text: result }));

/** Reads the changes again while they are shown. */
export function updateChanges() {
  if (section.open && Date.now() - readAt >= readEvery) load();
}

section.addEventListener('toggle', () => section.open && load());
