// A worker's page and API without a worker, for development: `node mock.mjs [port] [scenario]`, then open the printed address.
// Scenarios: see README.md. SIGTERM ends it as a worker ends.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hostname } from 'node:os';

const content = fileURLToPath(new URL('../../src/Messaging.Http/Web/Page/Content/', import.meta.url));
const types = { html: 'text/html; charset=utf-8', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };
const port = Number(process.argv[2] ?? 8090);
const scenario = process.argv[3] ?? 'healthy';
const secret = 'secret-token';
const is = name => scenario === name;
const markup = '<img src=x onerror="document.title=\'broken\'">';

const begun = Date.now() - 20 * 60000;
const faultAt = Date.now() - 130000;
const step = 5;
const iso = time => new Date(time).toISOString();
const noise = (x, seed = 0) => (Math.sin(x / 17 + seed) + Math.sin(x / 5.3 + seed * 2) + Math.sin(x / 71)) / 6 + 0.5;

// Values of a route in one second; everything else is summed from these.
function second(name, time) {
  const x = time / 1000;
  const base = name === 'archive' ? 900 + 500 * noise(x) : name === 'index' ? 40 + 25 * noise(x, 3) : 4 + 3 * noise(x, 7);
  const faulty = name === 'archive' && time > faultAt;
  const s = { received: base, duplicates: base * 0.003, returned: 0, dead: 0, retries: 0, p50: 0.0021 + 0.001 * noise(x, 1), inFlight: 3 + 5 * noise(x), age: 0.02, breaker: 0, done: 0 };
  s.p99 = s.p50 * (4 + 3 * noise(x, 2));
  if (faulty && is('dead-sink')) Object.assign(s, { received: 0, inFlight: 64, age: (time - faultAt) / 1000, breaker: Math.floor(x) % 6 === 0 ? 1 : 2, p50: null, p99: null, duplicates: 0, retries: 0.2 });
  if (faulty && (is('poison') || is('markup'))) s.dead = base * 0.2;
  if (faulty && is('slow-sink')) Object.assign(s, { received: 45, inFlight: 64, p50: 1.2, p99: 2.3 + noise(x), age: 1.4, retries: 3 });
  if (name === 'archive' && is('stuck') && faulty) s.age = (time - faultAt) / 1000 + 90;
  if (is('empty')) Object.assign(s, { received: 0, duplicates: 0, inFlight: 0, p50: null, p99: null });
  s.done = Math.max(0, s.received - s.dead);
  return s;
}

const routes = {
  archive: { sources: is('markup') ? [`Http${markup}`] : ['Http', 'Sqs'], handler: is('markup') ? markup : 'Archive', sink: 'S3', results: 's3://quayside-archive/', form: 'Fused', slots: 64, calls: ['S3 PutObject', 'SQS ReceiveMessage', 'SQS DeleteMessageBatch'] },
  index: { sources: ['Sqs'], handler: 'CloudFrontLogs', sink: 'Elasticsearch', results: 'http://127.0.0.1:9200/logs', form: 'Wired', slots: 16, calls: ['SQS ReceiveMessage'] },
  orders: { sources: ['TcpLines'], handler: 'Orders', sink: null, results: null, form: 'Fused', slots: 8, calls: [] },
};
const totals = {};
const cpu = { cpuSeconds: 12.3, allocatedBytes: 4e8, gcPauseSeconds: 0.2 };
const buckets = [];         // one of each step

function play(time, seconds) {
  const bucket = { time, runtime: {}, routes: {} };
  let all = 0;
  for (const name of Object.keys(routes)) {
    const s = second(name, time);
    all += s.received * seconds;
    const t = totals[name] ??= { received: 0, done: 0, duplicates: 0, returned: 0, deadLetters: 0, retries: 0 };
    const add = { received: s.received, done: s.done, duplicates: s.duplicates, returned: s.returned, deadLetters: s.dead, retries: s.retries };
    for (const key in add) t[key] += add[key] * seconds;
    bucket.routes[name] = { ...Object.fromEntries(Object.entries(add).map(([k, v]) => [k, v * seconds])), inFlight: Math.round(s.inFlight), oldestAgeSeconds: s.age, breaker: s.breaker, p50: s.p50, p99: s.p99 };
  }
  const used = { cpuSeconds: all * 36e-6 + 0.01 * seconds, allocatedBytes: all * 3500, gcPauseSeconds: all * 1.1e-6 };
  for (const key in used) cpu[key] += used[key];
  bucket.runtime = used;
  return bucket;
}

