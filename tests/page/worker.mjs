// A real worker with four routes, and a browser, for the pictures of the page.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const dll = fileURLToPath(new URL('../../src/Worker/bin/Release/net10.0/Worker.dll', import.meta.url));
export const routes = ['orders', 'payments', 'shipments', 'returns'];

/** Starts the worker of the last Release build; each route receives over HTTP and stores to a folder of its own. */
export async function startWorker(...settings) {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  const child = spawn('dotnet', [dll, '--Hosting:Url=http://127.0.0.1:0', `--DeadLetters:Path=${folder}/dead-letters`, `--Sinks:Directory:Path=${folder}/objects`,
    ...routes.flatMap(route => [`--Routes:${route}:Source=Http`, `--Routes:${route}:Sink=Directory`]), ...settings]);
  let output = '';
  const url = await new Promise((resolve, reject) => {
    const read = text => {
      output += text;
      const found = /Listening on (http:\/\/[\d.]+:\d+)/.exec(output);
      if (found) resolve(found[1]);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.on('exit', code => reject(new Error(`The worker ended with ${code}: is it built? dotnet build -c Release\n${output}`)));
  });
  child.removeAllListeners('exit');
  const stop = () => new Promise(resolve => {
    child.on('exit', () => {
      rmSync(folder, { recursive: true });
      resolve();
    });
    child.kill('SIGTERM');
  });
  return { url, stop };
}

/** Posts messages to a route until the signal ends it, `perSecond` of them; each `poison`th is not JSON. */
export async function publish(url, route, perSecond, signal, poison = Infinity) {
  for (let sent = 0; !signal.aborted; sent++) {
    const body = sent % poison === poison - 1 ? '{"EventDateUtc":' : JSON.stringify({ MessageId: `${route}-${sent}`, EventDateUtc: '2026-01-31T10:00:00Z', Product: 'shop', SiteKey: 'eu', EventName: 'sold' });
    await fetch(`${url}/messages/${route}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await new Promise(resolve => setTimeout(resolve, 1000 / perSecond));
  }
}

export const startBrowser = () => chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
