// What the checks share. Each check prints one line, which tests/deploy/run counts.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export const read = path => readFileSync(join(root, path), 'utf8');

/** Runs a check. It fails with what it throws, or with the problems that it returns. */
export async function check(name, run) {
  let problems;
  try {
    problems = (await run()) ?? [];
  } catch (error) {
    problems = [error.message];
  }

  console.log(`${problems.length === 0 ? 'ok   ' : 'FAIL '} ${name}`);
  for (const problem of problems) {
    console.log(`      ${problem.trim().replaceAll('\n', '\n      ')}`);
  }
}

/** The output of a program. Its output is in the error when it fails. */
export function run(program, args, input) {
  try {
    return execFileSync(program, args, { cwd: root, encoding: 'utf8', input, stdio: 'pipe' });
  } catch (error) {
    throw new Error(error.code === 'ENOENT' ? `${program} is not installed` : `${program} ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  }
}

/** Files below a folder, relative to the root. */
export function files(folder, extension) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? (['bin', 'obj'].includes(entry.name) ? [] : files(path, extension)) : path.endsWith(extension) ? [path] : [];
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
export const anchors = page => [...read(page).matchAll(/^#{1,6} (.*)$/gm)]
  .map(([, text]) => text.trim().toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
