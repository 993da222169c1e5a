// Starts fauxqs on loopback only (its own command binds every interface), on the given port or a free one, and prints the
// address as one line. The process lives as long as its standard input: when the test process dies, however it dies, the
// pipe closes and the emulator goes with it.
import process from "node:process";
import { buildApp } from "fauxqs";

const port = Number.parseInt(process.argv[2] ?? "0", 10);
const app = buildApp({ logger: false });
const address = await app.listen({ port, host: "127.0.0.1" });
process.stdout.write(`fauxqs listening on ${address}\n`);

const stop = () => process.exit(0);
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
process.stdin.on("end", stop);
process.stdin.on("error", stop);
process.stdin.resume();
