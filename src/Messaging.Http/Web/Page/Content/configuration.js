// The settings in effect, filtered here.

import { byId, make, setText, sync } from './dom.js';
import { read } from './api.js';

let settings = [];
let problem = null;

export async function loadConfiguration() {
  try {
    ({ settings } = await read('config'));
    problem = null;
  } catch (error) {
    problem = error.message;
  }
  show();
}

function show() {
  const search = byId('configuration-search').value.trim().toLowerCase();
  const changed = byId('configuration-changed').checked;
  const shown = settings.filter(({ key, value, isDefault }) => (!changed || !isDefault) && `${key} ${value}`.toLowerCase().includes(search));
  sync(byId('configuration-list'), shown, setting => setting.key,
    setting => make('tr', { 'data-key': setting.key }, make('th', { scope: 'row', text: setting.key }), make('td', { class: 'code' }), make('td')),
    (row, { value, isDefault }) => {
      setText(row.children[1], value ?? '');
      setText(row.children[2], isDefault ? 'default' : 'configured');
    });
  byId('configuration-table').hidden = shown.length === 0;
  setText(byId('configuration-none'), problem ?? (shown.length > 0 ? `${shown.length} of ${settings.length} settings` : settings.length > 0 ? `No setting of ${settings.length} matches.` : 'No settings.'));
}

byId('configuration-filter').addEventListener('input', show);
byId('configuration-filter').addEventListener('submit', event => event.preventDefault());
