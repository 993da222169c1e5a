// Charts of the last 15 minutes. One cursor, moved with the pointer or the arrow keys, reads all of them at the same moment.

import { make, svg, setText, setAttribute } from './dom.js';
import { clock, minute } from './format.js';

const steps = 180;
const width = 360;
const height = 80;
const charts = new Set();
let cursor = null;      // steps before the newest, or null

function niceCeiling(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find(factor => factor * power >= value * 0.999) * power;
}

/**
 * A chart with one or more series. `options`: { id, title, format, series: [{ name, tone, bars }], least }.
 * `update({ values: [[…], …], end, stepSeconds, limit, bands })`: values oldest first; limit a horizontal line; bands marks steps.
 */
export function createChart({ id, title, format, series, least = 0 }) {
  const plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', tabindex: '0', 'aria-label': title });
  const marks = svg('path', { class: 'band' });
  const grid = svg('path', { class: 'grid' });
  const limitLine = svg('path', { class: 'limit' });
  const paths = series.map(one => svg('path', { class: `${one.bars ? 'bars' : 'line'} ${one.tone}` }));
  const cursorLine = svg('path', { class: 'cursor' });
  plot.append(marks, grid, limitLine, ...paths, cursorLine);

  const time = make('span', { class: 'at' });
  const values = series.map(() => make('b'));
  const legend = make('p', { class: 'legend' }, ...series.map((one, i) => make('span', { class: one.tone }, series.length > 1 ? make('i') : null, series.length > 1 ? `${one.name} ` : '', values[i])), time);
  const top = make('span', { class: 'top' });
  const ticks = [0, 1, 2].map(() => make('span'));
  const root = make('figure', { class: 'chart', 'data-chart': id },
    make('figcaption', { text: title }), legend,
    make('div', { class: 'plot' }, plot, top),
    make('div', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks));

  let data = null;

  function read() {
    if (data === null) return;
    const length = data.values[0].length;
    const index = length - 1 - (cursor ?? 0);
    series.forEach((one, i) => setText(values[i], format(index >= 0 ? data.values[i][index] : null)));
    setText(time, cursor === null ? '' : clock(data.end - cursor * data.stepSeconds * 1000));
    const x = width - (cursor + 0.5) * width / steps;
    setAttribute(cursorLine, 'd', cursor === null ? '' : `M${x} 0V${height}`);
  }

  function update(next) {
    data = next;
    const length = data.values[0].length;
    const largest = Math.max(least, data.limit ?? 0, ...data.values.flat().filter(Number.isFinite));
    const ceiling = niceCeiling(largest);
    const x = index => (steps - length + index) * width / steps;
    const y = value => Math.round((height - value / ceiling * (height - 2)) * 10) / 10;

    data.values.forEach((points, i) => {
      let path = '';
      let open = false;
      points.forEach((value, index) => {
        if (!Number.isFinite(value)) open = false;
        else if (series[i].bars) path += value > 0 ? `M${x(index)} ${height}V${Math.min(y(value), height - 2)}h${width / steps}V${height}z` : '';
        else {
          path += `${open ? 'L' : 'M'}${x(index) + 1} ${y(value)}${open ? '' : 'h.5'}`;
          open = true;
        }
      });
      setAttribute(paths[i], 'd', path);
    });
    setAttribute(marks, 'd', (data.bands ?? []).map((on, index) => on ? `M${x(index)} 0h${width / steps}v${height}h-${width / steps}z` : '').join(''));
    setAttribute(limitLine, 'd', data.limit ? `M0 ${y(data.limit)}H${width}` : '');

    // Vertical lines at full five minutes of the clock, so that charts and logs can be compared.
    const five = 300000;
    const begin = data.end - steps * data.stepSeconds * 1000;
    let lines = `M0 ${y(ceiling / 2)}H${width}M0 1H${width}`;
    const firstTick = Math.ceil((begin + 20000) / five) * five;
    ticks.forEach((tick, i) => {
      const at = firstTick + i * five;
      const share = (at - begin) / (data.end - begin);
      const shown = share <= 1;
      tick.hidden = !shown;
      if (!shown) return;
      lines += `M${share * width} 0V${height}`;
      tick.style.left = `${share * 100}%`;
      tick.className = share < 0.07 ? 'start' : share > 0.93 ? 'end' : '';
      setText(tick, minute(at));
    });
    setAttribute(grid, 'd', lines);
    setText(top, format(ceiling));
    setAttribute(plot, 'aria-label', `${title}, last 15 minutes. ${series.map((one, i) => {
      const known = data.values[i].filter(Number.isFinite);
      return `${one.name}: now ${format(data.values[i].at(-1))}, highest ${format(known.length ? Math.max(...known) : null)}.`;
    }).join(' ')}`);
    read();
  }

  function move(to) {
    cursor = to === null ? null : Math.max(0, Math.min(steps - 1, to));
    charts.forEach(chart => chart.read());
  }
  plot.addEventListener('pointermove', event => {
    const box = plot.getBoundingClientRect();
    move(steps - 1 - Math.floor((event.clientX - box.left) / box.width * steps));
  });
  plot.addEventListener('pointerleave', () => move(null));
  plot.addEventListener('blur', () => move(null));
  plot.addEventListener('keydown', event => {
    const by = { ArrowLeft: 1, ArrowRight: -1, PageUp: 12, PageDown: -12 }[event.key];
    if (by) move((cursor ?? 0) + by);
    else if (event.key === 'Escape') move(null);
    else return;
    event.preventDefault();
  });

  const chart = { root, update, read };
  charts.add(chart);
  return chart;
}
