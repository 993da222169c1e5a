namespace Messaging.Testing;

/// <summary>A source, sink or handler does not keep its contract. The message says what was expected, and what happened instead.</summary>
public sealed class ContractException(string message, Exception? innerException = null) : Exception(message, innerException);
