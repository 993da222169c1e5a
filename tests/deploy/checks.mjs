// What the checks share. Each check prints one line, which tests/deploy/run counts.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

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

/** What differs, of `[name, actual, wanted]`. */
export const differences = expected => expected.filter(([, actual, wanted]) => actual !== wanted).map(([name, actual, wanted]) => `${name} is ${actual}, not ${wanted}`);

// Those of .NET, of OpenTelemetry and of Azure.Identity.
const Others = /^(?:Logging__\w+|OTEL_EXPORTER_OTLP_ENDPOINT|AZURE_CLIENT_ID)$/;

/** Environment variables that are no key of the worker's configuration. */
export function unknownSettings(variables) {
  const keys = [...read('docs/reference/configuration.md').matchAll(/^\| `([A-Z][\w:{}]+)` \|/gm)].map(([, key]) => key);
  return variables.filter(variable => !keys.includes(variable.replaceAll('__', ':').replace(/^Routes:\w+:/, 'Routes:{name}:')) && !Others.test(variable));
}

/** Seconds that a worker needs to end: its drain timeout, such as 25s, what follows it, and 5 s to spare. */
export const secondsToEnd = drain => Number.parseInt(drain, 10) + 5
  + Number(/ShutdownReserve = TimeSpan\.FromSeconds\((\d+)\)/.exec(read('src/Messaging/Hosting/MessageWorkerHostExtensions.cs'))[1]);

/** What the compiler says of a TypeScript file; unknown fields of literals are errors. */
export function fitTypes(text) {
  const file = join(root, 'tests/deploy/resources.ts');
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) => (path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true) : getSourceFile.call(host, path, ...rest));
  return ts.getPreEmitDiagnostics(ts.createProgram([file], options, host)).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
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
