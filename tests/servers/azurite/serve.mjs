// Starts Azurite's blob service in memory on loopback, on the given port or a free one, makes the containers that the other arguments name, and prints
// its connection string as one line. The account and key are the published ones of every emulator. The process lives as long as its standard input: when the process that started it dies, however it
// dies, the pipe closes and the emulator goes with it.
// Its own command would also load its SQL stores and its telemetry, nine tenths of what it installs: package.json leaves them out.
import { createHmac } from "node:crypto";
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
for (const container of process.argv.slice(3)) {
  const headers = { "x-ms-date": new Date().toUTCString(), "x-ms-version": "2021-12-02" };
  const path = `/${EMULATOR_ACCOUNT_NAME}/${container}`;
  const signed = ["PUT", ...Array(11).fill(""), ...Object.entries(headers).map(header => header.join(":")), `/${EMULATOR_ACCOUNT_NAME}${path}`, "restype:container"].join("\n");
  const signature = createHmac("sha256", Buffer.from(EMULATOR_ACCOUNT_KEY_STR, "base64")).update(signed).digest("base64");
  const answer = await fetch(`${server.getHttpServerAddress()}${path}?restype=container`, { method: "PUT", headers: { ...headers, Authorization: `SharedKey ${EMULATOR_ACCOUNT_NAME}:${signature}` } });
  if (answer.status !== 201) throw new Error(`Container ${container}: ${answer.status} ${await answer.text()}`);
}
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
