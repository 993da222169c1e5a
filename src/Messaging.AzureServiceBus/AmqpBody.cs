using System.Text;
using Azure.Core.Amqp;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Reads the bytes of an AMQP message's body: data sections (as the library's own senders write), a value or a sequence (other clients).
/// See http://docs.oasis-open.org/amqp/core/v1.0/os/amqp-core-messaging-v1.0-os.html, section 3.2.
/// </summary>
internal static class AmqpBody
{
    /// <summary>Dead-letter reason of a message whose body is neither bytes nor text.</summary>
    public const string UnsupportedReason = "unsupported-body";

    /// <summary>The body's bytes, not copied where they are one section.</summary>
    /// <exception cref="DeadLetterException">The body is neither bytes nor text.</exception>
    public static ReadOnlyMemory<byte> Read(AmqpMessageBody body)
    {
        if (body.TryGetData(out IEnumerable<ReadOnlyMemory<byte>>? data) && data is not null)
        {
            return FromData(data);
        }

        return body.TryGetValue(out object? value) ? FromValue(value) : throw Unsupported($"an AMQP {body.BodyType.ToString().ToLowerInvariant()}");
    }

    /// <summary>Joins the data sections of a body in their order. A single section is not copied; no section is an empty body.</summary>
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
    /// <exception cref="DeadLetterException">The value is of another type.</exception>
    public static ReadOnlyMemory<byte> FromValue(object? value) => value switch
    {
        string text => Encoding.UTF8.GetBytes(text),
        byte[] bytes => bytes,
        ArraySegment<byte> bytes => bytes,
        ReadOnlyMemory<byte> bytes => bytes,
        _ => throw Unsupported($"an AMQP value of type {value?.GetType().Name ?? "null"}"),
    };

    /// <summary>The exception for an unsupported body.</summary>
    /// <param name="type">What the body is, such as <c>an AMQP sequence</c>.</param>
    public static DeadLetterException Unsupported(string type) =>
        new(UnsupportedReason, $"The body is {type}; supported are AMQP data sections, and string or binary values. Send the message's bytes as data.");
}
