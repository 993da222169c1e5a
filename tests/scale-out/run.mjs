// One queue, one to four workers, some of them killed: how the rate grows, and whether a message is lost.
//   node tests/scale-out/run.mjs [MESSAGES] [SECONDS]
// Needs a Release build and npm ci in tests/servers/fauxqs. SQS is fauxqs; S3 is a server in this process that answers a PUT after 50 ms,
// as a distant store does, and remembers each object. MESSAGES (100000) wait in the queue at the start; each phase takes SECONDS (20).
// Ends with one line, "N messages, N lost, N wrong", and exit code 1 when a message is lost or wrong.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const count = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 20);
const latency = 50;
const slots = 16;
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scale-out-'));
const sleep = time => new Promise(resolve => setTimeout(resolve, time * 1000));

// S3: what the worker's sink needs of it, and a count of what was asked.
const objects = new Map();
const counts = { stored: 0, existing: 0 };
const s3 = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const key = decodeURIComponent(request.url.split('?')[0].split('/').slice(2).join('/'));
  const known = objects.get(key);
  if (request.method === 'PUT') {
    await sleep(latency / 1000);
    if (objects.has(key)) {
      counts.existing++;
      return response.writeHead(412, { 'content-type': 'application/xml' }).end('<Error><Code>PreconditionFailed</Code><Message>It exists.</Message></Error>');
    }

    const body = Buffer.concat(chunks);
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    objects.set(key, { body, etag });
    counts.stored++;
    return response.writeHead(200, { etag, 'content-length': 0 }).end();
  }

  if (!key) {
    return response.writeHead(200, { 'content-type': 'application/xml' })
      .end('<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>');
  }

  if (!known) return response.writeHead(404, { 'content-length': 0 }).end();
  return response.writeHead(200, { etag: known.etag, 'content-length': known.body.length }).end(request.method === 'GET' ? known.body : undefined);
}).listen(0, '127.0.0.1');
s3.keepAliveTimeout = 60_000;

const fauxqs = spawn('node', [join(root, 'tests/servers/fauxqs/serve.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
const sqs = await new Promise(resolve => fauxqs.stdout.setEncoding('utf8').on('data', text => resolve(/http:\S+/.exec(text)[0])));

async function call(action, input) {
  const response = await fetch(sqs, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}`, authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0' },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${action}: ${response.status} ${await response.text()}`);
  return response.json();
}

const deadLettersUrl = (await call('CreateQueue', { QueueName: 'scale-out-dead-letters' })).QueueUrl;
const { Attributes: { QueueArn: deadLetterTargetArn } } = await call('GetQueueAttributes', { QueueUrl: deadLettersUrl, AttributeNames: ['QueueArn'] });
const queueUrl = (await call('CreateQueue', { QueueName: 'scale-out', Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 10 }) } })).QueueUrl;

async function queued(url = queueUrl) {
  const { Attributes: found } = await call('GetQueueAttributes', { QueueUrl: url, AttributeNames: ['All'] });
  return Number(found.ApproximateNumberOfMessages) + Number(found.ApproximateNumberOfMessagesNotVisible);
}

const bodyOf = i => JSON.stringify({ MessageId: `m${i}`, EventDateUtc: '2026-01-31T10:00:00Z', Product: 'shop', SiteKey: 'eu', EventName: 'sold', Amount: i });

const workers = [];

/** A worker as an operator starts it: the same settings for each, but its port. */
async function startWorker() {
  const child = spawn('dotnet', [
    join(root, 'src/Worker/bin/Release/net10.0/Worker.dll'), '--Hosting:Url=http://127.0.0.1:0', `--DeadLetters:Path=${folder}/dead-letters`,
    '--Routes:archive:Source=Sqs', '--Sources:Sqs:Queue=scale-out', '--Sources:Sqs:VisibilityTimeout=30s', '--Sources:Sqs:WaitTime=1s',
    '--Routes:archive:Sink=S3', '--Sinks:S3:Bucket=bucket', `--Sinks:S3:Endpoint=http://127.0.0.1:${s3.address().port}`,
    `--Intake:Concurrency=${slots}`, `--Aws:Endpoint=${sqs}`, '--Aws:Region=us-east-1', '--Aws:AccessKeyId=test', '--Aws:SecretAccessKey=test',
  ], { cwd: folder });
  let output = '';
  const ended = new Promise(resolve => child.on('exit', (code, signal) => resolve(code ?? signal)));
  await new Promise((resolve, reject) => {
    const read = text => (output += text).includes('receiving from') && resolve();
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    ended.then(code => reject(new Error(`The worker ended with ${code}: is it built?\n${output}`)));
  });
  workers.push({ child, ended });
}

const rows = [];

async function phase(what) {
  await sleep(3);
  const [before, start] = [counts.stored, performance.now()];
  await sleep(seconds - 3);
  rows.push([what, workers.length, Math.round((counts.stored - before) / (performance.now() - start) * 1000)]);
  console.log(`${what}: ${rows.at(-1)[2]} per second`);
}

let failed = true;
try {
  for (let i = 0; i < count; i += 160) {
    await Promise.all(Array.from({ length: 16 }, (_, part) => i + part * 10).filter(first => first < count).map(first => call('SendMessageBatch', {
      QueueUrl: queueUrl,
      Entries: Array.from({ length: Math.min(10, count - first) }, (_, j) => ({ Id: `${j}`, MessageBody: bodyOf(first + j) })),
    })));
  }

  console.log(`${await queued()} messages are in the queue`);
  await startWorker();
  await phase('one worker');
  await startWorker();
  await phase('a second one started');
  await Promise.all([startWorker(), startWorker()]);
  await phase('two more started');
  const killed = workers.splice(0, 2);
  killed.forEach(worker => worker.child.kill('SIGKILL'));
  await phase('the first two killed (SIGKILL)');
  await Promise.all([startWorker(), startWorker()]);
  await phase('two started again');
  const ended = workers.splice(0, 1)[0];
  ended.child.kill('SIGTERM');
  await phase(`one stopped (SIGTERM, exit code ${await ended.ended})`);

  for (const end = Date.now() + 300_000; await queued() > 0 && Date.now() < end;) await sleep(1);
  workers.forEach(worker => worker.child.kill('SIGTERM'));
  const codes = await Promise.all(workers.map(worker => worker.ended));

  const byId = new Map([...objects.values()].map(({ body }) => [JSON.parse(body).MessageId, body.toString()]));
  const lost = Array.from({ length: count }, (_, i) => i).filter(i => !byId.has(`m${i}`));
  const wrong = [...byId].filter(([id, body]) => body !== bodyOf(Number(id.slice(1)))).length + objects.size - byId.size;
  console.log(`\n${cpus().length} cores, ${cpus()[0].model}; ${slots} slots per worker; S3 answers after ${latency} ms\n\n| what | workers | stored per second |\n|---|---:|---:|`);
  rows.forEach(row => console.log(`| ${row.join(' | ')} |`));
  console.log(`\nleft in the queue: ${await queued()}; dead letters: ${await queued(deadLettersUrl)}; objects stored twice with the same bytes: ${counts.existing}; exit codes of the others: ${codes.join(', ')}`);
  console.log(`${count} messages, ${lost.length} lost, ${wrong} wrong`);
  failed = lost.length + wrong > 0;
} finally {
  workers.forEach(worker => worker.child.kill('SIGKILL'));
  fauxqs.stdin.end();
  s3.close();
  s3.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}

process.exitCode = failed ? 1 : 0;
