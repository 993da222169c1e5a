// A message as the broker keeps it. The bytes of its body are never decoded, and every other section is kept with the AMQP types that the
// sender chose, so that a receiver gets what was sent.
import { randomUUID } from "node:crypto";
import rhea from "rhea";

const { types } = rhea;

const HEADER = 0x70;
const MESSAGE_ANNOTATIONS = 0x72;
const PROPERTIES = 0x73;
const APPLICATION_PROPERTIES = 0x74;
const DATA = 0x75;

// Places in the lists of the sections (AMQP 1.0, part 3.2).
const DELIVERY_COUNT = 4;
const MESSAGE_ID = 0;
const REPLY_TO = 4;
const SESSION_ID = 10;

/** The pairs of a map as [key, typed value]. */
export function pairs(typedMap) {
  const result = [];
  for (let i = 0; typedMap?.value && i + 1 < typedMap.value.length; i += 2) result.push([typedMap.value[i].value, typedMap.value[i + 1]]);
  return result;
}

/** Reads the sections before the body, and leaves body and footer as bytes. */
function read(bytes) {
  const sections = { body: Buffer.alloc(0) };
  const reader = new types.Reader(bytes);
  while (reader.remaining()) {
    const descriptor = new types.Reader(bytes.subarray(reader.position + 1)).read().value;
    if (descriptor >= DATA) {
      sections.body = bytes.subarray(reader.position);
      break;
    }

    sections[descriptor] = reader.read();
  }

  return sections;
}

/** The messages in a transfer of the format for batches: each is a data section. */
export function readBatch(bytes) {
  const messages = [];
  const reader = new types.Reader(bytes);
  while (reader.remaining()) {
    const section = reader.read();
    if (section.descriptor.value === DATA) messages.push(section.value);
  }

  return messages;
}

/** A request to $cbs or $management: properties of the application by name, and the body's value. */
export function readRequest(bytes) {
  const sections = read(bytes);
  const properties = sections[PROPERTIES]?.value ?? [];
  return {
    id: properties[MESSAGE_ID],
    replyTo: properties[REPLY_TO]?.value,
    properties: Object.fromEntries(pairs(sections[APPLICATION_PROPERTIES]).map(([key, value]) => [key, value.value])),
    body: sections.body.length > 0 ? new types.Reader(sections.body).read() : undefined,
  };
}

export class Message {
  sequenceNumber = 0;
  enqueuedAt = 0;
  lockedUntil = 0;
  deliveryCount = 0;
  deadLetterSource = undefined;

  #header;
  #annotations;
  #properties;
  #application;
  #body;

  constructor(bytes) {
    const sections = read(bytes);
    // The bytes are a part of what was read from the socket, and the message may stay for long.
    this.#body = Buffer.from(sections.body);
    // Copies: rhea reads every empty list as one shared array, which would then hold this message's id wherever an empty list is read or written.
    this.#header = [...(sections[HEADER]?.value ?? [])];
    this.#annotations = [...(sections[MESSAGE_ANNOTATIONS]?.value ?? [])];
    this.#properties = [...(sections[PROPERTIES]?.value ?? [])];
    this.#application = new Map(pairs(sections[APPLICATION_PROPERTIES]));
    // The service gives an id to a message without one.
    this.#properties[MESSAGE_ID] = this.id === undefined ? types.wrap_string(randomUUID().replaceAll("-", "")) : this.#properties[MESSAGE_ID];
  }

  get id() {
    return this.#properties[MESSAGE_ID]?.value ?? undefined;
  }

  get sessionId() {
    return this.#properties[SESSION_ID]?.value ?? undefined;
  }

  /** Adds or replaces properties of the application: pairs of name and typed value. */
  setProperties(changed) {
    for (const [name, value] of changed) this.#application.set(name, value);
  }

  /** The bytes for a receiver, or for one that peeks. */
  encode() {
    const header = this.#header.slice();
    header[DELIVERY_COUNT] = types.wrap_uint(this.deliveryCount);
    const annotations = [
      ...this.#annotations,
      ...annotation("x-opt-sequence-number", types.Long(this.sequenceNumber)),
      ...annotation("x-opt-enqueue-sequence-number", types.Long(this.sequenceNumber)),
      ...annotation("x-opt-enqueued-time", types.Timestamp(this.enqueuedAt)),
    ];
    if (this.lockedUntil) annotations.push(...annotation("x-opt-locked-until", types.Timestamp(this.lockedUntil)));
    if (this.deadLetterSource) annotations.push(...annotation("x-opt-deadletter-source", types.wrap_string(this.deadLetterSource)));

    const writer = new types.Writer();
    writer.write(section(HEADER, types.List32(header)));
    writer.write(section(MESSAGE_ANNOTATIONS, types.Map32(annotations)));
    writer.write(section(PROPERTIES, types.List32(this.#properties)));
    if (this.#application.size > 0) writer.write(section(APPLICATION_PROPERTIES, types.Map32([...this.#application].flatMap(([name, value]) => [types.wrap_string(name), value]))));
    return Buffer.concat([writer.toBuffer(), this.#body]);
  }

  /** As the control shows it. */
  describe() {
    return {
      id: this.id,
      sessionId: this.sessionId,
      sequenceNumber: this.sequenceNumber,
      deliveryCount: this.deliveryCount,
      properties: Object.fromEntries([...this.#application].map(([name, value]) => [name, types.unwrap(value)])),
    };
  }
}

function section(code, value) {
  return types.described_nc(types.wrap_ulong(code), value);
}

function annotation(name, value) {
  return [types.wrap_symbol(name), value];
}
