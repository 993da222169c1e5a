// The routes: a graph from the sources to the sink, charts, and totals.

import { byId, lines, make, setAttribute, setText, setTone, sync, syncRows, write } from './dom.js';
import { send } from './api.js';
import { createChart } from './charts.js';
import { countsOf, rateSeconds } from './model.js';
import { bytes, clock, count, counts as byName, rate, seconds, since } from './format.js';

const lately = `last ${rateSeconds} s`;
const times = (what, pair) => pair && `${what} p50 ${seconds(pair.p50)}, p99 ${seconds(pair.p99)} (last minute)`;

function createNode(part, kind, title) {
  const text = make('p');
  return { root: make('div', { class: 'node', 'data-part': part }, make('span', { text: kind }), make('b', { text: title }), text), text };
}

function createArrow(part) {
  const [value, label] = [make('b'), make('span')];
  const root = make('div', { class: 'arrow', 'data-part': part }, value, make('i'), label);
  const update = (perSecond, text, flows, stopped) => {
    setText(value, rate(perSecond));
    setText(label, flows ? text : 'paused');
    setTone(root, !flows ? stopped : perSecond > 0 ? 'flow' : 'plain');
  };
  return { root, update };
}

function createRoute(route) {
  const { name } = route;
  const hasSink = route.sink !== null;
  const done = hasSink ? 'stored' : 'completed';
  const state = make('span', { class: 'state' });
  const source = createNode('source', route.sources.length > 1 ? 'Sources' : 'Source', route.sources.join(', '));
  const handler = createNode('handler', 'Handler', route.handler);
  const sink = createNode('sink', 'Sink', route.sink);
  const slots = make('i');
  const meter = make('div', { class: 'meter' }, slots);
  handler.text.before(meter);
  const received = createArrow('received');
  const stored = createArrow(done);
  const pause = make('button', { click: () => askPause(name, pause.paused) });
  const paused = make('span', { 'data-part': 'paused' });
  const dead = make('p', { class: 'dead', 'data-part': 'dead-letters' });
  const totals = make('table', {}, make('caption', { text: 'Messages' }),
    make('thead', {}, make('tr', {}, make('td'), make('th', { scope: 'col', text: `per second, ${lately}` }), make('th', { scope: 'col', text: 'since the start' }))));
  const calls = make('table', {}, make('caption', { text: 'Calls of services that charge, since the start' }));

  const chart = (id, title, format, least, ...series) => createChart({ id: `${name}/${id}`, title, format, least, series });
  const charts = [
    chart('rates', 'Messages per second', rate, 1, { name: 'received', tone: 'soft', bars: true }, { name: done, tone: 'flow' }),
    chart('dead-letters', 'Dead letters per second', rate, 1, { name: 'dead letters', tone: 'bad', bars: true }),
    chart('times', 'Processing time', seconds, 0.001, { name: 'p99', tone: 'flow' }, { name: 'p50', tone: 'plain' }),
    ...hasSink ? [chart('sink-times', 'Sink time', seconds, 0.001, { name: 'p99', tone: 'flow' }, { name: 'p50', tone: 'plain' })] : [],
    chart('in-flight', 'In flight', count, 1, { name: 'in flight', tone: 'flow' }),
  ];

  const root = make('article', { class: 'panel', id: `route-${name}`, 'data-route': name },
    make('div', { class: 'facts' }, make('h3', { text: name }), state, paused, dead, pause),
    make('div', { class: 'graph' }, source.root, received.root, handler.root, stored.root, ...hasSink ? [sink.root] : []),
    make('details', {},
      make('summary', { text: 'Charts and totals' }),
      make('div', { class: 'columns' }, ...charts.map(one => one.root)),
      make('div', { class: 'columns' }, totals, calls)));

  function update(model, now) {
    const { breaker, limit } = now;
    const measured = model.stats.measured[name];
    const counts = countsOf(model.stats, now);
    const outage = breaker !== 'closed';
    const working = now.isReceiving && !now.isStuck && !outage && now.problem === null;
    const stopping = model.stats.stopping;
    const { isLive } = model;
    pause.paused = Boolean(now.pause);
    pause.hidden = !model.stats.canChange;
    setText(pause, pause.paused ? 'Resume' : 'Pause');
    setAttribute(pause, 'aria-label', `${pause.textContent} route ${name}`);
    setText(state, !isLive ? 'Not known now' : now.isStuck ? 'Stuck' : pause.paused ? 'Paused' : outage ? `${hasSink ? 'Sink' : 'Handler'} failing` : now.problem !== null ? 'Failing' : stopping ? 'Shutting down' : working ? 'Receiving' : 'Not receiving');
    setTone(state, !isLive ? 'plain' : working ? 'good' : stopping || pause.paused && !outage ? 'warn' : 'bad');
    paused.hidden = state.textContent !== 'Paused';
    if (now.pause) setText(paused, `since ${since(now.pause.since, model.now())}, by ${now.pause.by}${now.pause.note ? `: ${now.pause.note}` : ''}`);

    const rateOf = counter => (isLive ? model.rate(name, counter) : null);
    const stopped = pause.paused && !outage ? 'warn' : 'bad';
    received.update(rateOf('received'), `received, ${lately}`, now.isReceiving || !isLive, stopped);
    stored.update(rateOf('stored'), `${done}, ${lately}`, !outage || !isLive, stopped);
    const refused = model.refusedOf(name);
    setText(source.text, lines(`${count(counts.received)} received since the start`, refused > 0 && `${count(refused)} HTTP requests refused since the start`));
    slots.style.width = `${Math.min(100, now.inFlight / limit * 100)}%`;
    setTone(meter, now.inFlight >= limit ? 'warn' : 'flow');
    const breakerText = `breaker ${breaker} since ${clock(now.breakerSince)}`;
    setText(handler.text, lines(
      `${count(now.inFlight)} of ${count(limit)} in flight (at most ${count(now.slots)}), ${count(now.held)} held`,
      `${bytes(now.bytesInFlight)} in flight, oldest message ${seconds(now.oldestAge)}`,
      times('processing', measured.process), !hasSink && breakerText));
    setText(sink.text, lines(
      now.results, !outage && times('store', measured.store), breakerText,
      Object.keys(measured.retries).length > 0 && `retries by status since the start: ${byName(measured.retries)}`));
    setTone(sink.root, outage && 'bad');
    setTone(handler.root, (now.isStuck || outage && !hasSink) && 'bad');

    const deadRate = rateOf('deadLetters');
    setText(dead, `Dead letters: ${rate(deadRate)} (${lately}), ${count(counts.deadLetters)} since the start${counts.deadLetters > 0 ? `: ${byName(measured.deadLettersByReason)}` : ''}`);
    setTone(dead, model.now() - new Date(now.lastDeadLetterAt) < 60000 && 'bad');

    const total = (label, counter) => [label, rate(rateOf(counter)), count(counts[counter])];
    syncRows(totals, [total('Received', 'received'), total(hasSink ? 'Stored' : 'Completed', 'stored'), hasSink && total('Duplicates', 'duplicates'),
      total('Dead letters', 'deadLetters'), total('Returned to the source', 'returned'), total('Timed out', 'timeouts'), total('Lost', 'lost')]);
    const called = Object.entries(now.calls).map(([call, number]) => [call, count(number)]);
    syncRows(calls, called.length > 0 ? called : [['No calls to services', '']]);
  }

  function updateCharts(model, { limit }) {
    const data = model.history?.routes[name];
    if (!data) return;
    const range = model.history;
    const shared = { range, bands: data.breaker.map(value => value > 0) };
    // A count is 0 while the worker did not run; messages in flight are unknown then.
    const perSecond = values => values.map((value, i) => data.inFlight[i] === null ? null : value / range.stepSeconds);
    charts[0].update({ ...shared, values: [perSecond(data.received), perSecond(data.done)] });
    charts[1].update({ ...shared, values: [perSecond(data.deadLetters)] });
    charts[2].update({ ...shared, values: [data.p99, data.p50] });
    if (hasSink) charts[3].update({ ...shared, values: [data.storeP99, data.storeP50] });
    charts.at(-1).update({ ...shared, values: [data.inFlight], limit });
  }

  return Object.assign(root, { update, updateCharts });
}

const change = (what, route, more) => send(`routes/${what}`, { method: 'POST', body: { route, ...more } }).catch(({ answer }) => alert(answer));

/** Pauses after a dialog; resumes immediately. */
function askPause(name, paused) {
  const dialog = byId('pause-dialog');
  if (paused) return change('resume', name);
  write('pause-title', `Pause route ${name}`);
  dialog.returnValue = '';
  dialog.onclose = () => dialog.returnValue && change('pause', name, { note: byId('pause-note').value });
  dialog.showModal();
}

export function updateRoutes(model, withCharts) {
  const { routes, startedAt } = model.stats;
  // Failing routes first; the others keep their order.
  const isFailing = ({ breaker, isStuck, problem, isReceiving, pause }) => isStuck || breaker !== 'closed' || problem !== null || !isReceiving && !pause;
  const ordered = [...routes].sort((a, b) => isFailing(b) - isFailing(a));
  sync(byId('route-list'), ordered, route => `${route.name} ${startedAt}`, createRoute, (element, route) => {
    element.update(model, route);
    if (withCharts) element.updateCharts(model, route);
  });
}
