// The routes: a graph from the sources to the sink, charts, and tables.

import { byId, make, setAttribute, setText, sync } from './dom.js';
import { createChart } from './charts.js';
import { bytes, clock, count, counts, dollars, rate, seconds, since, span } from './format.js';
import { total } from './model.js';

const doneWord = route => route.sink === null ? 'completed' : 'stored';
const openChartsUpTo = 4;       // with more routes, charts and tables are folded at first

function node(kind, part) {
  const title = make('b');
  const lines = make('div', { class: 'lines' });
  const root = make('div', { class: 'node', 'data-part': part }, make('span', { class: 'kind', text: kind }), title, lines);
  return { root, title, lines };
}

function arrow(part) {
  const value = make('b');
  const label = make('span');
  return { root: make('div', { class: 'arrow', 'data-part': part }, value, make('i', { 'aria-hidden': 'true' }), label), value, label };
}

const setLines = (element, lines) => sync(element, lines.filter(line => line), line => line[0], () => make('span'), (span, [, text]) => setText(span, text));

function table(title, part, head) {
  const body = make('tbody');
  const root = make('table', { class: 'facts-table', 'data-part': part },
    make('caption', { text: title }),
    head ? make('thead', {}, make('tr', {}, ...head.map((text, i) => make(i ? 'th' : 'td', i ? { text, scope: 'col', class: 'number' } : {})))) : null,
    body);
  const update = rows => sync(body, rows.filter(row => row), row => row[0],
    row => make('tr', { 'data-value': row[0] }, make('th', { scope: 'row', text: row[0] }), ...row.slice(1).map(() => make('td', { class: 'number' }))),
    (element, row) => row.slice(1).forEach((text, i) => setText(element.children[i + 1], text)));
  return { root, update };
}

