// What the page and /metrics cost: node tests/page/measure.mjs [SECONDS]. Needs a Release build, npm ci in tests/page and Debian's chromium.
// The machine should be idle: the browser shares its cores. SECONDS (60) is the length of each measurement of processor time.
import { cpus } from 'node:os';
import { cpuSeconds, publish, routes, startBrowser, startWorker } from './worker.mjs';

const seconds = Number(process.argv[2] ?? 60);
const watchers = 5;
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const sleep = time => new Promise(resolve => setTimeout(resolve, time * 1000));

const worker = await startWorker();
const browser = await startBrowser();

/** Processor time of the worker over a measurement, in percent of a core. */
async function share(pages) {
  const contexts = await Promise.all(Array.from({ length: pages }, () => browser.newContext()));
  for (const context of contexts) {
    const page = await context.newPage();
    await page.goto(worker.url);
    await page.waitForSelector('html[data-state=live]');
  }

  await sleep(3);
  const before = cpuSeconds(worker.pid);
  await sleep(seconds);
  const used = cpuSeconds(worker.pid) - before;
  await Promise.all(contexts.map(context => context.close()));
  return 100 * used / seconds;
}

/** Opens the page as a new visitor; the tab is settled, since the browser's own start is not the page's. */
async function visit() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await sleep(1);
  await page.goto(worker.url, { waitUntil: 'load' });
  await sleep(1);
  const seen = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    files: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(entry => !entry.name.includes('/api/')).map(entry => [entry.decodedBodySize, entry.encodedBodySize]),
  }));
  await context.close();
  return seen;
}

try {
  const stop = new AbortController();
  const publishing = routes.map((route, index) => publish(worker.url, route, 20, stop.signal, index === 0 ? 10 : Infinity));
  await sleep(3);
  stop.abort();
  await Promise.all(publishing);

  const closed = [await share(0)];
  const open = [await share(watchers)];
  closed.push(await share(0));
  open.push(await share(watchers));

  // The first loads the browser.
  const visits = [];
  for (let i = 0; i < 11; i++) visits.push(await visit());
  const total = index => visits[0].files.reduce((sum, file) => sum + file[index], 0).toLocaleString('en');

  let size = 0;
  const scrapes = [];
  for (let i = 0; i < 51; i++) {
    const start = performance.now();
    size = (await (await fetch(`${worker.url}/metrics`, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer()).byteLength;
    scrapes.push(performance.now() - start);
  }

  console.log(`${cpus().length} cores, ${cpus()[0].model}; ${routes.length} routes; ${seconds} s per measurement of processor time`);
  console.log(`page closed:            ${closed.map(value => value.toFixed(2)).join(' and ')} % of a core`);
  console.log(`${watchers} pages open:           ${open.map(value => value.toFixed(2)).join(' and ')} % of a core`);
  console.log(`first contentful paint: ${median(visits.slice(1).map(visit => visit.paint)).toFixed(0)} ms (median of 10)`);
  console.log(`files of the page:      ${total(0)} B in ${visits[0].files.length} files, ${total(1)} B on the wire`);
  console.log(`/metrics:               ${median(scrapes.slice(1)).toFixed(1)} ms (median of 50), ${size.toLocaleString('en')} B`);
} finally {
  await browser.close();
  await worker.stop();
}
