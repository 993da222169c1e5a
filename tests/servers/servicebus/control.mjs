// The control: entities, faults and a look inside, over HTTP. README.md lists the requests.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { BrokerError } from "./errors.mjs";

/** Listens on loopback; returns the port. */
export async function startControl(port, broker, namespace, faults) {
  const requests = {
    "PUT /entities": (path, body) => {
      const { Subscriptions, ...properties } = body;
      namespace.declare(path, properties, Subscriptions);
      return {};
    },
    "DELETE /entities": path => (namespace.remove(path), {}),
    "GET /entities": (path, _, query) => {
      const entity = namespace.receivable(path);
      return { ...entity.describe(), ...(query.has("messages") && { messages: entity.peek(0, Number(query.get("messages"))).map(message => message.describe()) }) };
    },
    "POST /expire": path => ({ ended: namespace.receivable(path).expireAll() }),
    "POST /detach": path => {
      const { receivers } = namespace.receivable(path);
      const error = new BrokerError(500, "amqp:link:detach-forced", "The link was detached by the broker.");
      for (const receiver of receivers) receiver.close(error);
      return { detached: receivers.length };
    },
    "PUT /faults": (_, body) => (faults.set(body), faults.current),
    "DELETE /faults": () => (faults.clear(), faults.current),
    "POST /cut": () => ({ cut: broker.cut() }),
    "POST /down": async () => (await broker.down(), {}),
    "POST /up": async () => ({ port: await broker.up() }),
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const [, verb, ...path] = pathname.split("/");
    let status = 200;
    let answer;
    try {
      const handle = requests[`${request.method} /${verb}`];
      if (!handle) throw new BrokerError(404, "", `There is no ${request.method} ${pathname}.`);
      const sent = await text(request);
      answer = await handle(decodeURIComponent(path.join("/")), sent === "" ? {} : JSON.parse(sent), searchParams);
    } catch (error) {
      status = error instanceof BrokerError ? error.status : 400;
      answer = { error: error.message };
    }

    response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(answer)}\n`);
  });
  await new Promise((resolve, reject) => server.listen(port, "127.0.0.1").once("listening", resolve).once("error", reject));
  return server.address().port;
}