for (let time = Math.floor(begun / 5000) * 5000; time <= Date.now() - 5000; time += 5000) buckets.push(play(time + 5000, step));
let partial = [];
let ended = false;
setInterval(() => {
  if (ended) return;
  partial.push(play(Date.now(), 1));
  if (partial.length < step) return;
  const join = key => (a, b) => Object.fromEntries(Object.keys(a).map(k => [k, ['inFlight', 'oldestAgeSeconds', 'breaker', 'p50', 'p99'].includes(k) ? b[k] : a[k] + b[k]]));
  buckets.push(partial.reduce((a, b) => ({ time: b.time, runtime: join()(a.runtime, b.runtime), routes: Object.fromEntries(Object.keys(routes).map(n => [n, join()(a.routes[n], b.routes[n])])) })));
  partial = [];
}, 1000);

// As src/Messaging.Http/Web/Api/WorkerProblems.cs finds them; one of each scenario.
function problems() {
  const archive = (kind, tone, title, effect, action, how, docs, event) => ({ kind, tone, route: 'archive', title: `Route archive: ${title} since ${iso(faultAt).slice(11, 19)}`, since: iso(faultAt), details: [], effect, action, how, docs: `docs/guides/alerts.md#${docs}`, event, docsLink: null, eventLink: null, letters: null });
  const reason = is('markup') ? `bad-${markup}` : 'malformed-json';
  return [
    is('dead-sink') && archive('breaker', 'bad', 'the sink S3 has been failing', '64 messages are held until it works again, the oldest for 2 min.', 'Do what the last failure says, or repair s3://quayside-archive/, its credentials or the network.', 'Sinks:S3; worker probe archive', 'workerbreakeropen', 2001),
    is('stuck') && archive('stuck', 'bad', 'a message has been stuck', 'It keeps its slot.', 'Restart the worker to free its slot; unsettled messages are redelivered.', 'Intake:MessageTimeout is what it ignored', 'workerstuck', 5003),
    is('slow-sink') && archive('slow', 'warn', 'the sink S3 has been slow', '64 messages are in flight, of 64.', 'Look at the load of the sink and at the network.', 'Sinks:S3, Intake:Concurrency', 'workeroldestmessage', 1232),
    is('refused') && archive('refused', 'warn', '2,385 HTTP requests were refused in the last 15 minutes,', 'In the last minute: 2,385 callers (40/s).', 'Send smaller messages.', 'Sources:Http', 'workercallersrefused', 1215),
    letters.length > 0 && { ...archive('dead-letters', 'warn', '', 'They are not processed until they are redriven; none is lost.', 'Look at one of each reason. Fix the cause and redrive them; where the message itself is wrong, redrive an edited copy. Discard those that are not needed.', `worker dead-letters redrive --reason ${reason} --dry-run`, 'workerdeadletters', 5001), route: null, title: `${letters.length} dead letters wait`, details: [`By reason: ${reason}.`], letters: '' },
  ].filter(Boolean);
}

