// Requests to the worker, and its stream of values.

import { byId, write } from './dom.js';

const tokenKey = 'worker-token';
const silence = 6000;           // the stream sends every second
const longestPause = 10000;
const hiddenFor = 60000;        // then a page in the background closes its stream

/** Sends a request; asks for the token if the worker requires one. Throws the worker's message as `answer`. */
export async function send(path, { body, ...options } = {}) {
  for (;;) {
    const token = sessionStorage.getItem(tokenKey);
    if (options.method && !token) {
      // Changes always need the token.
      if (await askToken('')) continue;
      throw Object.assign(new Error('No token was given.'), { answer: 'No token was given.' });
    }
    const headers = { ...token && { Authorization: `Bearer ${token}` }, ...body && { 'Content-Type': 'application/json' } };
    const response = await fetch(`/api/v1/${path}`, { ...options, headers, body: body && JSON.stringify(body), cache: 'no-store' });
    if (response.ok) return response;
    const { message = `The worker answered ${response.status}.` } = await response.json().catch(() => ({}));
    if (response.status === 401 && await askToken(token ? message : '')) continue;
    throw Object.assign(new Error(message), { answer: message });
  }
}

export const read = async (path, options) => (await send(path, options)).json();

const dialog = byId('token-dialog');
let asked = null;

function askToken(problem) {
  write('token-error', problem);
  return asked ??= new Promise(resolve => {
    byId('token').value = dialog.returnValue = '';
    dialog.showModal();
    dialog.addEventListener('close', () => {
      asked = null;
      const given = dialog.returnValue === 'continue' && byId('token').value;
      if (given) sessionStorage.setItem(tokenKey, given);
      resolve(Boolean(given));
    }, { once: true });
  });
}


/** Follows the worker: `onStats(stats)` for each set of values, `onLost({ answer, ended, retryAt })` without a stream. */
export function follow(onStats, onLost) {
  let pause = 500;
  let ended;
  let close;
  let hiddenTimer;

  async function stream() {
    const controller = new AbortController();
    close = () => controller.abort();
    let heard = Date.now();
    const watchdog = setInterval(() => {
      if (dialog.open) heard = Date.now();
      if (Date.now() - heard > silence) close();
    }, 1000);
    try {
      const response = await send('events', { signal: controller.signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard = Date.now();
        const events = (rest + value).split('\n\n');
        rest = events.pop();
        for (const event of events) {
          const [, name, data] = event.match(/^event: (\w+)\ndata: (.*)$/m) ?? [];
          ended = name === 'end';
          if (name !== 'stats') continue;
          pause = 500;
          queueMicrotask(() => onStats(JSON.parse(data)));
        }
      }
    } finally {
      clearInterval(watchdog);
      close();
    }
  }

  async function run() {
    for (;;) {
      let answer;
      try {
        await stream();
      } catch (caught) {
        ({ answer } = caught);
      }
      if (document.hidden) {
        await new Promise(resolve => document.addEventListener('visibilitychange', resolve, { once: true }));
        continue;
      }
      onLost({ answer, ended, retryAt: Date.now() + pause });
      await new Promise(resolve => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, longestPause);
    }
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(() => close(), hiddenFor);
  });
  run();
}
