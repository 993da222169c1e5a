// The pictures of docs/images, of a real worker under load: one route whose folder is gone, as when its volume is unmounted, with its charts.
// node tests/page/screenshots.mjs. Needs the packages of tests/page, Chromium, and the Release build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { publish, routes, startBrowser, startWorker } from './worker.mjs';

const folder = fileURLToPath(new URL('../../docs/images', import.meta.url));
mkdirSync(folder, { recursive: true });
const volume = mkdtempSync(join(tmpdir(), 'volume-'));
const worker = await startWorker(`--Routes:payments:Sinks:Directory:Path=${volume}`, '--Routes:returns:Sink=Memory', '--Hosting:Token=a-token-of-the-picture');
const browser = await startBrowser();
const stop = new AbortController();
const publishing = routes.map((route, index) => publish(worker.url, route, [120, 60, 30, 10][index], stop.signal, index === 0 ? 2_000 : Infinity));
const seconds = count => new Promise(resolve => setTimeout(resolve, count * 1000));
try {
  // Charts need history.
  await seconds(180);
  rmSync(join(volume, '.tmp'), { recursive: true });
  await seconds(60);
  for (const [name, width, height, colorScheme] of [['page', 1440, 1000, 'light'], ['page-dark', 1440, 1000, 'dark'], ['page-narrow', 360, 780, 'light']]) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    await page.goto(worker.url);
    await page.waitForSelector('article[data-route=orders] [data-part=received] b');
    await page.click('article[data-route=payments] summary');
    await page.waitForSelector('figure[data-chart="payments/rates"] svg');
    await seconds(5);
    // The first screen, also where the charts are far below.
    await page.evaluate(() => scrollTo(0, 0));
    writeFileSync(`${folder}/${name}.png`, await withPalette(await page.screenshot()));
    await context.close();
  }
} finally {
  stop.abort();
  await Promise.all(publishing);
  await browser.close();
  await worker.stop();
  rmSync(volume, { recursive: true });
}

/** The same PNG with its 256 most frequent colours, a third of the size. */
async function withPalette(png) {
  const page = await browser.newPage();
  const [width, height, colours, pixels] = await page.evaluate(async text => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    const rgba = new Uint32Array(canvas.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
    const counts = new Map();
    for (const colour of rgba) counts.set(colour, (counts.get(colour) ?? 0) + 1);
    const colours = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 256).map(([colour]) => [colour & 255, colour >> 8 & 255, colour >> 16 & 255]);
    const nearest = new Map();
    for (const colour of counts.keys()) {
      const distance = ([red, green, blue]) => (red - (colour & 255)) ** 2 + (green - (colour >> 8 & 255)) ** 2 + (blue - (colour >> 16 & 255)) ** 2;
      nearest.set(colour, colours.reduce((best, other, index) => distance(other) < distance(colours[best]) ? index : best, 0));
    }
    return [bitmap.width, bitmap.height, colours.flat(), Array.from(rgba, colour => nearest.get(colour))];
  }, png.toString('base64'));
  await page.close();
  // A byte 0 in front of each line: no filter.
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) lines.set(pixels.slice(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const result = Buffer.alloc(body.length + 8);
    result.writeUInt32BE(data.length, 0);
    body.copy(result, 4);
    result.writeUInt32BE(crc32(body), body.length + 4);
    return result;
  };
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('PLTE', Buffer.from(colours)), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
