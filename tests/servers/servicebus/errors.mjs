// Errors as the service reports them: the client derives its exceptions from the conditions.
export class BrokerError extends Error {
  constructor(status, condition, description) {
    super(description);
    this.status = status;
    this.condition = condition;
  }
}

const lockLost = "The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.";

export const errors = {
  notFound: path => new BrokerError(404, "amqp:not-found", `The messaging entity '${path}' could not be found.`),
  disabled: path => new BrokerError(400, "com.microsoft:entity-disabled", `The messaging entity '${path}' is currently disabled.`),
  unauthorized: text => new BrokerError(401, "amqp:unauthorized-access", text),
  notAllowed: text => new BrokerError(400, "amqp:not-allowed", text),
  sessionsRequired: path => errors.notAllowed(`It is not possible for an entity that requires sessions to create a non-sessionful message receiver: ${path}`),
  noSessions: path => errors.notAllowed(`A sessionful message receiver cannot be created on an entity that does not require sessions: ${path}`),
  messageLockLost: () => new BrokerError(410, "com.microsoft:message-lock-lost", lockLost),
  sessionLockLost: id => new BrokerError(410, "com.microsoft:session-lock-lost", `The session lock has expired on the session ${id}. Accept a new session.`),
  sessionLocked: id => new BrokerError(409, "com.microsoft:session-cannot-be-locked", `The requested session '${id}' cannot be accepted. It may be locked by another receiver.`),
  noSession: () => new BrokerError(408, "com.microsoft:timeout", "No session with messages became available."),
  tooLarge: (size, limit) => new BrokerError(400, "amqp:link:message-size-exceeded", `The message of ${size} bytes exceeds the limit of ${limit} bytes.`),
  invalid: text => new BrokerError(400, "amqp:invalid-field", text),
  notImplemented: operation => new BrokerError(501, "amqp:not-implemented", `The emulator does not know the operation ${operation}.`),
};
