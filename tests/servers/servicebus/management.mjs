// The node $management of an entity: requests that need no receiving link, such as peeking, or settling after the link was closed.
import rhea from "rhea";
import { BrokerError, errors } from "./errors.mjs";
import { pairs } from "./message.mjs";

const { types } = rhea;

const OUTCOMES = { completed: "complete", abandoned: "abandon", suspended: "deadLetter", unlocked: "release" };

// One function per operation: it gets a context and the request's body, and returns the body of the answer, or NO_ANSWER.
const OPERATIONS = {
  "renew-lock": ({ entity, faults }, body) => {
    const tokens = body["lock-tokens"].map(lockToken);
    if (faults.failsRenewal()) {
      for (const token of tokens) entity.expire(token);
      throw errors.messageLockLost();
    }

    return { expirations: types.wrap_array(entity.renew(tokens), types.Timestamp.typecode) };
  },

  "update-disposition": async ({ entity, faults, typed }, body) => {
    const status = body["disposition-status"];
    const outcome = OUTCOMES[status] ?? status;
    const details = { reason: body["deadletter-reason"], description: body["deadletter-description"], properties: pairs(typed.get("properties-to-modify")) };
    const isAnswered = await faults.settle(() => {
      for (const token of body["lock-tokens"]) entity.settle(lockToken(token), outcome, details);
    });
    return isAnswered ? null : NO_ANSWER;
  },

  "peek-message": ({ entity }, body) => {
    const messages = entity.peek(Number(body["from-sequence-number"]), body["message-count"], body["session-id"] ?? undefined);
    if (messages.length === 0) throw new BrokerError(204, "com.microsoft:no-content", "There are no more messages.");
    return { messages: messages.map(message => ({ message: message.encode() })) };
  },

  "renew-session-lock": ({ entity }, body) => ({ expiration: types.wrap_timestamp(entity.sessions.renew(body["session-id"])) }),

  "get-session-state": ({ entity }, body) => ({ "session-state": entity.sessions.getState(body["session-id"]) ?? null }),

  "set-session-state": ({ entity }, body) => {
    entity.sessions.setState(body["session-id"], body["session-state"]);
    return null;
  },
};

/** The answer of an operation that is not to be answered. */
export const NO_ANSWER = Symbol("no answer");

/** Carries out a request; returns the body of the answer. */
export async function manage(request, entity, faults) {
  const name = String(request.properties.operation).replace(/^com\.microsoft:/, "");
  const operation = OPERATIONS[name];
  if (!operation) throw errors.notImplemented(request.properties.operation);
  return await operation({ entity, faults, typed: new Map(pairs(request.body)) }, types.unwrap(request.body));
}

/** The first three groups of a GUID are little-endian in a delivery tag, and big-endian in a UUID of AMQP. */
function swapGuid(bytes) {
  return Buffer.from([bytes[3], bytes[2], bytes[1], bytes[0], bytes[5], bytes[4], bytes[7], bytes[6], ...bytes.subarray(8)]);
}

function lockToken(uuid) {
  return swapGuid(uuid).toString("hex");
}
