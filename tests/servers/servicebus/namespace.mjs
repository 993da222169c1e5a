// The entities by their paths. They are declared in the format of Microsoft's emulator (deploy/servicebus/Config.json).
import { Entity } from "./entity.mjs";
import { errors } from "./errors.mjs";
import { Message } from "./message.mjs";

const DEAD_LETTERS = "/$deadletterqueue";
const MANAGEMENT = "/$management";

/** A topic keeps no message: each subscription gets a copy. */
class Topic {
  constructor(path, subscriptions, settings) {
    this.path = path;
    this.subscriptions = subscriptions;
    this.settings = settings;
  }
}

export class Namespace {
  #entities = new Map();

  /** Declares a queue, or a topic if the properties list subscriptions; replaces one of the same name, with its messages. */
  declare(path, properties = {}, subscriptions = undefined) {
    this.remove(path);
    if (subscriptions === undefined) {
      this.#add(path, readSettings(path, properties));
      return;
    }

    for (const { Name } of subscriptions) if (typeof Name !== "string") throw new TypeError(`${path}: a subscription is written as {"Name":"archive"}, with its properties as "Properties".`);
    const own = subscriptions.map(({ Name, Properties }) => this.#add(`${path}/Subscriptions/${Name}`, readSettings(`${path}/${Name}`, Properties ?? {})));
    this.#entities.set(key(path), new Topic(path, own, readSettings(path, properties)));
  }

  load({ UserConfig: { Namespaces } }) {
    for (const { Queues = [], Topics = [] } of Namespaces) {
      for (const { Name, Properties } of Queues) this.declare(Name, Properties);
      for (const { Name, Properties, Subscriptions = [] } of Topics) this.declare(Name, Properties, Subscriptions);
    }
  }

  #add(path, settings) {
    const deadLetters = new Entity(`${path}/$DeadLetterQueue`, { ...settings, requiresSession: false });
    const entity = new Entity(path, settings, deadLetters);
    this.#entities.set(key(path), entity);
    this.#entities.set(key(path) + DEAD_LETTERS, deadLetters);
    return entity;
  }

  /** Removes an entity, its dead-letter queue and its subscriptions; their links are closed as for an entity that was deleted. */
  remove(path) {
    for (const [name, entity] of this.#entities) {
      if (name !== key(path) && !name.startsWith(`${key(path)}/`)) continue;
      for (const receiver of entity.receivers ?? []) receiver.close(errors.notFound(entity.path));
      this.#entities.delete(name);
    }
  }

  /** The queue, subscription or dead-letter queue of an address; throws what a link to it is refused with. */
  receivable(address) {
    const entity = this.#find(address);
    if (entity instanceof Topic) throw errors.notAllowed(`Messages of the topic '${entity.path}' are received from a subscription.`);
    return entity;
  }

  /** The function that takes the messages for a queue or topic; throws what a link to it is refused with. */
  sendable(address) {
    const entity = this.#find(address);
    if (entity instanceof Topic) {
      return bytes => {
        for (const subscription of entity.subscriptions) subscription.check(new Message(bytes));
        return entity.subscriptions.map(subscription => subscription.send(new Message(bytes)))[0] ?? 0;
      };
    }

    if (!entity.deadLetters || key(entity.path).includes("/subscriptions/")) throw errors.notAllowed(`Messages cannot be sent to '${entity.path}'.`);
    return bytes => {
      const message = new Message(bytes);
      entity.check(message);
      return entity.send(message);
    };
  }

  /** The entity whose management node this is; undefined for another address. */
  managed(address) {
    const path = key(address);
    return path.endsWith(MANAGEMENT) ? this.#find(path.slice(0, -MANAGEMENT.length)) : undefined;
  }

  isManagement(address) {
    return key(address).endsWith(MANAGEMENT);
  }

  get entities() {
    return [...this.#entities.values()].filter(entity => entity instanceof Entity);
  }

  #find(address) {
    const entity = this.#entities.get(key(address));
    if (!entity) throw errors.notFound(address);
    if (entity.settings.isDisabled) throw errors.disabled(entity.path);
    return entity;
  }
}

/** Clients send paths and whole addresses; the service does not distinguish case. */
export function key(address) {
  return String(address).replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/^\//, "").toLowerCase();
}

const KNOWN = {
  LockDuration: (settings, value) => { settings.lockDuration = milliseconds(value); },
  MaxDeliveryCount: (settings, value) => { settings.maxDeliveryCount = positive(value); },
  RequiresSession: (settings, value) => { settings.requiresSession = value === true; },
  Status: (settings, value) => { settings.isDisabled = value === "Disabled"; },
};

// Of Microsoft's format, and without effect here (README.md).
const IGNORED = ["DeadLetteringOnMessageExpiration", "DefaultMessageTimeToLive", "DuplicateDetectionHistoryTimeWindow", "ForwardDeadLetteredMessagesTo", "ForwardTo", "RequiresDuplicateDetection"];

function readSettings(path, properties) {
  const settings = { lockDuration: 60_000, maxDeliveryCount: 10, requiresSession: false, isDisabled: false };
  for (const [name, value] of Object.entries(properties)) {
    if (KNOWN[name]) KNOWN[name](settings, value);
    else if (!IGNORED.includes(name)) throw new TypeError(`${path}: unknown property ${name}; known are ${Object.keys(KNOWN).join(", ")}.`);
  }

  return settings;
}

function milliseconds(text) {
  const match = /^PT(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text);
  if (!match || (match[1] ?? match[2]) === undefined) throw new TypeError(`'${text}' is not a duration such as PT1M or PT0.5S.`);
  return ((match[1] ?? 0) * 60 + Number(match[2] ?? 0)) * 1000;
}

function positive(value) {
  if (!Number.isInteger(value) || value < 1) throw new TypeError(`MaxDeliveryCount must be a whole number from 1, not '${value}'.`);
  return value;
}
