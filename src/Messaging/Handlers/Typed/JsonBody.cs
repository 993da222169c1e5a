using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Configuration;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Reads a body into an object. Costs what the object costs. Threads: any.</summary>
internal sealed class JsonBody<T>(JsonTypeInfo<T> typeInfo)
{
    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Wraps the type info that a handler was added with, and reports one that can read nothing.</summary>
    public static JsonBody<T> Of(JsonTypeInfo<T>? typeInfo, SettingsReader settings, string handler)
    {
        if (typeInfo is null)
        {
            Fail("it is null.");
        }
        else if (FindDefect(typeInfo) is { } defect)
        {
            Fail(defect);
        }
        else if (LenientJson.Describe(typeInfo) is { } leniency)
        {
            settings.Warn($"Handlers:{handler}", value: null, leniency);
        }

        return new JsonBody<T>(typeInfo!);

        void Fail(string problem) => settings.Fail(
            $"Handlers:{handler}",
            value: null,
            $"must be added with a JsonTypeInfo<{typeof(T).Name}> that can read it: {problem} Put [JsonSerializable(typeof({typeof(T).Name}))] on a "
                + $"JsonSerializerContext and pass its property, such as OrderJson.Default.{typeof(T).Name}.");
    }

    /// <summary>Reads JSON null, which makes the serializer inspect the type and all types that it refers to.</summary>
    private static string? FindDefect(JsonTypeInfo<T> typeInfo)
    {
        try
        {
            JsonSerializer.Deserialize("null"u8, typeInfo);
            return null;
        }
        catch (JsonException)
        {
            // The type does not allow null, so it can be read.
            return null;
        }
        catch (Exception exception) when (exception is InvalidOperationException or NotSupportedException)
        {
            return exception.Message;
        }
    }

    /// <summary>Reads exactly one JSON value; a byte order mark before it is skipped.</summary>
    /// <param name="body">The body.</param>
    /// <param name="message">What was read.</param>
    /// <param name="refusal">Why the body cannot be read, as a dead letter.</param>
    public bool TryRead(ReadOnlySpan<byte> body, [NotNullWhen(true)] out T? message, out Settlement refusal)
    {
        int start = body.StartsWith(ByteOrderMark) ? ByteOrderMark.Length : 0;
        try
        {
            message = JsonSerializer.Deserialize(body[start..], typeInfo);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // A converter, constructor or property may throw any exception; the same bytes would make it throw again.
            message = default;
            refusal = JsonBodyFault.Describe(body, start, exception, typeInfo);
            return false;
        }

        refusal = message is null ? JsonBodyFault.Null(typeInfo) : default;
        return message is not null;
    }
}
