// A queue, a subscription or a dead-letter queue: its messages, and the locks on them.
import { randomBytes } from "node:crypto";
import rhea from "rhea";
import { Backlog } from "./backlog.mjs";
import { errors } from "./errors.mjs";
import { Sessions } from "./sessions.mjs";

const { types } = rhea;

export class Entity {
  sessions;

  // The receivers that have credit take turns.
  #receivers = [];
  #backlog = new Backlog();
  // Lock token (the bytes of the delivery tag as hexadecimal digits) -> { message, timer }.
  #locks = new Map();
  #lastNumber = 0;
  #isDispatching = false;
  #settled = { completed: 0, abandoned: 0, deadLettered: 0, released: 0, lockLost: 0 };

  /** A dead-letter queue has no dead-letter queue: there a message is delivered without end. */
  constructor(path, settings, deadLetters) {
    this.path = path;
    this.settings = settings;
    this.deadLetters = deadLetters;
    this.sessions = new Sessions(this);
  }

  // ---- Sending ------------------------------------------------------------------------------------------------------------------

  /** Refuses what the entity cannot take. */
  check(message) {
    if (this.settings.requiresSession && message.sessionId === undefined) throw errors.notAllowed(`The SessionId was not set on a message, and the entity '${this.path}' requires sessions.`);
  }

  /** Enqueues a message; returns its sequence number. */
  send(message) {
    message.sequenceNumber = ++this.#lastNumber;
    message.enqueuedAt = Date.now();
    this.putBack(message);
    return message.sequenceNumber;
  }

  /** Makes a message available. */
  putBack(message) {
    this.#backlog.add(message);
    this.dispatch();
  }

  // ---- Receiving ----------------------------------------------------------------------------------------------------------------

  addReceiver(receiver) {
    this.#receivers.push(receiver);
    this.dispatch();
  }

  /** The link is gone. Its messages stay locked, so that they can still be settled by their lock tokens; a session's become available. */
  removeReceiver(receiver, isCut) {
    this.#receivers = this.#receivers.filter(other => other !== receiver);
    if (!receiver.session) return;
    // Microsoft's article on message sessions: a session that is closed does not raise the delivery counts of its messages, as a lock that ends does.
    if (!isCut) for (const token of this.#tokens(message => message.sessionId === receiver.session.id)) this.settle(token, "release");
    this.sessions.release(receiver.session);
  }

  get receivers() {
    return this.#receivers.slice();
  }

  /** Gives messages to receivers after the current turn, in which more messages and credit may arrive. */
  dispatch() {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      this.#dispatch();
    });
  }

  #dispatch() {
    this.sessions.accept();
    for (let given = true; given;) {
      given = false;
      for (const receiver of this.receivers) {
        if (receiver.credit <= 0) continue;
        const message = this.#backlog.take(candidate => receiver.takes(candidate));
        if (!message) continue;
        given = true;
        if (receiver.deletes) receiver.send(message, undefined);
        else receiver.send(message, this.lock(message));
      }

      // One message each in turn.
      this.#receivers.push(...this.#receivers.splice(0, 1));
    }

    for (const receiver of this.receivers) receiver.answerDrain(this.#backlog.some(message => receiver.takes(message)));
  }

  hasMessage(fits) {
    return this.#backlog.some(fits);
  }

  // ---- Locks --------------------------------------------------------------------------------------------------------------------

  /** Locks a message; returns the lock token. */
  lock(message) {
    const token = randomBytes(16);
    const lock = { message, timer: undefined };
    this.#locks.set(token.toString("hex"), lock);
    this.#extend(token.toString("hex"), lock);
    return token;
  }

  /** Renews locks; returns when they end. */
  renew(tokens) {
    for (const token of tokens) if (!this.#locks.has(token)) throw errors.messageLockLost();
    return tokens.map(token => this.#extend(token, this.#locks.get(token)));
  }

  #extend(token, lock) {
    clearTimeout(lock.timer);
    // A message of a session is locked as long as its session.
    const session = this.settings.requiresSession ? this.sessions.find(lock.message.sessionId) : undefined;
    lock.message.lockedUntil = session?.lockedUntil ?? Date.now() + this.settings.lockDuration;
    lock.timer = session ? undefined : setTimeout(() => this.expire(token), this.settings.lockDuration);
    return lock.message.lockedUntil;
  }

  /** Ends a lock as time does: the message is redelivered, with a higher delivery count. */
  expire(token) {
    const lock = this.#unlock(token);
    if (!lock) return;
    this.#settled.lockLost++;
    this.#countDelivery(lock.message);
  }

  /** Ends the locks of messages that fit. */
  expireAll(fits = () => true) {
    const ended = this.#tokens(fits);
    for (const token of ended) this.expire(token);
    return ended.length;
  }

  #tokens(fits) {
    return [...this.#locks].filter(([, lock]) => fits(lock.message)).map(([token]) => token);
  }

  #unlock(token) {
    const lock = this.#locks.get(token);
    this.#locks.delete(token);
    clearTimeout(lock?.timer);
    return lock;
  }

  #countDelivery(message) {
    message.deliveryCount++;
    const max = this.settings.maxDeliveryCount;
    if (this.deadLetters && message.deliveryCount >= max) {
      this.#deadLetter(message, { reason: "MaxDeliveryCountExceeded", description: `Message could not be consumed after ${max} delivery attempts.` });
      return;
    }

    this.putBack(message);
  }

  // ---- Settling -----------------------------------------------------------------------------------------------------------------

  /** Settles a message by its lock token; `properties` are pairs of name and typed value. */
  settle(token, outcome, { reason, description, properties = [] } = {}) {
    if (!["complete", "abandon", "release", "deadLetter"].includes(outcome)) throw errors.invalid(`Unknown disposition '${outcome}'.`);
    const lock = this.#unlock(token);
    if (!lock) throw errors.messageLockLost();
    const { message } = lock;
    message.setProperties(properties);
    switch (outcome) {
      case "complete":
        this.#settled.completed++;
        break;
      case "abandon":
        this.#settled.abandoned++;
        this.#countDelivery(message);
        break;
      case "release":
        this.#settled.released++;
        this.putBack(message);
        break;
      case "deadLetter":
        this.#deadLetter(message, { reason, description });
        break;
    }
  }

  #deadLetter(message, { reason, description }) {
    if (!this.deadLetters) throw errors.notAllowed("A message in a dead-letter queue cannot be dead-lettered.");
    this.#settled.deadLettered++;
    if (reason) message.setProperties([["DeadLetterReason", types.wrap_string(reason)]]);
    if (description) message.setProperties([["DeadLetterErrorDescription", types.wrap_string(description)]]);
    message.deadLetterSource = this.path;
    message.deliveryCount = 0;
    this.deadLetters.send(message);
  }

  // ---- Looking ------------------------------------------------------------------------------------------------------------------

  /** Up to `count` messages, locked ones too, from a sequence number on. */
  peek(from, count, sessionId) {
    return this.#all().filter(message => message.sequenceNumber >= from && (sessionId === undefined || message.sessionId === sessionId)).slice(0, count);
  }

  describe() {
    return {
      path: this.path,
      active: this.#backlog.length,
      locked: this.#locks.size,
      sessions: this.sessions.describe(),
      credit: this.#receivers.map(receiver => receiver.credit),
      settled: this.#settled,
    };
  }

  #all() {
    const messages = [...this.#backlog.toArray(), ...[...this.#locks.values()].map(lock => lock.message)];
    return messages.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
  }
}