function createRoute(first, open) {
  const name = make('h3', { text: first.name });
  const state = make('span', { class: 'state' });
  const form = make('span', { class: 'quiet' });
  const source = node(first.sources.length > 1 ? 'Sources' : 'Source', 'source');
  const received = arrow('received');
  const handler = node('Handler', 'handler');
  const meter = make('i');
  handler.title.after(make('div', { class: 'meter', 'aria-hidden': 'true' }, meter));
  const stored = arrow('stored');
  const sink = node('Sink', 'sink');
  const dead = make('p', { class: 'branch', 'data-part': 'dead-letters' });
  const returned = make('p', { class: 'branch', 'data-part': 'returned' });
  const hasSink = first.sink !== null;
  const graph = make('div', { class: 'graph' }, source.root, received.root, handler.root,
    ...(hasSink ? [stored.root, sink.root] : [stored.root]), make('div', { class: 'branches' }, dead, returned));

  const chart = (id, title, options) => createChart({ id: `${first.name}/${id}`, title, ...options });
  const charts = {
    rates: chart('rates', 'Messages per second', { format: rate, least: 1, series: [{ name: 'received', tone: 'flow' }, { name: doneWord(first), tone: 'plain' }] }),
    dead: chart('dead-letters', 'Dead letters per second', { format: rate, least: 1, series: [{ name: 'dead letters', tone: 'bad', bars: true }] }),
    times: chart('times', 'Processing time', { format: seconds, least: 0.001, series: [{ name: 'p99', tone: 'flow' }, { name: 'p50', tone: 'plain' }] }),
    inFlight: chart('in-flight', 'In flight', { format: count, series: [{ name: 'in flight', tone: 'flow' }] }),
  };
  const tables = {
    messages: table('Messages', 'messages', ['', 'per second', 'since the start']),
    times: table('Times of the last minute', 'times', ['', 'p50', 'p99']),
    flow: table('Flow', 'flow'),
    calls: table('Billed calls', 'calls'),
  };

  const root = make('article', { class: 'route panel', 'data-route': first.name, 'aria-label': `Route ${first.name}` },
    make('div', { class: 'route-head' }, name, state, form),
    graph,
    make('details', { open },
      make('summary', { text: 'Charts and totals' }),
      make('div', { class: 'charts' }, ...Object.values(charts).map(one => one.root)),
      make('div', { class: 'tables' }, ...Object.values(tables).map(one => one.root))));

  function update(model, route) {
    const now = model.now();
    const per = counter => model.counterRate(route.name, counter);
    const outage = route.breaker.state !== 'closed';
    const [text, tone] = route.stuck ? ['Stuck', 'bad'] : outage ? [`${hasSink ? 'Sink' : 'Handler'} failing`, 'bad'] : route.problem !== null ? ['Problem', 'bad']
      : route.receiving ? ['Receiving', 'good'] : model.stats.stopping ? ['Shutting down', 'warn'] : ['Not receiving', 'bad'];
    setText(state, text);
    setAttribute(state, 'data-tone', tone);
    setText(form, `form ${route.form}`);

    setText(source.title, route.sources.join(', '));
    setLines(source.lines, [route.receiving ? ['r', 'reachable'] : ['r', outage ? 'paused' : 'not receiving']]);
    setArrow(received, per('received'), 'received', route.receiving);
    setText(handler.title, route.handler);
    const used = route.slots > 0 ? Math.min(1, route.inFlight / route.slots) : 0;
    meter.style.width = `${used * 100}%`;
    setAttribute(meter.parentElement, 'data-full', used >= 1 ? 'yes' : null);
    setLines(handler.lines, [
      ['slots', `${count(route.inFlight)} of ${count(route.slots)} slots in use`],
      route.process && ['times', `p50 ${seconds(route.process.p50)}, p99 ${seconds(route.process.p99)}`],
      route.inFlight > 0 && ['age', `oldest ${seconds(route.oldestAgeSeconds)}`],
      route.held > 0 && ['held', `${count(route.held)} held`],
    ]);
    setArrow(stored, per('done'), doneWord(route), !outage);
    if (hasSink) {
      setText(sink.title, route.sink);
      setLines(sink.lines, [
        route.results && ['results', route.results],
        route.store && ['times', `p50 ${seconds(route.store.p50)}, p99 ${seconds(route.store.p99)}`],
        ['breaker', `breaker ${route.breaker.state}${outage ? ` since ${clock(route.breaker.since)}` : ''}`],
        route.limit && ['limit', `${count(route.limit.inFlight)} of ${count(route.limit.limit)} requests${route.limit.waiting > 0 ? `, ${count(route.limit.waiting)} waiting` : ''}`],
      ]);
    }
    setAttribute(hasSink ? sink.root : handler.root, 'data-tone', outage ? 'bad' : null);
    if (hasSink) setAttribute(handler.root, 'data-tone', route.stuck ? 'bad' : null);

    const deadRate = per('deadLetters');
    setText(dead, `Dead letters ${rate(deadRate)}, ${count(route.deadLetters)} since the start${route.deadLetters > 0 ? `: ${counts(route.deadLettersByReason)}` : ''}`);
    setAttribute(dead, 'data-tone', deadRate > 0 ? 'bad' : null);
    setText(returned, `Returned to the source ${rate(per('returned'))}, ${count(route.returned)} since the start`);

    tables.messages.update([
      ['Received', rate(per('received')), count(route.received)],
      [hasSink ? 'Stored' : 'Completed', rate(per('done')), count(route.done)],
      hasSink && ['of these duplicates', rate(per('duplicates')), count(route.duplicates)],
      ['Dead letters', rate(deadRate), count(route.deadLetters)],
      ['Returned', rate(per('returned')), count(route.returned)],
      ['Timed out', rate(model.routeRate(route.name, one => one.timeouts)), count(route.timeouts)],
      ['Lost', rate(model.routeRate(route.name, one => one.lost)), count(route.lost)],
    ]);
    tables.times.update([
      ['Processing', seconds(route.process?.p50), seconds(route.process?.p99)],
      hasSink && ['Store', seconds(route.store?.p50), seconds(route.store?.p99)],
    ]);
    tables.flow.update([
      ['In flight', `${count(route.inFlight)} of ${count(route.slots)}`],
      ['Held', count(route.held)],
      ['Bytes in flight', bytes(route.bytesInFlight)],
      ['Oldest message', route.inFlight > 0 ? seconds(route.oldestAgeSeconds) : '–'],
      ['Breaker', `${route.breaker.state} since ${since(Date.parse(route.breaker.since), now)}`],
      outage && route.breaker.nextProbeSeconds !== null && ['Next probe', `in ${span(Math.ceil(route.breaker.nextProbeSeconds))}`],
      hasSink && ['Retries by status', total(route.retries) > 0 ? counts(route.retries) : '0'],
      hasSink && ['Request limit', route.limit ? `${count(route.limit.inFlight)} of ${count(route.limit.limit)}, ${count(route.limit.waiting)} waiting` : 'none'],
    ]);
    const calls = Object.entries(route.calls);
    tables.calls.update([
      ...calls.map(([call, number]) => [call, count(number)]),
      calls.length === 0 && ['Nothing is billed', ''],
      calls.length > 0 && ['Estimated cost', dollars(route.costUsd)],
      calls.length > 0 && ['per million messages', route.done > 0 ? dollars(route.costUsd / route.done * 1e6) : '–'],
    ]);
  }

  function updateCharts(model) {
    const data = model.series(route().name);
    if (data === null) return;
    const { end, stepSeconds } = model.history;
    const perSecond = values => values.map(value => value / stepSeconds);
    const shared = { end, stepSeconds, bands: data.breaker.map(value => value > 0) };
    charts.rates.update({ ...shared, values: [perSecond(data.received), perSecond(data.done)] });
    charts.dead.update({ ...shared, values: [perSecond(data.deadLetters)] });
    charts.times.update({ ...shared, values: [data.p99, data.p50] });
    charts.inFlight.update({ ...shared, values: [data.inFlight], limit: model.route(model.stats, first.name)?.slots });
  }
  const route = () => first;

  return Object.assign(root, { update, updateCharts });
}

function setArrow(arrow, value, label, flows) {
  setText(arrow.value, rate(value));
  setText(arrow.label, flows ? label : `${label}, paused`);
  setAttribute(arrow.root, 'data-flow', !flows ? 'paused' : value > 0 ? 'yes' : 'no');
}

export function updateRoutes(model) {
  const { routes } = model.stats;
  sync(byId('route-list'), routes, route => route.name,
    route => createRoute(route, routes.length <= openChartsUpTo),
    (element, route) => element.update(model, route));
}

export function updateRouteCharts(model) {
  for (const element of byId('route-list').children) element.updateCharts(model);
}