function stats() {
  const now = Date.now();
  return {
    version: '1.4.0', process: process.pid, machine: is('markup') ? markup : hostname(), startedAt: iso(begun), time: iso(now), stopping: ended, canChange: !is('empty'), logLevels: [], problems: problems(),
    waitingDeadLetters: is('unknown') ? null : letters.length === 0 ? { count: 0, isMore: false, oldestAt: null, newestAt: null, byReason: {} } : {
      count: letters.length, isMore: false, oldestAt: is('old') ? iso(now - 3 * 86400000 - 7200000) : letters.at(-1).lastSeen, newestAt: letters[0].lastSeen,
      byReason: letters.reduce((all, { reason }) => ({ ...all, [reason]: (all[reason] ?? 0) + 1 }), {}),
    },
    http: {
      answers: [{ route: 'archive', status: 200, reason: 'stored', refusal: false, count: 1000 }, ...is('refused') ? [
        { route: 'archive', status: 503, reason: 'paused', refusal: true, count: 2382 }, { route: 'archive', status: 413, reason: 'too-large', refusal: true, count: 3 }, { route: null, status: 404, reason: is('markup') ? markup : 'unknown-path', refusal: true, count: 7 }] : []],
      connectionsClosed: {},
    },
    runtime: { cores: 2, ...cpu, heapBytes: 41_234_567, collections: [412, 37, 3], threads: 14 },
    routes: Object.entries(routes).map(([name, r]) => {
      const s = second(name, now);
      const t = Object.fromEntries(Object.entries(totals[name]).map(([k, v]) => [k, Math.round(v)]));
      const open = s.breaker > 0;
      const archive = name === 'archive';
      const deadByReason = t.deadLetters ? is('markup') ? { [`bad-${markup}`]: t.deadLetters } : { 'malformed-json': t.deadLetters - Math.floor(t.deadLetters / 9), 'missing-id': Math.floor(t.deadLetters / 9) } : {};
      return {
        name, sources: r.sources, handler: r.handler, sink: r.sink, results: r.results, form: r.form,
        ready: !open, receiving: !open && !ended, stuck: archive && is('stuck') && s.age > 90, problem: is('markup') && archive ? `The source ${markup} cannot be reached: connection refused` : null, pause: null, warnings: [],
        breaker: { state: ['closed', 'half-open', 'open'][s.breaker], lastFailure: open ? 'PUT https://quayside-archive.s3.eu-central-1.amazonaws.com: 503 Service Unavailable (SlowDown: Please reduce your request rate.)' : null, since: iso(open ? faultAt : begun), nextProbeSeconds: s.breaker === 2 ? 6 - (now / 1000) % 6 : null, awaitsMessage: false },
        slots: r.slots, limit: r.slots, inFlight: Math.round(s.inFlight), held: open ? 64 : 0, bytesInFlight: Math.round(s.inFlight) * 1024, oldestAgeSeconds: s.age,
        ...t, retries: t.retries && archive ? { 503: t.retries } : {}, lost: 0, dropped: {}, droppedAdvice: null, timeouts: 0, lastDeadLetterAt: t.deadLetters ? iso(now - 3000) : null, deadLettersByReason: deadByReason,
        process: s.p50 === null ? null : { p50: s.p50, p99: s.p99 }, store: s.p50 === null || !r.sink ? null : { p50: s.p50 * 0.9, p99: s.p99 * 0.9 },
        calls: Object.fromEntries(r.calls.map((call, i) => [call, Math.round(t.received / [1, 8, 9][i])])), costUsd: r.calls.length ? t.received * 5.1e-6 : 0,
      };
    }),
  };
}

function history() {
  const shown = buckets.slice(-180);
  const names = Object.keys(shown[0].routes.archive);
  return {
    stepSeconds: step, end: iso(shown.at(-1).time), storage: { folder: null, problem: null },
    runtime: Object.fromEntries(Object.keys(shown[0].runtime).map(key => [key, shown.map(b => b.runtime[key])])),
    refused: shown.map(() => 0),
    routes: Object.fromEntries(Object.keys(routes).map(name => [name, { ...Object.fromEntries(names.map(key => [key, shown.map(b => b.routes[name][key])])), storeP50: shown.map(b => b.routes[name].p50 * 0.9), storeP99: shown.map(b => b.routes[name].p99 * 0.9), refused: shown.map((_, i) => (is('refused') && name === 'archive' && i > shown.length - 4 ? 795 : 0)) }])),
  };
}

