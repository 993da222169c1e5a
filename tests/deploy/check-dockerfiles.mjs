// Dockerfile and the template's: what can be checked without Docker. Images are pinned, the last ones have no shell and no root, what is
// copied exists and belongs to the build, and the restore layer restores with nothing but the files that it has.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { execFileSync } from 'node:child_process';
import { check, read, root } from './checks.mjs';

/** The steps of a Dockerfile, by stage: `[{ name, image, steps: [{ instruction, text }] }]`. */
function parse(path) {
  const stages = [];
  for (const [, instruction, text] of read(path).replaceAll('\\\n', ' ').matchAll(/^([A-Z]+) (.*)$/gm)) {
    if (instruction === 'FROM') {
      const [image, , name] = text.split(' ');
      stages.push({ name: name ?? image, image, steps: [] });
    } else {
      stages.at(-1).steps.push({ instruction, text });
    }
  }

  return stages;
}

const parentOf = (stages, stage) => stages.find(({ name }) => name === stage.image);
const isFinal = (stages, stage) => stage.steps.some(({ instruction }) => instruction === 'ENTRYPOINT') && !stages.some(other => other !== stage && other.image === stage.name);
const one = (stage, instruction) => stage.steps.filter(step => step.instruction === instruction).map(({ text }) => text).at(-1);
const copies = stage => stage.steps.filter(({ instruction, text }) => instruction === 'COPY' && !text.startsWith('--from=')).map(({ text }) => text.split(' '));

for (const { path, context, project, targets } of [
  { path: 'Dockerfile', context: '.', project: 'src/Worker/Worker.csproj', targets: ['jit', 'native'] },
  { path: 'templates/worker/Dockerfile', context: 'templates/worker', project: 'templates/worker/src/Quayside-Worker/Quayside-Worker.csproj', targets: [] },
]) {
  const stages = parse(path);
  const last = stages.filter(stage => isFinal(stages, stage));
  const program = project.split('/').at(-1).replace('.csproj', '');

  await check(`${path}: every image is pinned by its digest, and all are of one Ubuntu`, () => stages
    .filter(stage => parentOf(stages, stage) === undefined && !/:[\w.-]*-noble[\w-]*@sha256:[0-9a-f]{64}$/.test(stage.image))
    .map(({ image }) => `${image}: must end with -noble…@sha256:…`));

  await check(`${path}: the runtimes are of the version that the lock files name`, () => {
    const runtime = /"Microsoft.DotNet.ILCompiler": \{\s+"type": "Direct",\s+"requested": "\[([\d.]+),/.exec(read('src/Worker/packages.native.lock.json'))[1];
    return last.filter(({ image }) => !image.includes(`:${runtime}-`)).map(({ image }) => `${image}: the lock files are of ${runtime}`);
  });

  await check(`${path}: the images that run have no shell, and run as the unprivileged user`, () => [
    ...(last.length === Math.max(targets.length, 1) ? [] : [`${last.length} stages have an ENTRYPOINT`]),
    ...targets.filter(target => !last.some(({ name }) => name === target)).map(target => `there is no target ${target}`),
    ...last.flatMap(stage => [
      ...(stage.image.includes('-chiseled@') ? [] : [`${stage.image} is not distroless`]),
      ...(one(stage, 'USER') === '1654' ? [] : [`${stage.name}: USER is ${one(stage, 'USER')}`]),
      ...(stage.steps.some(({ instruction }) => instruction === 'RUN') ? [`${stage.name}: RUN needs a shell`] : []),
      ...(one(stage, 'STOPSIGNAL') === 'SIGTERM' ? [] : [`${stage.name}: STOPSIGNAL is not SIGTERM`]),
    ]),
  ]);

  await check(`${path}: the entry points and the folders are those of the publish`, () => last.flatMap(stage => {
    const entry = JSON.parse(one(stage, 'ENTRYPOINT'));
    const from = stages.find(({ name }) => name === /--from=(\S+)/.exec(one(stage, 'COPY'))[1]);
    const isNative = from.steps.some(({ text }) => text.includes('dotnet publish') && text.includes('-p:Native=true'));
    const expected = isNative ? [`/app/${program}`] : ['dotnet', `${program}.dll`];
    const made = from.steps.filter(({ instruction }) => instruction === 'RUN').map(({ text }) => text).join(' ');
    return [
      ...(JSON.stringify(entry) === JSON.stringify(expected) ? [] : [`${stage.name}: ENTRYPOINT is ${entry}, not ${expected}`]),
      ...JSON.parse(one(stage, 'VOLUME')).filter(folder => !new RegExp(`mkdir [^&]*${folder}`).test(made) || !new RegExp(`chown 1654:1654 [^&]*${folder}`).test(made)).map(folder => `${stage.name}: ${folder} is not made for the user`),
    ];
  }));

  await check(`${path}: the health check is the command of the program`, () => last.flatMap(stage => {
    const [, options, command] = /^(.*?) ?CMD (\[.*\])$/.exec(one(stage, 'HEALTHCHECK')) ?? [];
    return [
      ...(command === JSON.stringify([...JSON.parse(one(stage, 'ENTRYPOINT')), 'health']).replaceAll(',', ', ') ? [] : [`${stage.name}: HEALTHCHECK is ${one(stage, 'HEALTHCHECK')}`]),
      ...['interval', 'timeout', 'start-period', 'retries'].filter(option => !options?.includes(`--${option}=`)).map(option => `${stage.name}: HEALTHCHECK has no --${option}`),
    ];
  }));

  await check(`${path}: what is copied exists, and .dockerignore leaves it in`, () => {
    const ignored = read(join(context, '.dockerignore')).split('\n').filter(line => line !== '' && !line.startsWith('**/'));
    return stages.flatMap(copies).flatMap(words => words.slice(0, -1)).flatMap(source => [
      ...(existsSync(join(root, context, source)) ? [] : [`${source} does not exist`]),
      ...(ignored.includes(source.split('/')[0]) ? [`${source} is ignored`] : []),
    ]);
  });
}

await check('Dockerfile: the restore layers restore with the files that they have', () => {
  const stages = parse('Dockerfile');
  for (const stage of stages.filter(({ steps }) => steps.some(({ text }) => text.startsWith('dotnet restore')))) {
    const folder = mkdtempSync(join(tmpdir(), 'dockerfile-'));
    try {
      for (const step of [...parentOf(stages, stage).steps, ...stage.steps]) {
        if (step.instruction === 'COPY') {
          const words = step.text.split(' ');
          for (const source of words.slice(0, -1)) {
            const target = join(folder, normalize(words.at(-1)), source.split('/').at(-1));
            mkdirSync(dirname(target), { recursive: true });
            cpSync(join(root, source), target);
          }
        } else if (step.text.startsWith('dotnet restore')) {
          execFileSync('bash', ['-c', step.text], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
          break;
        }
      }
    } catch (error) {
      return [`${stage.name}: ${error.stdout ?? error.message}`];
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});
