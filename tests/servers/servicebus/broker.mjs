// The broker on AMQP: connects the events of rhea with entities, $cbs and $management.
import rhea from "rhea";
import { checkToken } from "./cbs.mjs";
import { BrokerError, errors } from "./errors.mjs";
import { NO_ANSWER, manage } from "./management.mjs";
import { pairs, readBatch, readRequest } from "./message.mjs";
import { key } from "./namespace.mjs";
import { Receiver } from "./receiver.mjs";

const { types, message: amqp } = rhea;

// The format of a transfer that holds a batch of messages.
const BATCH_FORMAT = 0x80013700;
const SESSION_FILTER = "com.microsoft:session-filter";
const SESSION_WAIT = 60_000;

// The ticks of .NET (100 ns since the year 1) at the start of 1970.
const EPOCH_TICKS = 621_355_968_000_000_000n;

// rhea would decode each message, and forget which AMQP types it had.
amqp.decode = bytes => bytes;

/** What the broker knows of a client's connection. */
class Client {
  isAuthorized = false;
  receivers = new Set();
  // What requests give as reply-to -> the link for their answers.
  replies = new Map();
}

export class Broker {
  #namespace;
  #faults;
  #maxMessageSize;
  #clients = new Map();
  // rhea's link -> Receiver, or the function for what a client sends on it.
  #receivers = new Map();
  #takers = new Map();
  #sockets = new Set();
  #server = undefined;
  #port = 0;
  #container;

  constructor(namespace, faults, { maxMessageSize = 256 * 1024 } = {}) {
    this.#namespace = namespace;
    this.#faults = faults;
    this.#maxMessageSize = maxMessageSize;
    this.#container = rhea.create_container({ id: "servicebus-emulator" });
    this.#container.sasl_server_mechanisms.enable_anonymous();
    this.#container.sasl_server_mechanisms.MSSBCBS = this.#container.sasl_server_mechanisms.ANONYMOUS;
    this.#listenToEvents();
  }

  // ---- The network --------------------------------------------------------------------------------------------------------------

  /** Listens on loopback; returns the port. After `down`, on the same port again. */
  async up(port = this.#port) {
    if (this.#server) return this.#port;
    const server = this.#container.listen({
      port, host: "127.0.0.1", autoaccept: false, treat_modified_as_released: false, max_frame_size: 65_536, channel_max: 5_000,
      session_buffer_size: { incoming: 2_048, outgoing: 200_000 }, idle_time_out: 120_000, credit_window: 1_000,
    });
    server.prependListener("connection", socket => this.#accept(socket));
    await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
    this.#server = server;
    this.#port = server.address().port;
    return this.#port;
  }