let letters = is('empty') || is('refused') || is('healthy') || is('dead-sink') || is('slow-sink') ? [] : Array.from({ length: 137 }, (_, i) => {
  const bad = is('markup');
  const reason = bad ? `bad-${markup}` : i % 9 ? 'malformed-json' : 'missing-id';
  const time = Date.now() - 3000 - i * 900;
  return {
    name: `${reason}/${iso(time).slice(0, 10)}/${i}`, id: bad ? `${markup}-${i}` : `order-${48211 - i}`, route: 'archive', source: 'http', reason,
    description: bad ? `<script>alert(1)</script> ${markup}` : reason === 'missing-id' ? 'The message has no MessageId.' : `Byte ${112 + i % 7}: expected ',' or '}' but found 'x'.`,
    attempts: 1, firstSeen: iso(time), lastSeen: iso(time), isPart: false, bodyBytes: 168,
  };
});
const bodyOf = letter => Buffer.from(is('markup') ? `{"a":"${markup}<script>alert(1)</script>"}` : `{"EventDateUtc":"2026-11-22T22:04:10Z","Product":"My Product","SiteKey":"site","EventName":"order","MessageId":"${letter.id}" x "amount":12.50}\n\0\xff`, 'latin1');

let redrive = { state: 'idle', total: 0, sent: 0, left: 0, rate: null, startedAt: null, problem: null, action: 'redrive', dryRun: false, found: 0, results: [], failures: [], notes: [], sentToQueue: 0, queue: null, listing: null };
let queue = [];
setInterval(() => {
  if (redrive.state !== 'running') return;
  for (const letter of queue.splice(0, redrive.rate)) {
    if (letter.id.endsWith('7')) redrive.failures = [...redrive.failures, { name: letter.name, error: 'The worker refused the message again: 422 malformed-json' }].slice(0, 20);
    else {
      letters = letters.filter(one => one !== letter);
      redrive.sent++;
    }
  }
  redrive.left = redrive.total - redrive.sent;
  if (queue.length === 0) redrive.state = 'done';
}, 1000);

const settings = [
  ['Routes:archive:Source', 'Http,Sqs'], ['Routes:archive:Sink', 'S3'], ['Sinks:S3:Bucket', 'quayside-archive'], ['Sinks:S3:SecretKey', '***'], ['Hosting:Url', 'http://127.0.0.1:8080/', true],
  ['Hosting:Token', '***'], ['Intake:Concurrency', '64', true], ['Recoverability:BreakerFailures', '20', true], ['Recoverability:BreakerOpen', '5s', true], ['Sinks:S3:Prefix', is('markup') ? markup : 'archive/{Product}/a-rather-long-prefix-that-must-wrap/{SiteKey}'],
].map(([key, value, isDefault = false]) => ({ key, value, isDefault }));

