// A link on which a client receives. (In rhea it is a sender: the names there are the broker's.)
export class Receiver {
  session = undefined;

  #link;
  #isDrained = false;

  constructor(link, entity) {
    this.#link = link;
    this.entity = entity;
    // Sent as settled: the client is in the mode ReceiveAndDelete.
    this.deletes = link.snd_settle_mode === 1;
  }

  /** Messages that may still be sent: rhea lowers the credit only when it writes a message. */
  get credit() {
    const { outgoing } = this.#link.session;
    const unwritten = outgoing.next_delivery_id - outgoing.next_pending_delivery;
    return Math.min(this.#link.credit - unwritten, outgoing.available());
  }

  takes(message) {
    return this.session === undefined || message.sessionId === this.session.id;
  }

  send(message, token) {
    this.#link.send(message.encode(), token, 0);
  }

  /** The client has changed the credit, or asks for the rest of it. */
  flow() {
    this.#isDrained = false;
    this.entity.dispatch();
  }

  /** A client that drains the link waits until its credit is used up or given back. */
  answerDrain(hasMessage) {
    if (!this.#link._draining || this.#isDrained || (hasMessage && this.credit > 0)) return;
    this.#isDrained = true;
    this.#link.set_drained(true);
    // Outside of an event, rhea does not notice by itself.
    this.#link.connection._register();
  }

  /** Detaches the link. */
  close(error) {
    this.entity.removeReceiver(this);
    this.#link.close({ condition: error.condition, description: error.message });
  }
}
