// Starts the emulator on loopback, with the entities of deploy/servicebus/Config.json, and prints its addresses as one line:
//   node serve.mjs [PORT [CONTROL-PORT]]
// The process lives as long as its standard input: when the process that started it dies, however it dies, the pipe closes and the
// emulator goes with it.
import { readFileSync } from "node:fs";
import process from "node:process";
import { Broker } from "./broker.mjs";
import { KEY, KEY_NAME } from "./cbs.mjs";
import { startControl } from "./control.mjs";
import { Faults } from "./faults.mjs";
import { Namespace } from "./namespace.mjs";

const [port, controlPort] = [process.argv[2] ?? "0", process.argv[3] ?? "0"].map(argument => {
  if (!/^\d{1,5}$/.test(argument)) {
    process.stderr.write(`'${argument}' is not a port. Usage: node serve.mjs [PORT [CONTROL-PORT]]\n`);
    process.exit(64);
  }

  return Number(argument);
});

const namespace = new Namespace();
namespace.load(JSON.parse(readFileSync(new URL("../../../deploy/servicebus/Config.json", import.meta.url))));
const faults = new Faults();
const broker = new Broker(namespace, faults);
try {
  const control = await startControl(controlPort, broker, namespace, faults);
  const address = `127.0.0.1:${await broker.up(port)}`;
  process.stdout.write(`servicebus listening on Endpoint=sb://${address};SharedAccessKeyName=${KEY_NAME};SharedAccessKey=${KEY};UseDevelopmentEmulator=true; control on http://127.0.0.1:${control}\n`);
} catch (error) {
  process.stderr.write(`The emulator cannot listen: ${error.message}\n`);
  process.exit(69);
}

const stop = () => process.exit(0);
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
process.stdin.on("end", stop);
process.stdin.on("error", stop);
process.stdin.resume();
