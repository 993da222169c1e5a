// deploy/ecs/task-definition.json against the types of the AWS SDK, the limits of ECS on Fargate, and the worker: settings, port, health check, times, folders.
import { check, differences, fitTypes, read, secondsToEnd, unknownSettings } from './checks.mjs';

const path = 'deploy/ecs/task-definition.json';
const task = JSON.parse(read(path));
const [container] = task.containerDefinitions;
const settings = Object.fromEntries(container.environment.map(({ name, value }) => [name, value]));

await check('ecs: the task definition fits RegisterTaskDefinition of the AWS SDK', () => fitTypes(
  `import type { RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';\nexport const task: RegisterTaskDefinitionCommandInput = ${JSON.stringify(task)};`));

await check('ecs: within the limits of Fargate', () => {
  // docs.aws.amazon.com/AmazonECS/latest/developerguide/task_definition_parameters.html: CPU units, and the memory that goes with them in MiB.
  const memory = { 256: [512, 1024, 2048], 512: [1024, 2048, 3072, 4096], 1024: [2, 3, 4, 5, 6, 7, 8].map(gib => gib * 1024) };
  const { interval, timeout, retries, startPeriod } = container.healthCheck;
  const within = (name, value, min, max) => [`${name} ${value} within ${min} to ${max}`, Number.isInteger(value) && value >= min && value <= max, true];
  return differences([
    ['requiresCompatibilities', String(task.requiresCompatibilities), 'FARGATE'],
    ['networkMode', task.networkMode, 'awsvpc'],
    [`memory ${task.memory} for ${task.cpu} units`, memory[task.cpu]?.includes(Number(task.memory)) ?? false, true],
    within('interval', interval, 5, 300), within('timeout', timeout, 2, 60), within('retries', retries, 1, 10), within('startPeriod', startPeriod, 0, 300),
    within('stopTimeout', container.stopTimeout, 2, 120),
    ...[task.executionRoleArn, task.taskRoleArn].map(role => [`${role} is a role`, /^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(role), true]),
    ...container.secrets.map(({ valueFrom }) => [`${valueFrom} is a secret`, /^arn:aws:(?:secretsmanager|ssm):/.test(valueFrom), true]),
  ]);
});

await check('ecs: settings are keys of the configuration, and none is a secret', () => [
  ...unknownSettings([...Object.keys(settings), ...container.secrets.map(({ name }) => name)]),
  ...Object.keys(settings).filter(name => /token|secret|password|connectionstring/i.test(name)).map(name => `${name} belongs to secrets`),
]);

await check('ecs: port, health check, times and folders are the worker\'s', () => {
  const dockerfile = read('Dockerfile');
  const [entry] = JSON.parse([...dockerfile.matchAll(/^ENTRYPOINT (.*)$/gm)].at(-1)[1]);
  const mounted = container.mountPoints.map(({ containerPath }) => containerPath);
  return differences([
    ['Hosting__Url', settings.Hosting__Url, `http://0.0.0.0:${container.portMappings.find(({ name }) => name === 'http').containerPort}`],
    ['healthCheck.command', String(container.healthCheck.command), `CMD,${entry},health`],
    [`stopTimeout of at least ${secondsToEnd(settings.Hosting__DrainTimeout)} s`, container.stopTimeout >= secondsToEnd(settings.Hosting__DrainTimeout), true],
    ['user', container.user, /^USER (.*)$/m.exec(dockerfile)[1]],
    ['readonlyRootFilesystem', container.readonlyRootFilesystem, true],
    // What the image makes writable.
    ...JSON.parse(/^VOLUME (.*)$/m.exec(dockerfile)[1]).map(folder => [`a volume at ${folder}`, mounted.includes(folder), true]),
    ...container.mountPoints.map(({ sourceVolume }) => [`volume ${sourceVolume}`, task.volumes.some(({ name }) => name === sourceVolume), true]),
  ]);
});
