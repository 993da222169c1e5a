// deploy/kubernetes: resources against the schemas of Kubernetes, KEDA and the Prometheus Operator, and against the worker: settings, ports, probes, times.
// Neither Debian nor npm has a current kubectl or kustomize. Where one is installed, every kustomization is rendered and checked too.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { check, differences, files, fitTypes, read, run, secondsToEnd, unknownSettings } from './checks.mjs';

const folder = 'deploy/kubernetes';
const documents = text => parseAllDocuments(text).map(document => document.toJS());
const kustomizations = files(folder, 'kustomization.yaml').map(path => ({ name: path.slice(folder.length + 1, -'/kustomization.yaml'.length), ...parse(read(path)) }));
const base = kustomizations.find(({ name }) => name === 'base');
const resources = files(folder, '.yaml').filter(path => !path.endsWith('kustomization.yaml')).flatMap(path => documents(read(path)));
const only = kind => resources.find(resource => resource.kind === kind).spec;
const pod = only('Deployment').template.spec;
const [container] = pod.containers;

/** The ConfigMap of a kustomization: its own literals over those of the base. */
const settingsOf = ({ configMapGenerator }) => Object.fromEntries([base.configMapGenerator, configMapGenerator]
  .flatMap(([{ literals }]) => literals.map(literal => [literal.slice(0, literal.indexOf('=')), literal.slice(literal.indexOf('=') + 1)])));

const renderer = ['kubectl', 'kustomize'].find(isInstalled);

await check(`manifests: ${resources.length} resources fit their schemas`, () => fitSchemas(resources));

await check('manifests: every file belongs to its kustomization', () => kustomizations.flatMap(({ name, resources: listed }) => {
  const present = files(`${folder}/${name}`, '.yaml').map(path => path.slice(folder.length + name.length + 2)).filter(path => path !== 'kustomization.yaml');
  const missing = [...present.filter(path => !listed.includes(path)), ...listed.filter(path => !path.startsWith('..') && !present.includes(path))];
  return missing.map(path => `${name}: ${path}`);
}));

await check('manifests: the pod is confined', () => differences([
  ['automountServiceAccountToken', pod.automountServiceAccountToken, false],
  ['runAsNonRoot', pod.securityContext.runAsNonRoot, true],
  ['seccompProfile', pod.securityContext.seccompProfile.type, 'RuntimeDefault'],
  ['readOnlyRootFilesystem', container.securityContext.readOnlyRootFilesystem, true],
  ['allowPrivilegeEscalation', container.securityContext.allowPrivilegeEscalation, false],
  ['capabilities.drop', String(container.securityContext.capabilities.drop), 'ALL'],
  // What the image makes writable, and what the runtime writes.
  ...[...JSON.parse(/^VOLUME (.*)$/m.exec(read('Dockerfile'))[1]), '/tmp']
    .map(path => [`a volume at ${path}`, container.volumeMounts.some(mount => mount.mountPath === path), true]),
]));

await check('manifests: every selector selects the pods', () => {
  const [{ pairs, includeTemplates }] = base.labels;
  const selectors = [only('Deployment').selector, only('PodDisruptionBudget').selector, only('NetworkPolicy').podSelector, only('PodMonitor').selector, ...pod.topologySpreadConstraints.map(({ labelSelector }) => labelSelector)];
  return differences([['includeTemplates', includeTemplates, true], ...selectors.map((selector, i) => [`selector ${i}`, JSON.stringify(selector.matchLabels), JSON.stringify(pairs)])]);
});

await check('manifests: a rollout waits for pods that stay ready, and the pods are spread over zones, then hosts', () => differences([
  ['minReadySeconds', only('Deployment').minReadySeconds >= 30, true],
  ['maxUnavailable', only('Deployment').strategy.rollingUpdate.maxUnavailable, 0],
  ['topologySpreadConstraints', String(pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)), 'topology.kubernetes.io/zone,kubernetes.io/hostname'],
]));

await check('manifests: the Prometheus Operator scrapes every pod as the job of the alerts, and loads these', async () => {
  const rule = parse(run(`./${folder}/prometheus-operator/rules`, []));
  const { jobLabel, podMetricsEndpoints: [{ port, path }] } = only('PodMonitor');
  const { metadata } = resources.find(({ kind }) => kind === 'PodMonitor');
  return [
    ...await fitSchemas([rule]),
    ...(isDeepStrictEqual(rule.spec, parse(read('deploy/prometheus/alerts.yml'))) ? [] : ['its rules are not those of deploy/prometheus/alerts.yml']),
    ...differences([
      ['the port', port, container.ports[0].name],
      ['the path', read('src/Messaging.Http/Web/WebServer.cs').includes(`MapGet("${path}"`), true],
      ['the job', base.labels[0].pairs[jobLabel], parse(read('deploy/prometheus/prometheus.yml')).scrape_configs[0].job_name],
      ['the names', metadata.name, rule.metadata.name],
    ]),
  ];
});