const watchers = new Set();
export function end() {
  ended = true;
  for (const response of watchers) response.end(`event: stats\ndata: ${JSON.stringify(stats())}\n\nevent: end\ndata: {"reason":"stopping"}\n\n`);
  server.close();
  server.closeAllConnections?.();
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const json = (value, status = 200) => { response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }); response.end(JSON.stringify(value)); };
  const fail = (status, error, message) => json({ error, message }, status);
  if (!url.pathname.startsWith('/api/')) {
    const file = url.pathname === '/' ? 'index.html' : url.pathname.slice(1);
    const body = /^[a-z]+\.(html|css|js|svg)$/.test(file) ? await readFile(content + file).catch(() => null) : null;
    response.writeHead(body ? 200 : 404, { 'Content-Type': types[file.split('.').pop()] ?? 'text/plain', 'Content-Security-Policy': "default-src 'self'", 'X-Content-Type-Options': 'nosniff' });
    response.end(body ?? 'not found');
    return;
  }
  const path = url.pathname.slice('/api/v1/'.length);
  const given = request.headers.authorization;
  if (is('token') || request.method !== 'GET') {
    if (is('empty')) return fail(403, 'token-not-set', 'Set Hosting:Token to change something.');
    if (!given) return fail(401, 'token-required', 'Send the token of Hosting:Token.');
    if (given !== `Bearer ${secret}`) return fail(401, 'token-wrong', 'The token is not the one of Hosting:Token.');
  }
  const letter = () => letters.find(one => one.name === url.searchParams.get('name'));
  if (path === 'stats') json(stats());
  else if (path === 'history') json({ ...history(), ...url.searchParams.get('range') === '24h' && { stepSeconds: 480 } });
  else if (path === 'config') json({ settings });
  else if (path === 'changes') json({
    changes: [[30, 'pause route archive: the store is moved', 'done'], [90, 'resume route archives', 'refused (404)'], [200, 'redrive dead letters, reason malformed-json', 'started']].map(([ago, what, result]) => ({ time: iso(Date.now() - ago * 1000), from: '10.0.3.7', what: is('markup') ? markup : what, result })),
    denied: [{ first: iso(faultAt), last: iso(Date.now() - 60000), from: '10.0.9.200', what: 'POST /api/v1/routes/pause', reason: 'token-wrong', count: 12 }],
  });
  else if (path === 'events') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const write = () => response.write(`event: stats\ndata: ${JSON.stringify(stats())}\n\n`);
    watchers.add(response);
    write();
    const timer = setInterval(write, 1000);
    response.on('close', () => { clearInterval(timer); watchers.delete(response); });
  } else if (path === 'dead-letters') {
    const q = Object.fromEntries(url.searchParams);
    const matching = letters.filter(one => (!q.reason || one.reason === q.reason) && (!q.day || one.lastSeen.startsWith(q.day)) && (!q.search || `${one.id} ${one.description} ${bodyOf(one)}`.toLowerCase().includes(q.search.toLowerCase())));
    const from = q.after ? matching.findIndex(one => one.name === q.after) + 1 : 0;
    const page = matching.slice(from, from + Number(q.limit));
    const reasons = Object.entries(Object.groupBy?.(letters, one => one.reason) ?? letters.reduce((a, one) => ({ ...a, [one.reason]: [...(a[one.reason] ?? []), one] }), {})).map(([reason, list]) => ({ reason, count: list.length }));
    json({ folder: 'dead-letters', available: true, problem: null, reasons, letters: page, next: from + page.length < matching.length ? page.at(-1).name : null, truncated: false, matching: matching.length, unread: 0, discardedDays: 30,
      groups: reasons.map(({ reason, count }) => ({ reason, exceptionType: null, route: 'archive', count, first: letters.at(-1)?.lastSeen, last: letters[0]?.lastSeen })) });
  } else if (path === 'dead-letters/letter') letter() ? json({ ...letter(), exceptionType: null, group: is('markup') ? markup : 'g-7', deduplicationId: 'd-1', attributes: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tenant: is('markup') ? markup : 'acme' } }) : fail(404, 'not-found', 'There is no such dead letter.');
  else if (path === 'dead-letters/body') { response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'X-Body-Bytes': bodyOf(letter()).length }); response.end(bodyOf(letter())); }
  else if (path === 'redrive' && request.method === 'POST') {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    if (redrive.state === 'running') return fail(409, 'redrive-running', 'A redrive is running already.');
    queue = letters.filter(one => body.names ? body.names.includes(one.name) : !body.reason || one.reason === body.reason).slice(0, body.max ?? undefined);
    redrive = { state: 'running', total: queue.length, sent: 0, left: queue.length, rate: body.rate, startedAt: iso(Date.now()), problem: null, action: 'redrive', dryRun: false, found: queue.length, results: [], failures: [], notes: [], sentToQueue: 0, queue: null, listing: null };
    json(redrive, 202);
  } else if (path === 'redrive') {
    if (request.method === 'DELETE') Object.assign(redrive, { state: 'done', problem: 'It was stopped.' });
    json(redrive);
  } else fail(404, 'not-found', 'There is no such address.');
});
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/ plays ${scenario}; the token is ${secret}`));
process.on('SIGTERM', end);
if (is('stopped')) setTimeout(end, 6000);
