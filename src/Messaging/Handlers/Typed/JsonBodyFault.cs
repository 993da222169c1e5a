using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Json;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Handlers.Typed;

/// <summary>Describes why a body could not be read, and where. Not on the path of messages that can be read.</summary>
internal static class JsonBodyFault
{
    /// <summary>The dead-letter reason of JSON that does not fit the handler's type.</summary>
    public const string WrongShape = "wrong-shape";

    private const string Inconvertible = "The JSON value could not be converted to ";
    private const string MissingProperties = " was missing required properties including: ";

    // exception.Message is cut here: it ends in line and column, but positions in a body are byte offsets.
    private static readonly string[] PositionMarks = [" Path: ", " LineNumber: "];

    /// <summary>The dead letter of JSON <c>null</c>.</summary>
    public static Settlement Null(JsonTypeInfo typeInfo) =>
        Settlement.DeadLetter(WrongShape, $"The body is JSON null; the handler takes {NameOf(typeInfo.Type)}.");

    /// <summary>The dead letter of a body that the serializer refused.</summary>
    /// <param name="body">The whole body.</param>
    /// <param name="start">Where its JSON begins.</param>
    /// <param name="exception">What the serializer, or code that it called, threw.</param>
    /// <param name="typeInfo">What the body should be.</param>
    public static Settlement Describe(ReadOnlySpan<byte> body, int start, Exception exception, JsonTypeInfo typeInfo)
    {
        string path = exception is JsonException { Path: { Length: > 0 } found } ? $"path {found}" : string.Empty;
        ReadOnlySpan<byte> json = body[start..];
        if (FindInvalidUtf8(json) is int invalid and >= 0)
        {
            return Settlement.DeadLetter(
                JsonReasons.InvalidUtf8, $"The body is not UTF-8: {Place($"at byte {Text(start + invalid)}", path)}.{JsonReasons.AdviceFor(body)}");
        }

        if (FindSyntaxFault(json, typeInfo.Options) is { } syntax)
        {
            return Settlement.DeadLetter(
                JsonReasons.MalformedJson, $"The body is not JSON: {Place(At(json, start, syntax), path)}: {WordsOf(syntax)}{JsonReasons.AdviceFor(body)}");
        }

        string? type = exception is JsonException ? null : exception.GetType().FullName;
        string place = Place(At(json, start, exception as JsonException), path);
        string words = WordsOf(exception, typeInfo);
        string cause = place.Length == 0 ? words : $"{place}: {words}";
        return Settlement.DeadLetter(
            WrongShape, $"Cannot read the body as {NameOf(typeInfo.Type)}: {cause}", type) with
        { Exception = type is null ? null : exception };
    }

    private static JsonException? FindSyntaxFault(ReadOnlySpan<byte> json, JsonSerializerOptions options)
    {
        Utf8JsonReader reader = new(json, new JsonReaderOptions
        {
            AllowTrailingCommas = options.AllowTrailingCommas,
            CommentHandling = options.ReadCommentHandling,
            MaxDepth = options.MaxDepth,
        });
        try
        {
            while (reader.Read())
            {
            }

            return null;
        }
        catch (JsonException exception)
        {
            return exception;
        }
    }

    /// <returns>The index of the first byte that is not UTF-8; -1 when all are.</returns>
    private static int FindInvalidUtf8(ReadOnlySpan<byte> json)
    {
        int index = 0;
        while (index < json.Length)
        {
            if (Rune.DecodeFromUtf8(json[index..], out _, out int consumed) != OperationStatus.Done)
            {
                return index;
            }

            index += consumed;
        }

        return -1;
    }

    private static string At(ReadOnlySpan<byte> json, int start, JsonException? exception)
    {
        if (exception is not { LineNumber: { } line, BytePositionInLine: { } inLine })
        {
            return string.Empty;
        }

        int lineStart = 0;
        for (; line > 0; line--)
        {
            lineStart += json[lineStart..].IndexOf((byte)'\n') + 1;
        }

        return $"at byte {Text(start + lineStart + inLine)}";
    }

    private static string Place(string position, string path) => position.Length == 0 || path.Length == 0 ? position + path : $"{position}, {path}";

    private static string WordsOf(Exception exception)
    {
        string words = exception.Message;
        foreach (string mark in PositionMarks)
        {
            int end = words.IndexOf(mark, StringComparison.Ordinal);
            words = end < 0 ? words : words[..end];
        }

        int missing = words.IndexOf(MissingProperties, StringComparison.Ordinal);
        return missing < 0 ? words : $"required properties are missing: {words[(missing + MissingProperties.Length)..]}";
    }

    private static string WordsOf(Exception exception, JsonTypeInfo typeInfo) =>
        exception is JsonException { Path: { Length: > 0 } path }
            && exception.Message.StartsWith(Inconvertible, StringComparison.Ordinal)
            && JsonExpectation.Of(typeInfo, path) is { } expected
            ? $"expected {expected}."
            : WordsOf(exception);

    private static string NameOf(Type type)
    {
        int arity = type.Name.IndexOf('`', StringComparison.Ordinal);
        return arity < 0 ? type.Name : type.Name[..arity];
    }

    private static string Text(long position) => position.ToString(CultureInfo.InvariantCulture);
}
