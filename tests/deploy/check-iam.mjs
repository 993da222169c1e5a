// deploy/iam: the form of each policy, its placeholders, and that the trust policies name the accounts of the manifests.
import { parse } from 'yaml';
import { check, differences, files, read } from './checks.mjs';

const policies = Object.fromEntries(files('deploy/iam', '').map(path => [path.split('/').at(-1), JSON.parse(read(path))]));
const entries = Object.entries(policies);
const list = value => [value].flat();

await check(`iam: ${entries.length} policies have statements with a name of their own, and of what IAM knows`, () => entries.flatMap(([name, { Version: version, Statement: statements }]) => [
  ...differences([['Version', version, '2012-10-17'], ['names', new Set(statements.map(({ Sid: sid }) => sid)).size, statements.length]]),
  ...statements.flatMap(statement => [
    ...Object.keys(statement).filter(key => !['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'].includes(key)).map(key => `no element ${key}`),
    ...(/^[A-Za-z0-9]+$/.test(statement.Sid) ? [] : [`Sid ${statement.Sid}: letters and digits only`]),
    ...(statement.Effect === 'Allow' ? [] : [`${statement.Sid}: Effect ${statement.Effect}`]),
    ...list(statement.Action).filter(action => !/^(?:sqs|s3|kms|sts|logs):[A-Z][A-Za-z]+$/.test(action)).map(action => `${statement.Sid}: ${action}`),
    ...list(statement.Resource ?? []).filter(resource => !/^arn:aws:(?:sqs|s3|kms|logs):/.test(resource)).map(resource => `${statement.Sid}: ${resource}`),
    // A policy of a role has resources, one of a queue both, and a trust policy a principal.
    ...(name.endsWith('-trust.json') === (statement.Resource === undefined) && (name.endsWith('-trust.json') || name.endsWith('-queue-policy.json')) === (statement.Principal !== undefined)
      ? [] : [`${statement.Sid}: Principal and Resource are not those of its kind of policy`]),
  ]),
].map(problem => `${name}: ${problem}`)));

await check('iam: the trust policies name the account of the worker\'s pods, and that of KEDA, in the namespace of the guide', () => {
  const account = parse(read('deploy/kubernetes/base/serviceaccount.yaml')).metadata.name;
  const namespace = /kubectl apply --namespace (\S+) -k/.exec(read('docs/guides/operate.md'))[1];
  const conditionsOf = name => policies[name].Statement[0].Condition.StringEquals;
  return differences([
    ...[['eks-trust.json', `system:serviceaccount:${namespace}:${account}`], ['keda-trust.json', 'system:serviceaccount:keda:keda-operator']].flatMap(([name, subject]) => [
      [`${name}, sub`, conditionsOf(name)['OIDC_PROVIDER:sub'], subject],
      [`${name}, aud`, conditionsOf(name)['OIDC_PROVIDER:aud'], 'sts.amazonaws.com'],
    ]),
    ['eks-pod-identity-trust.json, namespace', conditionsOf('eks-pod-identity-trust.json')['aws:RequestTag/kubernetes-namespace'], namespace],
    ['eks-pod-identity-trust.json, account', conditionsOf('eks-pod-identity-trust.json')['aws:RequestTag/kubernetes-service-account'], account],
  ]);
});

await check('iam: KEDA has a right that the worker has too, and no other', () => {
  const worker = policies['worker-policy.json'].Statement.find(({ Sid: sid }) => sid === 'ReceiveAndSettle');
  const [{ Action: actions, Resource: resource }] = policies['keda-policy.json'].Statement;
  return differences([
    ['the right', String(actions), 'sqs:GetQueueAttributes'],
    ['the worker has it', worker.Action.includes(actions[0]), true],
    ['the queue', resource, worker.Resource],
  ]);
});
