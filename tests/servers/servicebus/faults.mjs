// What goes wrong, as the control has asked for it.
import { setTimeout as delay } from "node:timers/promises";
import { BrokerError } from "./errors.mjs";
import { key } from "./namespace.mjs";

const NONE = {
  // Milliseconds before a settlement is carried out.
  settlementDelay: 0,
  // The next settlements that are neither carried out nor answered.
  ignoredSettlements: 0,
  // The next settlements that are carried out and not answered.
  unansweredSettlements: 0,
  // The next renewals that are refused, and whose locks end.
  failedRenewals: 0,
  // The next transfers of a sender that are refused, as by a queue that is full.
  refusedSends: 0,
  // Entity -> condition with which its links and requests are refused, such as com.microsoft:server-busy.
  refused: {},
};

const STATUS = { "amqp:not-found": 404, "amqp:unauthorized-access": 401, "com.microsoft:server-busy": 503, "com.microsoft:timeout": 408 };

export class Faults {
  #current = structuredClone(NONE);

  get current() {
    return structuredClone(this.#current);
  }

  set(changes) {
    for (const name of Object.keys(changes)) if (!(name in NONE)) throw new TypeError(`There is no fault ${name}; there are ${Object.keys(NONE).join(", ")}.`);
    const { refused = {}, ...counts } = changes;
    Object.assign(this.#current, counts);
    for (const [entity, condition] of Object.entries(refused)) this.#current.refused[key(entity)] = condition;
  }

  clear() {
    this.#current = structuredClone(NONE);
  }

  /** Throws what the entity of an address is refused with. */
  check(address) {
    const condition = this.#current.refused[key(address).replace(/\/\$management$/, "")];
    if (condition) throw new BrokerError(STATUS[condition] ?? 400, condition, `The emulator was told to refuse '${address}'.`);
  }

  /** Carries out a settlement; false when it is not to be answered. What it throws is the answer. */
  async settle(carryOut) {
    if (this.#take("ignoredSettlements")) return false;
    const isAnswered = !this.#take("unansweredSettlements");
    if (this.#current.settlementDelay > 0) await delay(this.#current.settlementDelay);
    carryOut();
    return isAnswered;
  }

  /** Throws what a sender's transfer is refused with. */
  checkSend() {
    if (this.#take("refusedSends")) throw new BrokerError(403, "amqp:resource-limit-exceeded", "The emulator was told that the queue is full.");
  }

  failsRenewal() {
    return this.#take("failedRenewals");
  }

  #take(name) {
    if (this.#current[name] === 0) return false;
    this.#current[name]--;
    return true;
  }
}
