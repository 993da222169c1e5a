using System.Text;
using Pipeline.Settlements;

namespace Messaging.ServiceBus.Port;

/// <summary>
/// The bytes of an AMQP message's body, which is data (the library's own senders), a value or a sequence (other clients). See
/// http://docs.oasis-open.org/amqp/core/v1.0/os/amqp-core-messaging-v1.0-os.html, section 3.2.
/// </summary>
public static class AmqpBody
{
    /// <summary>Dead-letter reason of a message whose body is neither bytes nor text.</summary>
    public const string UnsupportedReason = "unsupported-body";

    /// <summary>The data sections of a body, in their order; a single one is not copied, and none is an empty body.</summary>
    public static ReadOnlyMemory<byte> FromData(IEnumerable<ReadOnlyMemory<byte>> sections)
    {
        ReadOnlyMemory<byte>[] parts = [.. sections];
        if (parts.Length <= 1)
        {
            return parts.Length == 0 ? default : parts[0];
        }

        byte[] body = new byte[parts.Sum(part => part.Length)];
        Memory<byte> rest = body;
        foreach (ReadOnlyMemory<byte> part in parts)
        {
            part.CopyTo(rest);
            rest = rest[part.Length..];
        }

        return body;
    }

    /// <summary>A value body: text becomes UTF-8, binary stays as it is.</summary>
    /// <exception cref="PoisonMessageException">The value is of another type.</exception>
    public static ReadOnlyMemory<byte> FromValue(object? value) => value switch
    {
        string text => Encoding.UTF8.GetBytes(text),
        byte[] bytes => bytes,
        ArraySegment<byte> bytes => bytes,
        ReadOnlyMemory<byte> bytes => bytes,
        _ => throw Unsupported($"an AMQP value of type {TypeName(value)}"),
    };

    /// <summary>The exception for a body that is not taken.</summary>
    /// <param name="type">What it is, such as <c>an AMQP sequence</c>.</param>
    public static PoisonMessageException Unsupported(string type) =>
        new(UnsupportedReason, $"The body is {type}; supported are AMQP data sections, and a value that is a string or binary. Send the message's bytes as data.");

    private static string TypeName(object? value) => value switch
    {
        null => "null",
        bool => "boolean",
        byte or ushort or uint or ulong => "unsigned integer",
        sbyte or short or int or long => "integer",
        float or double => "floating point",
        decimal => "decimal",
        char => "char",
        DateTime or DateTimeOffset => "timestamp",
        Guid => "uuid",
        System.Collections.IDictionary => "map",
        System.Collections.IEnumerable => "list",
        _ => value.GetType().Name,
    };
}
