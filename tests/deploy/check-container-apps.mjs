// deploy/container-apps/worker.yaml against the types of Azure Container Apps, and against the worker: settings, probes, times, folders.
import { parse } from 'yaml';
import { check, differences, files, fitTypes, read, secondsToEnd, unknownSettings } from './checks.mjs';

const path = 'deploy/container-apps/worker.yaml';
const { properties, ...app } = parse(read(path));
const { template, configuration } = properties;
const [container] = template.containers;
const settings = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const [{ custom: { metadata, identity } }] = template.scale.rules;

await check('container apps: the app fits the types of Azure', () => [
  ...files('deploy/container-apps', '').filter(file => file !== path).map(file => `${file} has no check`),
  // The types have the properties beside name and identity; on the wire they are below `properties`.
  ...fitTypes(`import type { ContainerApp } from '@azure/arm-appcontainers';\nexport const app: ContainerApp = ${JSON.stringify({ ...app, ...properties })};`),
]);

await check('container apps: settings are keys of the configuration, and none is a secret', () => [
  ...unknownSettings(Object.keys(settings)),
  ...Object.keys(settings).filter(name => /token|secret|password|connectionstring/i.test(name)).map(name => `${name} belongs to secrets`),
]);

await check('container apps: scaling, identity, probes, times and folders are the worker\'s', () => {
  const port = Number(settings.Hosting__Url.split(':').at(-1));
  const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
  return differences([
    ['queueName', metadata.queueName, settings.Sources__ServiceBus__Queue],
    ['namespace', `${metadata.namespace}.servicebus.windows.net`, settings.Sources__ServiceBus__FullyQualifiedNamespace],
    ['identity of the scale rule', app.identity.userAssignedIdentities[identity] !== undefined, true],
    ['identity of the registry', app.identity.userAssignedIdentities[configuration.registries[0].identity] !== undefined, true],
    ['terminationGracePeriodSeconds', template.terminationGracePeriodSeconds >= secondsToEnd(settings.Hosting__DrainTimeout), true],
    ...container.probes.map(({ type, httpGet }) => [type, `${httpGet.port}${httpGet.path}`, `${port}/healthz/${type === 'Readiness' ? 'ready' : 'live'}`]),
    ['probes', String(container.probes.map(({ type }) => type)), 'Startup,Liveness,Readiness'],
    // What the image makes writable.
    ...JSON.parse(/^VOLUME (.*)$/m.exec(read('Dockerfile'))[1]).map(folder => [`a volume at ${folder}`, mounted.includes(folder), true]),
    ...container.volumeMounts.map(({ volumeName }) => [`volume ${volumeName}`, template.volumes.some(({ name }) => name === volumeName), true]),
  ]);
});
