// The sessions of an entity that requires them. One receiver at a time has the lock of a session, and only it gets the session's messages.
import { errors } from "./errors.mjs";

export class Sessions {
  #entity;
  // Session id -> { id, receiver, lockedUntil, timer }.
  #locked = new Map();
  #states = new Map();
  // Receivers that wait for any session: { receiver, accepted, refused, timer }.
  #waiting = [];

  constructor(entity) {
    this.#entity = entity;
  }

  find(id) {
    return this.#locked.get(id);
  }

  /** Locks a session for a receiver; without an id the next one that has messages, for which it waits. */
  async lock(receiver, id, timeout) {
    if (id !== null) {
      if (this.#locked.has(id)) throw errors.sessionLocked(id);
      return this.#give(receiver, id);
    }

    return new Promise((accepted, refused) => {
      const waiting = { receiver, accepted, timer: undefined };
      waiting.timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter(other => other !== waiting);
        refused(errors.noSession());
      }, timeout);
      this.#waiting.push(waiting);
      this.#entity.dispatch();
    });
  }

  /** Gives unlocked sessions with messages to receivers that wait for one. */
  accept() {
    while (this.#waiting.length > 0) {
      let id;
      if (!this.#entity.hasMessage(message => !this.#locked.has(message.sessionId) && (id = message.sessionId) !== undefined)) return;
      const { receiver, accepted, timer } = this.#waiting.shift();
      clearTimeout(timer);
      accepted(this.#give(receiver, id));
    }
  }

  /** A receiver that waits is gone. */
  forget(receiver) {
    for (const waiting of this.#waiting.filter(other => other.receiver === receiver)) clearTimeout(waiting.timer);
    this.#waiting = this.#waiting.filter(other => other.receiver !== receiver);
  }

  renew(id) {
    const session = this.#locked.get(id);
    if (!session) throw errors.sessionLockLost(id);
    return this.#extend(session);
  }

  /** Ends the lock of a session, and with it the locks of its messages. */
  release(session) {
    if (this.#locked.get(session.id) !== session) return;
    clearTimeout(session.timer);
    this.#locked.delete(session.id);
    this.#entity.expireAll(message => message.sessionId === session.id);
    this.#entity.dispatch();
  }

  getState(id) {
    return this.#states.get(id);
  }

  setState(id, state) {
    if (state === null || state === undefined) this.#states.delete(id);
    else this.#states.set(id, state);
  }

  /** The locked ones. */
  describe() {
    return [...this.#locked.values()].map(({ id, lockedUntil }) => ({ id, lockedUntil }));
  }

  #give(receiver, id) {
    const session = { id, receiver, lockedUntil: 0, timer: undefined };
    this.#locked.set(id, session);
    this.#extend(session);
    return session;
  }

  #extend(session) {
    clearTimeout(session.timer);
    session.lockedUntil = Date.now() + this.#entity.settings.lockDuration;
    session.timer = setTimeout(() => {
      this.release(session);
      session.receiver.close(errors.sessionLockLost(session.id));
    }, this.#entity.settings.lockDuration);
    return session.lockedUntil;
  }
}
