// What the page knows: the latest values, the last seconds for rates, and 15 minutes in steps of the history.

const rateSeconds = 10;
const steps = 180;
const counters = ['received', 'done', 'duplicates', 'returned', 'deadLetters'];
const sum = numbers => numbers.reduce((total, number) => total + (number ?? 0), 0);
export const total = byName => sum(Object.values(byName ?? {}));

export class Model {
  stats = null;
  history = null;
  #samples = [];          // { at, stats }, the last steps' worth
  #first = null;          // the first values since the page was opened
  #receivedAt = 0;

  /** Takes new values; true when they come from another process than before. */
  accept(stats) {
    const restarted = this.stats !== null && (this.stats.process !== stats.process || this.stats.startedAt !== stats.startedAt);
    if (restarted) {
      this.#samples = [];
      this.#first = null;
      this.history = null;
    }
    this.stats = stats;
    this.#first ??= stats;
    this.#receivedAt = performance.now();
    this.#samples.push({ at: Date.parse(stats.time), stats });
    while (this.#samples.length > 70) this.#samples.shift();
    this.#extendHistory();
    return restarted;
  }

  /** Starts over with the worker's own history: after the first connection, and after each later one. */
  setHistory(history) {
    history.end = Date.parse(history.end);
    this.history = history;
    this.#extendHistory();
  }

  /** The worker's clock, by its last values and the time since. */
  now() {
    return this.stats === null ? Date.now() : Date.parse(this.stats.time) + performance.now() - this.#receivedAt;
  }

  route(stats, name) {
    return stats?.routes.find(route => route.name === name);
  }

  firstOf(name) {
    return this.route(this.#first, name);
  }

  /** Change per second of a value of the statistics over the last seconds; null until it is known. */
  rate(pick) {
    const last = this.#samples.at(-1);
    const from = this.#samples.find(sample => last.at - sample.at <= rateSeconds * 1000);
    if (!from || from === last) return null;
    const before = pick(from.stats);
    return before === undefined ? null : Math.max(0, (pick(last.stats) - before) / ((last.at - from.at) / 1000));
  }

  routeRate(name, pick) {
    return this.rate(stats => {
      const route = this.route(stats, name);
      return route && pick(route);
    }) ?? null;
  }

  /** Rate of a counter that the history has too: known as soon as the history is. */
  counterRate(name, counter) {
    const known = this.routeRate(name, route => route[counter]);
    if (known !== null) return known;
    const values = this.history?.routes[name]?.[counter]?.slice(-2);
    return values?.length ? sum(values) / (values.length * this.history.stepSeconds) : null;
  }

  series(name) {
    return this.history?.routes[name] ?? null;
  }

  /** The time at the end of a step, counted from the oldest. */
  stepEnd(index) {
    const { end, stepSeconds } = this.history;
    return end - (this.history.runtime.cpuSeconds.length - 1 - index) * stepSeconds * 1000;
  }

  #extendHistory() {
    const history = this.history;
    if (history === null || this.#samples.length < 2) return;
    const step = history.stepSeconds * 1000;
    const last = this.#samples.at(-1);
    while (last.at >= history.end + step) {
      const to = this.#samples.findLast(sample => sample.at <= history.end + step) ?? last;
      const from = this.#samples.findLast(sample => sample.at <= history.end && sample !== to) ?? this.#samples[0];
      const share = to.at > from.at ? step / (to.at - from.at) : 0;
      this.#appendStep(history, from.stats, to.stats, share);
      history.end += step;
    }
  }

  #appendStep(history, from, to, share) {
    const length = history.runtime.cpuSeconds.length;
    const push = (series, value) => {
      series.push(value);
      if (series.length > steps) series.shift();
    };
    for (const name of Object.keys(history.runtime)) push(history.runtime[name], Math.max(0, to.runtime[name] - from.runtime[name]) * share);
    for (const route of to.routes) {
      const before = this.route(from, route.name) ?? route;
      const empty = () => new Array(length).fill(0);
      const series = history.routes[route.name] ??= Object.fromEntries([...counters, 'retries', 'inFlight', 'oldestAgeSeconds', 'breaker', 'p50', 'p99'].map(key => [key, empty()]));
      for (const counter of counters) push(series[counter], Math.max(0, route[counter] - before[counter]) * share);
      push(series.retries, Math.max(0, total(route.retries) - total(before.retries)) * share);
      push(series.inFlight, route.inFlight);
      push(series.oldestAgeSeconds, route.oldestAgeSeconds);
      push(series.breaker, ['closed', 'half-open', 'open'].indexOf(route.breaker.state));
      const settled = route.done + route.deadLetters > before.done + before.deadLetters;
      push(series.p50, settled ? route.process?.p50 ?? null : null);
      push(series.p99, settled ? route.process?.p99 ?? null : null);
    }
  }

  /** Sums of the last minute, of the process and of all its routes. */
  lastMinute() {
    if (this.history === null) return null;
    const last = values => sum(values.slice(-Math.round(60 / this.history.stepSeconds)));
    const { cpuSeconds, allocatedBytes, gcPauseSeconds } = this.history.runtime;
    const known = Math.min(60, cpuSeconds.length * this.history.stepSeconds);
    return {
      seconds: known,
      cpuSeconds: last(cpuSeconds),
      allocatedBytes: last(allocatedBytes),
      gcPauseSeconds: last(gcPauseSeconds),
      received: sum(Object.values(this.history.routes).map(series => last(series.received))),
    };
  }
}
