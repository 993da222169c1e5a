// Messages that wait for a receiver, in the order of their sequence numbers.
export class Backlog {
  // Messages before #head have been taken; they are removed from time to time, so that a long queue need not move with each message.
  #messages = [];
  #head = 0;

  get length() {
    return this.#messages.length - this.#head;
  }

  /** Adds a message in its place: a redelivered one comes before those that were sent later. */
  add(message) {
    let at = this.#messages.length;
    while (at > this.#head && this.#messages[at - 1].sequenceNumber > message.sequenceNumber) at--;
    this.#messages.splice(at, 0, message);
  }

  /** Takes the first message that fits; undefined if none does. */
  take(fits) {
    for (let at = this.#head; at < this.#messages.length; at++) {
      const message = this.#messages[at];
      if (!fits(message)) continue;
      if (at === this.#head) this.#moveHead();
      else this.#messages.splice(at, 1);
      return message;
    }

    return undefined;
  }

  some(fits) {
    return this.toArray().some(fits);
  }

  toArray() {
    return this.#messages.slice(this.#head);
  }

  #moveHead() {
    this.#messages[this.#head++] = undefined;
    if (this.#head > 4096 && this.#head * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#head);
      this.#head = 0;
    }
  }
}
