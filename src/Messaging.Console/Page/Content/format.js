// One format per unit: 44 ms, 1.2 s, 12.3 MB, 1,234/s. A missing value is a dash.

const none = '–';
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
export const isNumber = Number.isFinite;

/** Two digits at least: 1.2, 12, 1,234. */
const short = value => value >= 9.95 ? grouped.format(value) : String(Number(value.toFixed(1)));
const known = format => value => isNumber(value) ? format(value) : none;

export const count = known(value => grouped.format(value));
export const rate = known(value => value > 0 && value < 0.05 ? '<0.1/s' : `${short(value)}/s`);

/** A measured time, given in seconds. */
export const seconds = known(value => {
  if (value < 0.00095) return `${short(value * 1e6)} µs`;
  if (value < 0.9995) return `${short(value * 1000)} ms`;
  return value < 60 ? `${value.toFixed(1)} s` : span(value);
});

/** A length of time, given in seconds: 35 s, 2 min, 3 h 5 min, 2 d 4 h. */
export const span = known(value => {
  const pair = (large, unit, small, smallUnit) => `${Math.floor(value / large)} ${unit} ${Math.floor(value % large / small)} ${smallUnit}`;
  if (value < 60) return `${Math.max(0, Math.floor(value))} s`;
  if (value < 3600) return `${Math.floor(value / 60)} min`;
  return value < 86400 ? pair(3600, 'h', 60, 'min') : pair(86400, 'd', 3600, 'h');
});

export const bytes = known(value => {
  const unit = Math.min(4, Math.max(0, Math.floor(Math.log10(value * 1.0005) / 3)));
  return `${unit === 0 ? Math.round(value) : (value / 1000 ** unit).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][unit]}`;
});


const iso = time => new Date(time).toISOString();
export const clock = time => iso(time).slice(11, 19);
export const moment = time => `${iso(time).slice(0, 10)} ${clock(time)}`;

/** "22:04:10 (2 min)"; with the date unless it was today. */
export const since = (time, now) => `${moment(time).slice(0, 10) === moment(now).slice(0, 10) ? clock(time) : moment(time)} (${span((now - new Date(time)) / 1000)})`;

/** "1 message", "1,234 messages". */
export const many = (number, one, more = `${one}s`) => `${count(number)} ${number === 1 ? one : more}`;

/** "malformed-json (12), wrong-type (3)", the largest first. */
export const counts = byName => Object.entries(byName).sort((a, b) => b[1] - a[1]).map(([name, number]) => `${name} (${count(number)})`).join(', ');

export const sum = numbers => numbers.reduce((all, number) => all + number, 0);