await check('manifests: port, probes and times are the worker\'s', () => {
  const { Hosting__Url: url, Hosting__DrainTimeout: drain } = settingsOf(base);
  const pages = [...read('src/Messaging.Http/HealthEndpoints.cs').matchAll(/MapGet\("(\/healthz\/\w+)"/g)].map(([, page]) => page);
  const probes = [['startupProbe', 'live'], ['livenessProbe', 'live'], ['readinessProbe', 'ready']];
  return differences([
    ['Hosting__Url', url, `http://0.0.0.0:${container.ports.find(({ name }) => name === 'http').containerPort}`],
    ['time to end', pod.terminationGracePeriodSeconds >= secondsToEnd(drain), true],
    ...probes.map(([probe, page]) => [probe, `${container[probe].httpGet.port}${container[probe].httpGet.path}`, `http/healthz/${page}`]),
    ...probes.map(([probe]) => [`${probe}, a page of the worker`, pages.includes(container[probe].httpGet.path), true]),
  ]);
});

for (const kustomization of kustomizations) {
  const settings = settingsOf(kustomization);
  await check(`${kustomization.name}: settings are keys of the configuration`, () => unknownSettings(Object.keys(settings)));

  const scaled = kustomization.resources.includes('scaledobject.yaml') ? documents(read(`${folder}/${kustomization.name}/scaledobject.yaml`)) : [];
  if (scaled.length > 0) {
    await check(`${kustomization.name}: KEDA scales the worker by the queue that it receives from`, () => {
      const authentication = scaled.find(({ kind }) => kind === 'TriggerAuthentication').metadata.name;
      const { scaleTargetRef, triggers: [{ type, metadata, authenticationRef }] } = scaled.find(({ kind }) => kind === 'ScaledObject').spec;
      return differences([
        ['scaleTargetRef', scaleTargetRef.name, 'worker'],
        ['replicas of the Deployment', only('Deployment').replicas, undefined],
        ['authenticationRef', authenticationRef.name, authentication],
        ...(type === 'aws-sqs-queue'
          ? [['queueURL', metadata.queueURL, settings.Sources__Sqs__Queue], ['awsRegion', metadata.awsRegion, settings.Aws__Region], ['queueLength', /^\d+$/.test(metadata.queueLength), true]]
          : type === 'rabbitmq'
            ? [['queueName', metadata.queueName, settings.Sources__RabbitMq__Queue], ['value', /^\d+$/.test(metadata.value), true]]
            : [['queueName', metadata.queueName, settings.Sources__ServiceBus__Queue],
              ['namespace', `${metadata.namespace}.servicebus.windows.net`, settings.Sources__ServiceBus__FullyQualifiedNamespace],
              ['messageCount', /^\d+$/.test(metadata.messageCount), true]]),
      ]);
    });
  }

  if (!renderer) {
    console.log(`skip  ${kustomization.name}: neither kubectl nor kustomize is installed to render it`);
  } else {
    await check(`${kustomization.name}: renders (${renderer}), and fits the schemas`, async () => {
      const rendered = documents(run(renderer, [renderer === 'kubectl' ? 'kustomize' : 'build', join(folder, kustomization.name)]));
      const map = rendered.find(({ kind }) => kind === 'ConfigMap');
      const [{ configMapRef }] = rendered.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].envFrom;
      return [
        ...await fitSchemas(rendered),
        ...differences([['configMapRef', configMapRef.name, map.metadata.name], ...Object.entries(settings).map(([key, value]) => [key, map.data[key], value])]),
      ];
    });
  }
}

function isInstalled(program) {
  try {
    return run(program, ['version', ...(program === 'kubectl' ? ['--client'] : [])]) !== '';
  } catch {
    return false;
  }
}

/** Values by the schemas' validators, unknown fields, which these accept, by the TypeScript types of the same packages. */
async function fitSchemas(list) {
  const packages = { 'keda.sh': '@kubernetes-models/keda', 'monitoring.coreos.com': '@kubernetes-models/prometheus-operator' };
  const moduleOf = ({ apiVersion, kind }) => `${packages[apiVersion.split('/')[0]] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
  const problems = await Promise.all(list.map(async resource => {
    const module = await import(moduleOf(resource));
    try {
      new module[resource.kind](resource).validate();
      return [];
    } catch (error) {
      return [`${resource.kind} ${resource.metadata?.name}: ${error.message}`];
    }
  }));

  const text = list.map((resource, i) => `import type { I${resource.kind} as T${i} } from '${moduleOf(resource)}';\nexport const r${i}: T${i} = ${JSON.stringify(resource)};`).join('\n');
  return [...problems.flat(), ...fitTypes(text)];
}
