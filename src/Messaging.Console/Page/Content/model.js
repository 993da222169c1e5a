// The data of the page: values, rates, and its history.

import { many } from './format.js';

/** The window of rates. */
export const rateSeconds = 10;

/** Steps of a chart. */
export const steps = 180;

/** A route's messages since the start; those lost are without the input that its sources dropped. */
export function countsOf({ measured }, route) {
  return route && { ...route.totals, lost: route.totals.lost - route.totals.dropped, timeouts: measured[route.name].timeouts };
}

/** All problems with their routes, failures first; the route is null for the worker's own. */
export function problemsOf({ problems, routes }) {
  return [...problems.map(one => ({ ...one, route: null })), ...routes.flatMap(route => route.problems.map(one => ({ ...one, route: route.name })))]
    .sort((a, b) => (b.severity === 'failure') - (a.severity === 'failure'));
}

/** Tells the problems apart: a source's failure and its warning have the same event and setting. */
export const keyOf = ({ route, event, severity, setting }) => [route, event, severity, setting].join('/');

/** The headline, its tone, and the sentence below it. Without a problem a route may still receive nothing, such as before its start. */
export function summaryOf(stats) {
  const { routes, stopping, waitingDeadLetters } = stats;
  const found = problemsOf(stats);
  const failures = found.filter(({ severity }) => severity === 'failure').length;
  const warnings = found.length - failures;
  const idle = routes.filter(({ isReceiving }) => !isReceiving);
  const wrong = [failures > 0 && many(failures, 'failure'), warnings > 0 && many(warnings, 'warning'), !found.length && !stopping && idle.length > 0 && 'Not receiving'].filter(Boolean).join(', ');
  const where = [...new Set(found.length ? found.map(({ route }) => route).filter(Boolean) : idle.map(({ name }) => name))].join(', ');
  const receiving = many(routes.length - idle.length, 'route receives', 'routes receive');
  return {
    failures,
    title: wrong && where ? `${wrong}: ${where}` : wrong || (stopping ? 'Shutting down' : 'Nothing is wrong'),
    tone: failures > 0 ? 'bad' : wrong ? 'warn' : 'good',
    text: found.length || stopping ? '' : `${receiving}${waitingDeadLetters === null ? '' : '; no dead letter waits in the folder'}.`,
  };
}

export class Model {
  stats = null;
  isLive = false;
  history = null;
  #samples = [];
  #receivedAt = 0;

  /** Stores new values; true when they come from another process than before. */
  accept(stats) {
    const restarted = this.stats !== null && this.stats.startedAt !== stats.startedAt;
    if (restarted) {
      this.#samples = [];
      this.history = null;
    }
    this.stats = stats;
    this.#receivedAt = performance.now();
    this.#samples.push(stats);
    while (this.#samples.length > 2 && Date.parse(stats.time) - Date.parse(this.#samples[0].time) > rateSeconds * 1000) this.#samples.shift();
    return restarted;
  }

  acceptHistory(history) {
    const end = Date.parse(history.end);
    this.history = { ...history, end, begin: end - steps * history.stepSeconds * 1000, started: Date.parse(this.stats.startedAt) };
  }

  /** The worker's clock: the time of its last values, plus the time since. */
  now() {
    return this.stats === null ? Date.now() : Date.parse(this.stats.time) + performance.now() - this.#receivedAt;
  }

  /** Increase per second of a route's counter; null while it is unknown. */
  rate(name, counter) {
    const value = stats => countsOf(stats, stats.routes.find(route => route.name === name))?.[counter];
    const [from, to] = [this.#samples[0], this.stats];
    const elapsed = (Date.parse(to.time) - Date.parse(from.time)) / 1000;
    return elapsed > 0 ? Math.max(0, (value(to) - value(from)) / elapsed) : null;
  }

  /** HTTP requests of a route that were refused since the start. */
  refusedOf(route) {
    return this.stats.http.answers.reduce((all, answer) => all + (answer.refusal && answer.route === route ? answer.count : 0), 0);
  }
}
