// The pictures of docs/images, of a real worker under load with poison messages: node tests/page/screenshots.mjs. Needs what measure.mjs needs.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publish, routes, startBrowser, startWorker } from './worker.mjs';

const folder = fileURLToPath(new URL('../../docs/images', import.meta.url));
mkdirSync(folder, { recursive: true });
const worker = await startWorker('--Routes:returns:Sink=Memory', '--Hosting:Token=a-token-of-the-picture');
const browser = await startBrowser();
const stop = new AbortController();
const publishing = routes.map((route, index) => publish(worker.url, route, [120, 60, 30, 10][index], stop.signal, index === 1 ? 400 : Infinity));
try {
  // Charts need history.
  await new Promise(resolve => setTimeout(resolve, 240_000));
  for (const [name, width, height, colorScheme] of [['page', 1440, 1000, 'light'], ['page-dark', 1440, 1000, 'dark'], ['page-narrow', 360, 780, 'light']]) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    await page.goto(worker.url);
    await page.waitForSelector('article[data-route=orders] [data-part=received] b');
    await page.waitForTimeout(5_000);
    await page.screenshot({ path: `${folder}/${name}.png` });
    await context.close();
  }
} finally {
  stop.abort();
  await Promise.all(publishing);
  await browser.close();
  await worker.stop();
}
