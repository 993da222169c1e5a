using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Handlers;

namespace Quayside.Messaging.Testing;

/// <summary>Writes messages in the way in which the handlers of a worker read them.</summary>
internal sealed class MessageWriter(IReadOnlyList<IHandlerFeature> handlers)
{
    /// <exception cref="InvalidOperationException">No handler reads <typeparamref name="T"/>, or several read it with different options.</exception>
    public byte[] Write<T>(T message)
    {
        JsonTypeInfo<T>[] found = [.. handlers.Select(handler => handler.MessageTypeInfo).OfType<JsonTypeInfo<T>>().Distinct()];
        return found switch
        {
            [var only] => JsonSerializer.SerializeToUtf8Bytes(message, only),
            [] => throw new InvalidOperationException(
                $"No handler of this worker reads {typeof(T)}. {ReadTypes()} Send a message of such a type, or the JSON as text or bytes."),
            _ => throw new InvalidOperationException(
                $"{found.Length} handlers of this worker read {typeof(T)}, each with a JsonTypeInfo of its own. Send the JSON as text or bytes."),
        };
    }

    private string ReadTypes()
    {
        string[] types = [.. handlers.Select(handler => handler.MessageTypeInfo?.Type.ToString()).OfType<string>().Distinct()];
        return types.Length == 0 ? "It has no typed handler." : $"Its handlers read {string.Join(", ", types)}.";
    }
}
