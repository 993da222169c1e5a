// Dockerfile and the template's: what can be checked without Docker. Images are pinned, the last ones have no shell and no root, what is
// copied exists and belongs to the build. Integration.Tests/Packages restores and publishes from what they copy.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
      ...(ignored.includes(source.split('/')[0]) && !ignored.includes(`!${source}`) ? [`${source} is ignored`] : []),
    ]);
  });
}
