// Charts of the last 15 minutes, with one cursor for all.

import { make, setAttribute, setText, svg } from './dom.js';
import { clock, isNumber } from './format.js';
import { steps } from './model.js';

const width = 360;
const height = 80;
const unit = width / steps;     // width of a step
const charts = [];
let cursor = null;      // steps before the newest

function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 5, 7.5, 10].find(factor => factor * power >= value * 0.999) * power;
}

/**
 * `series`: { name, tone, bars }[]; `least`: the lowest upper end of the scale. Returns { root, update }, and `update`
 * takes { range: the history, for its times; values: one array per series, oldest first; limit: a dashed line; bands: steps to mark }.
 */
export function createChart({ id, title, format, series, least }) {
  const path = (name, tone = null) => svg('path', { class: name, 'data-tone': tone });
  const [bands, grid, limit, startLine, cursorLine] = ['band', 'grid', 'limit', 'started', 'cursor'].map(name => path(name));
  const paths = series.map(one => path(one.bars ? 'bars' : 'line', one.tone));
  const plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', tabindex: 0, 'aria-label': title }, bands, grid, limit, ...paths, startLine, cursorLine);
  const readings = series.map(() => make('b'));
  const keys = series.map((one, i) => make('span', { 'data-tone': one.tone }, ...series.length > 1 ? [make('i'), `${one.name} `] : [], readings[i]));
  const time = make('span', { class: 'quiet' });
  const ticks = [0, 1, 2].map(() => make('span'));
  const root = make('figure', { 'data-chart': id },
    make('figcaption', {}, make('strong', { text: title }), time), make('p', { class: 'legend' }, ...keys),
    make('div', { class: 'plot' }, plot), make('div', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks));
  let data;
  let scale;

  function read() {
    if (!data) return;
    series.forEach((_, i) => setText(readings[i], format(data.values[i].at(-1 - (cursor ?? 0)))));
    setText(time, cursor === null ? scale : clock(data.range.end - cursor * data.range.stepSeconds * 1000));
    setAttribute(cursorLine, 'd', cursor === null ? '' : `M${width - unit * (cursor + 0.5)} 0V${height}`);
  }

  function update(next) {
    data = next;
    const { values, range: { begin, end, started } } = data;
    const ceiling = niceCeiling(Math.max(least, data.limit ?? 0, ...values.flat()));
    scale = `0 to ${format(ceiling)}`;
    const x = index => width - unit * (values[0].length - index);
    const y = value => Math.round((height - value / ceiling * (height - 2)) * 10) / 10;
    const line = (value, i, all) => isNumber(value) ? `${isNumber(all[i - 1]) ? 'L' : 'M'}${x(i) + unit / 2} ${y(value)}h.1` : '';
    const bar = (value, i) => value > 0 ? `M${x(i)} ${height}V${Math.min(y(value), height - 2)}h${unit}V${height}z` : '';
    values.forEach((points, i) => setAttribute(paths[i], 'd', points.map(series[i].bars ? bar : line).join('')));
    setAttribute(bands, 'd', (data.bands ?? []).map((on, i) => on ? `M${x(i)} 0h${unit}v${height}h-${unit}z` : '').join(''));
    setAttribute(limit, 'd', data.limit ? `M0 ${y(data.limit)}H${width}` : '');

    setAttribute(startLine, 'd', started > begin ? `M${(started - begin) / (end - begin) * width} 0V${height}` : '');

    // Lines at round times, to compare charts with logs.
    const length = end - begin;
    const tickEvery = length / 3;
    let lines = `M0 ${y(ceiling / 2)}H${width}M0 ${y(ceiling)}H${width}`;
    ticks.forEach((tick, i) => {
      const at = (Math.floor(begin / tickEvery) + 1 + i) * tickEvery;
      const share = (at - begin) / length;
      lines += `M${share * width} 0V${height}`;
      tick.style.left = `${share * 100}%`;
      setText(tick, clock(at).slice(0, 5));
    });
    setAttribute(grid, 'd', lines);
    const description = series.map((one, i) => `${one.name} now ${format(values[i].at(-1))}, highest ${format(Math.max(...values[i]))}`);
    setAttribute(plot, 'aria-label', `${title}, last 15 minutes: ${description.join('; ')}`);
    read();
  }

  function move(to) {
    cursor = to === null ? null : Math.max(0, Math.min(179, to));
    for (const chart of charts) chart.read();
  }

  plot.addEventListener('pointermove', event => {
    const box = plot.getBoundingClientRect();
    move(Math.floor((box.right - event.clientX) / box.width * steps));
  });
  plot.addEventListener('pointerleave', () => move(null));
  plot.addEventListener('blur', () => move(null));
  plot.addEventListener('keydown', event => {
    const by = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    move((cursor ?? 0) + by);
  });
  charts.push({ read });
  return { root, update };
}