  /** Cuts all connections and refuses new ones. Locks end, as over a restart of the service. */
  async down() {
    const closed = new Promise(resolve => (this.#server ? this.#server.close(resolve) : resolve()));
    this.#server = undefined;
    this.cut();
    await closed;
    for (const entity of this.#namespace.entities) entity.expireAll();
  }

  /** Cuts all connections; returns how many there were. */
  cut() {
    const count = this.#sockets.size;
    // Now, and not when the sockets are closed: until then messages would be given to links that no longer exist.
    for (const connection of [...this.#clients.keys()]) this.#disconnect(connection);
    for (const socket of this.#sockets) socket.destroy();
    return count;
  }

  #accept(socket) {
    this.#sockets.add(socket);
    socket.on("close", () => {
      this.#sockets.delete(socket);
      // rhea reports only a connection that the client has ended.
      for (const connection of [...this.#clients.keys()]) if (connection.socket === socket) this.#disconnect(connection);
    });
    socket.on("error", () => {});
    socket.setNoDelay(true);
    // rhea writes each frame by itself. Many small packets overflow a receiver's buffer on loopback, which then waits for a
    // retransmission: so the frames of a turn leave together.
    const { write } = socket;
    socket.write = (...args) => {
      if (socket.writableCorked === 0) {
        socket.cork();
        process.nextTick(() => socket.uncork());
      }

      return write.apply(socket, args);
    };
  }

  // ---- Events of rhea -----------------------------------------------------------------------------------------------------------

  #listenToEvents() {
    const on = (name, handle) => this.#container.on(name, handle);
    on("connection_open", ({ connection }) => this.#clients.set(connection, new Client()));
    on("connection_close", ({ connection }) => this.#disconnect(connection));
    on("disconnected", ({ connection }) => this.#disconnect(connection));
    on("session_close", ({ session }) => this.#closeLinks(link => link.session === session));
    on("sender_open", ({ sender }) => this.#openReceiver(sender));
    on("sender_flow", ({ sender }) => this.#receivers.get(sender)?.flow());
    on("sender_close", ({ sender }) => this.#closeLinks(link => link === sender));
    on("receiver_open", ({ receiver }) => this.#openSender(receiver));
    on("receiver_close", ({ receiver }) => this.#takers.delete(receiver));
    on("message", ({ receiver, delivery, message, format }) => this.#takers.get(receiver)?.(message, delivery, format));
    on("accepted", ({ sender, delivery }) => this.#settle(sender, delivery, "complete"));
    on("released", ({ sender, delivery }) => this.#settle(sender, delivery, "release"));
    on("modified", ({ sender, delivery }) => this.#settle(sender, delivery, delivery.remote_state.undeliverable_here ? "defer" : "abandon", readModified(delivery.remote_state)));
    on("rejected", ({ sender, delivery }) => this.#settle(sender, delivery, "deadLetter", readRejected(delivery.remote_state)));
    // A client that is cut off, or closes with an error, is no error of the broker.
    for (const name of ["connection_error", "session_error", "sender_error", "receiver_error", "protocol_error", "error"]) on(name, () => {});
  }

  #disconnect(connection) {
    this.#closeLinks(link => link.connection === connection, true);
    for (const link of [...this.#takers.keys()]) if (link.connection === connection) this.#takers.delete(link);
    this.#clients.delete(connection);
  }

  #closeLinks(fits, isCut = false) {
    for (const [link, receiver] of [...this.#receivers]) {
      if (!fits(link)) continue;
      this.#receivers.delete(link);
      receiver.entity.sessions.forget(receiver);
      receiver.entity.removeReceiver(receiver, isCut);
    }
  }

  // ---- Links on which a client receives -----------------------------------------------------------------------------------------

  #openReceiver(link) {
    const client = this.#clients.get(link.connection);
    link.local.attach.source = link.source?.described();
    link.local.attach.target = link.target?.described();
    link.local.attach.snd_settle_mode = link.snd_settle_mode;
    link.local.attach.rcv_settle_mode = link.rcv_settle_mode;
    const address = link.source?.address;
    this.#refusing(link, () => {
      if (key(address) === "$cbs" || this.#namespace.isManagement(address)) {
        if (key(address) !== "$cbs") this.#check(client, address);
        // The client for .NET names its address in requests, the one for JavaScript the link.
        client.replies.set(link.target?.address ?? link.name, link);
        return;
      }

      this.#check(client, address);
      // Not for answers: a client closes a link that exceeds its limit, and what is peeked at may be several messages.
      link.local.attach.max_message_size = this.#maxMessageSize;
      const receiver = new Receiver(link, this.#namespace.receivable(address));
      const filter = link.source.filter;
      if (filter && SESSION_FILTER in filter) this.#openSessionReceiver(link, receiver, filter[SESSION_FILTER]);
      else if (receiver.entity.settings.requiresSession) throw errors.sessionsRequired(receiver.entity.path);
      else this.#addReceiver(link, receiver);
    });
  }

  #addReceiver(link, receiver) {
    this.#receivers.set(link, receiver);
    receiver.entity.addReceiver(receiver);
  }

  /** The answer to the attach waits until there is a session: rhea, which would send it in this turn, is made to forget that it has to. */
  #openSessionReceiver(link, receiver, filter) {
    const { entity } = receiver;
    if (!entity.settings.requiresSession) throw errors.noSessions(entity.path);
    link.state.local_open = false;
    link.state.open_requests--;
    this.#receivers.set(link, receiver);
    const wanted = filter?.value ?? filter;
    entity.sessions.lock(receiver, wanted ?? null, Number(link.properties?.["com.microsoft:timeout"] ?? SESSION_WAIT)).then(
      session => {
        receiver.session = session;
        const { source } = link;
        source.filter = { [SESSION_FILTER]: session.id };
        link.local.attach.source = source.described();
        link.local.attach.properties = { "com.microsoft:locked-until-utc": ticks(session.lockedUntil) };
        link.open();
        entity.addReceiver(receiver);
      },
      error => {
        this.#receivers.delete(link);
        link.open();
        refuse(link, error);
      });
  }

  #settle(link, delivery, outcome, details) {
    const receiver = this.#receivers.get(link);
    if (!receiver) {
      // An answer of $cbs or $management.
      delivery.update(true);
      return;
    }

    if (receiver.deletes) return;
    this.#faults.settle(() => receiver.entity.settle(delivery.tag.toString("hex"), outcome, details)).then(
      isAnswered => isAnswered && answer(delivery, outcome === "release" ? amqp.released() : amqp.accepted()),
      error => answer(delivery, rejected(asBrokerError(error))));
  }

  // ---- Links on which a client sends --------------------------------------------------------------------------------------------

  #openSender(link) {
    const client = this.#clients.get(link.connection);
    link.local.attach.source = link.source?.described();
    link.local.attach.target = link.target?.described();
    link.local.attach.snd_settle_mode = link.snd_settle_mode;
    link.local.attach.max_message_size = this.#maxMessageSize;
    const address = link.target?.address;
    this.#refusing(link, () => {
      if (key(address) === "$cbs") {
        this.#takers.set(link, (bytes, delivery) => this.#answer(client, bytes, delivery, async request => {
          checkToken(request);
          client.isAuthorized = true;
          return null;
        }));
        return;
      }

      this.#check(client, address);
      if (this.#namespace.isManagement(address)) {
        const entity = this.#namespace.managed(address);
        this.#takers.set(link, (bytes, delivery) => this.#answer(client, bytes, delivery, request => {
          this.#faults.check(address);
          return manage(request, entity, this.#faults);
        }));
        return;
      }

      const send = this.#namespace.sendable(address);
      this.#takers.set(link, (bytes, delivery, format) => this.#take(bytes, delivery, format, send));
    });
  }

  #take(bytes, delivery, format, send) {
    try {
      this.#faults.checkSend();
      if (bytes.length > this.#maxMessageSize) throw errors.tooLarge(bytes.length, this.#maxMessageSize);
      for (const message of format === BATCH_FORMAT ? readBatch(bytes) : [bytes]) send(message);
      delivery.update(true, amqp.accepted().described());
    } catch (error) {
      delivery.update(true, rejected(asBrokerError(error)).described());
    }
  }

  async #answer(client, bytes, delivery, carryOut) {
    delivery.update(true, amqp.accepted().described());
    const request = readRequest(bytes);
    let body = null;
    let error;
    try {
      body = await carryOut(request);
    } catch (caught) {
      error = asBrokerError(caught);
    }

    const link = client.replies.get(request.replyTo);
    if (body === NO_ANSWER || !link?.is_open()) return;
    const [code, text] = [types.wrap_int(error?.status ?? 200), error?.message ?? "OK"];
    link.send({
      correlation_id: request.id,
      // $cbs and $management name them differently.
      application_properties: {
        "status-code": code, "status-description": text, statusCode: code, statusDescription: text,
        ...(error && { errorCondition: types.wrap_symbol(error.condition) }),
      },
      body,
    });
  }

  // ---- Refusing -----------------------------------------------------------------------------------------------------------------

  #check(client, address) {
    if (!client.isAuthorized) throw errors.unauthorized(`Unauthorized access to '${address}': no token was accepted on this connection.`);
    this.#faults.check(address);
  }

  #refusing(link, open) {
    try {
      open();
    } catch (error) {
      refuse(link, asBrokerError(error));
    }
  }
}

/** A link is refused by an attach without source and target, and a detach with the reason. */
function refuse(link, error) {
  link.local.attach.source = undefined;
  link.local.attach.target = undefined;
  link.close({ condition: error.condition, description: error.message });
}

function answer(delivery, outcome) {
  delivery.update(true, outcome.described());
  // The client's disposition leaves the delivery unsettled until this answer.
  delivery.remote_settled = true;
}

function rejected(error) {
  return amqp.rejected({ error: { condition: error.condition, description: error.message } });
}

/** A defect of the emulator must show, in the test's output too. */
function asBrokerError(error) {
  if (error instanceof BrokerError) return error;
  process.stderr.write(`${error.stack}\n`);
  return new BrokerError(500, "amqp:internal-error", `The emulator failed: ${error.message}`);
}

function readModified(state) {
  return { properties: pairs(state.value[2]) };
}

/** The client sends reason and description among the properties. */
function readRejected(state) {
  const properties = pairs(state.value[0]?.value?.[2]);
  const text = name => properties.find(([property]) => property === name)?.[1].value;
  return {
    reason: text("DeadLetterReason"),
    description: text("DeadLetterErrorDescription"),
    properties: properties.filter(([property]) => property !== "DeadLetterReason" && property !== "DeadLetterErrorDescription"),
  };
}

function ticks(milliseconds) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(milliseconds) * 10_000n + EPOCH_TICKS);
  return types.Long(bytes);
}
