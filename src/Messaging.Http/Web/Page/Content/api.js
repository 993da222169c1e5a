// Requests to the worker, and its stream of values.

const tokenKey = 'worker-token';

export const token = {
  get: () => sessionStorage.getItem(tokenKey),
  set: value => value ? sessionStorage.setItem(tokenKey, value) : sessionStorage.removeItem(tokenKey),
};

/** An answer that is an error: the worker's own code and sentence where it sent them. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function send(path, { method = 'GET', body, signal } = {}) {
  const headers = {};
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch(`/api/v1/${path}`, { method, headers, signal, cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body) });
  if (response.ok) return response;
  const error = await response.json().catch(() => ({}));
  throw new ApiError(response.status, error.error ?? '', error.message ?? `The worker answered ${response.status}.`);
}

export const read = async (path, options) => (await send(path, options)).json();

/** True for an error that a token may cure. */
export const needsToken = error => error instanceof ApiError && error.status === 401;

const silence = 6000;        // the stream sends every second
const longestPause = 10000;
const pollEvery = 5000;      // where the worker has too many watchers

/**
 * Follows the worker until the page is closed. `onStats(stats)` for each set of values; `onState(state, details)` with
 * `live`, `lost` ({ error, retryAt }), `stopped` or `token` ({ error }). Returns { retry() }.
 */
export function follow(onStats, onState) {
  let wake = () => {};
  let pause = 500;
  let ended = false;
  let hiddenTimer = 0;
  let closeStream = () => {};

  const sleep = milliseconds => new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => { clearTimeout(timer); resolve(); };
  });

  function accept(stats) {
    pause = 500;
    ended = false;
    onStats(stats);
    onState('live');
  }

  async function stream() {
    const controller = new AbortController();
    let watchdog = 0;
    const feed = () => { clearTimeout(watchdog); watchdog = setTimeout(() => controller.abort(), silence); };
    closeStream = () => controller.abort();
    feed();
    try {
      const response = await send('events', { signal: controller.signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        feed();
        const events = (rest + value).split(/\r?\n\r?\n/);
        rest = events.pop();
        for (const event of events) {
          const field = name => event.split(/\r?\n/).filter(line => line.startsWith(`${name}:`)).map(line => line.slice(name.length + 1).trim()).join('\n');
          if (field('event') === 'stats') accept(JSON.parse(field('data')));
          else if (field('event') === 'end') ended = true;
        }
      }
    } finally {
      clearTimeout(watchdog);
      controller.abort();
    }
  }

  async function poll() {
    for (let i = 0; i < 12; i++) {
      accept(await read('stats', { signal: AbortSignal.timeout(silence) }));
      await sleep(pollEvery);
    }
  }

  async function run() {
    for (;;) {
      let error = null;
      try {
        await stream();
      } catch (caught) {
        error = caught;
        if (caught instanceof ApiError && caught.code === 'too-many-watchers') {
          try {
            await poll();
            continue;
          } catch (failed) {
            error = failed;
          }
        }
      }
      if (document.hidden) await new Promise(resolve => document.addEventListener('visibilitychange', resolve, { once: true }));
      if (needsToken(error)) {
        onState('token', { error });
        await sleep(2 ** 31 - 1);
        continue;
      }
      onState(ended ? 'stopped' : 'lost', { error: error instanceof ApiError ? error.message : null, retryAt: Date.now() + pause });
      await sleep(pause);
      pause = Math.min(pause * 2, longestPause);
    }
  }

  // A page in the background gives its place among the watchers back after a while.
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(() => closeStream(), 60000);
  });
  run();
  return { retry() { pause = 500; wake(); } };
}
