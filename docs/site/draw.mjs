// Opens each page of the built site that has diagrams: DocFX leaves drawing them to the reader's browser, where one with a fault in its text shows an error in its place.
// `draw.mjs FOLDER` also writes a picture of each page, at 1440 and 390 pixels.
import { createServer } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startBrowser } from '../../tests/page/worker.mjs';

const site = path.resolve(import.meta.dirname, '../../artifacts/site');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };
const server = createServer((request, response) => {
  try {
    const file = path.join(site, decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const content = readFileSync(file);
    response.writeHead(200, { 'Content-Type': types[path.extname(file)] ?? 'application/octet-stream' }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await startBrowser();
const [, , folder] = process.argv;
let drawn = 0;
try {
  for (const page of readdirSync(site, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const expected = readFileSync(path.join(site, page), 'utf8').split('class="lang-mermaid"').length - 1;
    if (expected === 0) continue;
    for (const width of folder ? [1440, 390] : [1440]) {
      const context = await browser.newContext({ viewport: { width, height: 1000 } });
      const tab = await context.newPage();
      await tab.goto(`http://127.0.0.1:${server.address().port}/${page}`);
      await tab.waitForFunction((count) => document.querySelectorAll('svg[aria-roledescription]').length >= count, expected, { timeout: 300_000 }).catch(() => {});
      const kinds = await tab.$$eval('svg[aria-roledescription]', (pictures) => pictures.map((picture) => picture.getAttribute('aria-roledescription')));
      if (kinds.length !== expected || kinds.includes('error')) {
        console.error(`${page}: ${expected} diagrams, drawn: ${kinds.join(', ')}`);
        process.exitCode = 1;
      }

      if (width === 1440) drawn += kinds.length;
      if (folder) await tab.screenshot({ path: path.join(folder, `${path.basename(page, '.html')}-${width}.png`), fullPage: true });
      await context.close();
    }
  }
} finally {
  await browser.close();
  server.close();
}

console.log(`${drawn} diagrams`);
