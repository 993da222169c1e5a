// deploy/ecs and deploy/cloudwatch against the types of the AWS SDK; the task against the limits of ECS on Fargate and the worker: settings, port, health check, times, folders.
import { parse } from 'yaml';
import { check, differences, files, fitTypes, read, secondsToEnd, unknownSettings } from './checks.mjs';

const path = 'deploy/ecs/task-definition.json';
const task = JSON.parse(read(path));
const [container, metrics] = task.containerDefinitions;
const settings = Object.fromEntries(container.environment.map(({ name, value }) => [name, value]));
const json = file => JSON.parse(read(file));

// Each file is the input of a call.
const inputs = {
  [path]: ['RegisterTaskDefinitionCommandInput', '@aws-sdk/client-ecs'],
  'deploy/ecs/service.json': ['CreateServiceCommandInput', '@aws-sdk/client-ecs'],
  'deploy/ecs/scalable-target.json': ['RegisterScalableTargetCommandInput', '@aws-sdk/client-application-auto-scaling'],
  'deploy/ecs/scaling-policy.json': ['PutScalingPolicyCommandInput', '@aws-sdk/client-application-auto-scaling'],
  'deploy/cloudwatch/queue-age-alarm.json': ['PutMetricAlarmCommandInput', '@aws-sdk/client-cloudwatch'],
};

await check(`ecs: ${Object.keys(inputs).length} files fit the calls of the AWS SDK that they are for`, () => [
  ...[...files('deploy/ecs', ''), ...files('deploy/cloudwatch', '')].filter(file => !inputs[file]).map(file => `${file}: which call is it for?`),
  ...fitTypes(Object.entries(inputs).map(([file, [type, module]], i) => `import type { ${type} as T${i} } from '${module}';\nexport const r${i}: T${i} = ${JSON.stringify(json(file))};`).join('\n')),
]);

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
    ['the format of the log', settings.Logging__Console__FormatterName, 'json'],
    // What the image makes writable.
    ...JSON.parse(/^VOLUME (.*)$/m.exec(dockerfile)[1]).map(folder => [`a volume at ${folder}`, mounted.includes(folder), true]),
    ...container.mountPoints.map(({ sourceVolume }) => [`volume ${sourceVolume}`, task.volumes.some(({ name }) => name === sourceVolume), true]),
  ]);
});

await check('ecs: the worker sends its metrics to the collector beside it, which may write them', () => {
  const { receivers, processors, exporters, service: { pipelines } } = parse(metrics.environment.find(({ name }) => name === 'AOT_CONFIG_CONTENT').value);
  const { Action: actions, Resource: resource } = json('deploy/iam/ecs-metrics-policy.json').Statement[0];
  return differences([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', settings.OTEL_EXPORTER_OTLP_ENDPOINT, `http://${receivers.otlp.protocols.grpc.endpoint}`],
    ['the pipeline', JSON.stringify(pipelines.metrics), JSON.stringify({ receivers: Object.keys(receivers), processors: Object.keys(processors), exporters: Object.keys(exporters) })],
    ['the log group of its policy', resource, `arn:aws:logs:REGION:ACCOUNT:log-group:${exporters.awsemf.log_group_name}:*`],
    ['logs:PutLogEvents', actions.includes('logs:PutLogEvents'), true],
    ['the collector is essential', metrics.essential, false],
  ]);
});

await check('ecs: the service, its scaling and the alarm are of one service and one queue', () => {
  const service = json('deploy/ecs/service.json');
  const target = json('deploy/ecs/scalable-target.json');
  const policy = json('deploy/ecs/scaling-policy.json');
  const alarm = json('deploy/cloudwatch/queue-age-alarm.json');
  const { Metrics: metricsOf } = policy.TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification;
  const dimensions = [...metricsOf, { MetricStat: { Metric: alarm } }].flatMap(({ MetricStat: stat }) => stat?.Metric.Dimensions ?? []);
  const named = dimension => String([...new Set(dimensions.filter(({ Name: name }) => name === dimension).map(({ Value: value }) => value))]);
  const { Expression: expression } = metricsOf.find(({ ReturnData: isResult }) => isResult);
  const id = `service/${service.cluster}/${service.serviceName}`;
  return differences([
    ['the task', service.taskDefinition, task.family],
    ['the circuit breaker', JSON.stringify(service.deploymentConfiguration.deploymentCircuitBreaker), '{"enable":true,"rollback":true}'],
    ['the target', target.ResourceId, id],
    ['the policy', `${policy.ResourceId} ${policy.ScalableDimension}`, `${id} ${target.ScalableDimension}`],
    ['the least tasks', target.MinCapacity, service.desiredCount],
    ['the queue', named('QueueName'), settings.Sources__Sqs__Queue.split('/').at(-1)],
    ['cluster and service', `service/${named('ClusterName')}/${named('ServiceName')}`, id],
    ['the ids of the expression', String(expression.match(/[a-z]+/g).sort()), String(metricsOf.filter(({ MetricStat: stat }) => stat).map(({ Id: name }) => name).sort())],
  ]);
});
