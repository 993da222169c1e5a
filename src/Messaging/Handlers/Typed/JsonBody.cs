using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Messaging.Configuration;
using Pipeline.Settlements;

namespace Messaging.Handlers.Typed;

/// <summary>Reads a body into an object. Costs what the object costs. Threads: any.</summary>
internal sealed class JsonBody<T>(JsonTypeInfo<T> typeInfo)
{
    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Takes what a handler was added with, and reports what can read nothing.</summary>
    public static JsonBody<T> Of(JsonTypeInfo<T>? typeInfo, SettingsReader settings, string handler)
    {
        if (typeInfo is null)
        {
            Fail("there is none.");
        }
        else if (FindDefect(typeInfo) is { } defect)
        {
            Fail(defect);
        }

        return new JsonBody<T>(typeInfo!);

        void Fail(string problem) => settings.Fail(
            $"Handlers:{handler}",
            value: null,
            $"must be added with a JsonTypeInfo<{typeof(T).Name}> that can read it: {problem} Put [JsonSerializable(typeof({typeof(T).Name}))] on a JsonSerializerContext and give its property, such as OrderJson.Default.{typeof(T).Name}.");
    }

    /// <summary>Reads JSON null, which makes the serializer look at the type and all that it refers to.</summary>
    private static string? FindDefect(JsonTypeInfo<T> typeInfo)
    {
        try
        {
            JsonSerializer.Deserialize("null"u8, typeInfo);
            return null;
        }
        catch (JsonException)
        {
            // Not null, says the type: it can read.
            return null;
        }
        catch (Exception exception) when (exception is InvalidOperationException or NotSupportedException)
        {
            return exception.Message;
        }
    }

    /// <summary>Reads one JSON value and nothing behind it; a byte order mark before it is skipped.</summary>
    /// <param name="body">The body.</param>
    /// <param name="message">What was read.</param>
    /// <param name="refusal">Why not, as a dead letter.</param>
    public bool TryRead(ReadOnlySpan<byte> body, [NotNullWhen(true)] out T? message, out Settlement refusal)
    {
        int start = body.StartsWith(ByteOrderMark) ? ByteOrderMark.Length : 0;
        try
        {
            message = JsonSerializer.Deserialize(body[start..], typeInfo);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // Whatever a converter, constructor or property throws: the same bytes would make it throw again.
            message = default;
            refusal = JsonBodyFault.Describe(body, start, exception, typeInfo);
            return false;
        }

        refusal = message is null ? JsonBodyFault.Null(typeInfo) : default;
        return message is not null;
    }
}
