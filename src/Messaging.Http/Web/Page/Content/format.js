// One spelling for each unit: 44 ms, 1.2 s, 12.3 MB, 1,234/s. Missing values are a dash.

const none = '–';
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const isNumber = value => typeof value === 'number' && Number.isFinite(value);

/** Three significant digits below 100, whole numbers above. */
function short(value) {
  const size = Math.abs(value);
  if (size >= 99.95) return grouped.format(value);
  return String(Number(value.toFixed(size >= 9.995 ? 1 : 2)));
}

export const count = value => isNumber(value) ? grouped.format(value) : none;

export function rate(value) {
  if (!isNumber(value)) return none;
  if (value > 0 && value < 0.05) return '<0.1/s';
  return `${value >= 9.95 ? grouped.format(value) : Number(value.toFixed(1))}/s`;
}

/** A measured time, given in seconds. */
export function seconds(value) {
  if (!isNumber(value)) return none;
  if (value === 0) return '0 ms';
  if (value < 0.0009995) return `${short(value * 1e6)} µs`;
  if (value < 0.9995) return `${value < 0.00995 ? Number((value * 1000).toFixed(1)) : Math.round(value * 1000)} ms`;
  if (value < 59.95) return `${Number(value.toFixed(1))} s`;
  return span(value);
}

/** A length of time for people, given in seconds: 35 s, 2 min, 3 h 5 min, 2 d 4 h. */
export function span(value) {
  if (!isNumber(value)) return none;
  const whole = Math.max(0, Math.floor(value));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  const pair = (large, unit, small, smallUnit) => small ? `${large} ${unit} ${small} ${smallUnit}` : `${large} ${unit}`;
  if (whole < 86400) return pair(Math.floor(whole / 3600), 'h', Math.floor(whole % 3600 / 60), 'min');
  return pair(Math.floor(whole / 86400), 'd', Math.floor(whole % 86400 / 3600), 'h');
}

export function bytes(value) {
  if (!isNumber(value)) return none;
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

export function dollars(value) {
  if (!isNumber(value)) return none;
  if (value === 0) return '$0';
  if (value < 0.01) return `$${Number(value.toPrecision(2))}`;
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export const percent = value => isNumber(value) ? `${short(value * 100)}%` : none;

const iso = time => new Date(time).toISOString();
const isTime = time => time !== null && time !== undefined && !Number.isNaN(new Date(time).getTime());

export const clock = time => isTime(time) ? iso(time).slice(11, 19) : none;
export const minute = time => isTime(time) ? iso(time).slice(11, 16) : none;
export const moment = time => isTime(time) ? `${iso(time).slice(0, 10)} ${iso(time).slice(11, 19)}` : none;

/** "22:04:10 (2 min)"; with the date where it was not today. */
export function since(time, now) {
  const day = iso(time).slice(0, 10) === iso(now).slice(0, 10) ? clock(time) : moment(time);
  return `${day} (${span((now - time) / 1000)})`;
}

/** "1 message", "1,234 messages". */
export const many = (number, one, more = `${one}s`) => `${count(number)} ${number === 1 ? one : more}`;

export const counts = byName => Object.entries(byName).sort((a, b) => b[1] - a[1]).map(([name, number]) => `${name} ${count(number)}`).join(', ');
