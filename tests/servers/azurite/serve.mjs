// Starts Azurite's blob service in memory on loopback, on the given port or a free one, and prints its connection string as one line. The account and
// key are the published ones of every emulator. The process lives as long as its standard input: when the process that started it dies, however it
// dies, the pipe closes and the emulator goes with it.
// Its own command would also load its SQL stores and its telemetry, nine tenths of what it installs: package.json leaves them out.
import { createRequire } from "node:module";
import process from "node:process";

const require = createRequire(import.meta.url);
const BlobServer = require("azurite/dist/src/blob/BlobServer").default;
const BlobConfiguration = require("azurite/dist/src/blob/BlobConfiguration").default;
const { EMULATOR_ACCOUNT_KEY_STR, EMULATOR_ACCOUNT_NAME } = require("azurite/dist/src/blob/utils/constants");

const configuration = new BlobConfiguration("127.0.0.1", Number.parseInt(process.argv[2] ?? "0", 10));
configuration.isMemoryPersistence = true;
configuration.enableAccessLog = false;
// Clients ask for the newest version of the API.
configuration.skipApiVersionCheck = true;
const server = new BlobServer(configuration);
let existing = 0;
server.httpServer.on("request", (request, response) => response.on("finish", () => {
  if (request.method === "PUT" && response.statusCode === 409) existing++;
}));
await server.start();
const endpoint = `${server.getHttpServerAddress()}/${EMULATOR_ACCOUNT_NAME}`;
process.stdout.write(`azurite listening on DefaultEndpointsProtocol=http;AccountName=${EMULATOR_ACCOUNT_NAME};AccountKey=${EMULATOR_ACCOUNT_KEY_STR};BlobEndpoint=${endpoint};\n`);

const stop = () => {
  process.stdout.write(`azurite refused ${existing} PUTs of blobs that exist\n`);
  process.exit(0);
};
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
process.stdin.on("end", stop);
process.stdin.on("error", stop);
process.stdin.resume();
