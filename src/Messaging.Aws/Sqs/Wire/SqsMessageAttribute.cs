namespace Messaging.Aws.Sqs.Wire;

/// <summary>A message attribute with values of its own: it may outlive the message. Lone surrogates became U+FFFD.</summary>
/// <param name="Name">The attribute's name.</param>
/// <param name="DataType"><c>String</c>, <c>Number</c> or <c>Binary</c>, maybe with a custom label after a dot.</param>
/// <param name="StringValue">The value of a string or number; null for binary.</param>
/// <param name="BinaryValue">The value of a binary; empty otherwise.</param>
internal sealed record SqsMessageAttribute(string Name, string DataType, string? StringValue, ReadOnlyMemory<byte> BinaryValue = default);
