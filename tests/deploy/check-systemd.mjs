// deploy/systemd/worker.service: systemd's own checks, the exposure that it rates, and the worker's program, exit codes and times.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, differences, read, run, secondsToEnd } from './checks.mjs';

const path = 'deploy/systemd/worker.service';
const unit = read(path);
const value = key => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1];

await check('systemd: no restart after the exit codes that a restart cannot help with, and the native program', () => {
  const hopeless = [...read('docs/reference/operating.md').matchAll(/^\| (\d+) \|.*\| no \|$/gm)].map(([, code]) => code);
  const [program] = JSON.parse([...read('Dockerfile').matchAll(/^ENTRYPOINT (.*)$/gm)].at(-1)[1]);
  return differences([
    ['RestartPreventExitStatus', value('RestartPreventExitStatus'), hopeless.join(' ')],
    ['ExecStart', value('ExecStart'), program.replace('/app/', '/opt/worker/')],
    ['the publish', unit.split('\n')[0].includes('-p:Native=true -o /opt/worker'), true],
    // No setting of the unit changes Hosting:DrainTimeout.
    ['TimeoutStopSec', Number(value('TimeoutStopSec')) >= secondsToEnd(/`Hosting:DrainTimeout` \| `(\w+)`/.exec(read('docs/reference/configuration.md'))[1]), true],
  ]);
});

if (!isInstalled()) {
  console.log('skip  systemd: systemd-analyze is not installed');
} else {
  // It ends with 0 for warnings too, such as a key that it does not know. The program need not be installed here.
  await check('systemd: the unit is valid (systemd-analyze verify)', () => withUnit(file => run('bash', ['-c', 'systemd-analyze verify "$1" 2>&1', 'verify', file]).split('\n').filter(line => line !== '')));
  await check('systemd: the exposure is below 2 (systemd-analyze security)', () => withUnit(file => { run('systemd-analyze', ['security', '--offline=yes', '--no-pager', '--threshold=19', file]); }));
}

function isInstalled() {
  try {
    return run('systemd-analyze', ['--version']) !== '';
  } catch {
    return false;
  }
}

function withUnit(action) {
  const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
  try {
    const file = join(folder, 'worker.service');
    writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
    return action(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
