using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Quayside.Messaging.Aws.ExtendedClient;

/// <summary>Where the payload of a message is.</summary>
/// <param name="Bucket">The bucket.</param>
/// <param name="Key">The object's key.</param>
internal sealed record PayloadPointer(string Bucket, string Key)
{
    private static ReadOnlySpan<byte> BucketName => "s3BucketName"u8;

    private static ReadOnlySpan<byte> KeyName => "s3Key"u8;

    /// <summary>
    /// Reads the body of a message: an array with the name of a Java class and the pointer, as Amazon's clients for Java and Python write it, or the pointer
    /// alone, as those for .NET do. The case of the pointer's names differs between them.
    /// </summary>
    /// <param name="body">The body.</param>
    /// <param name="pointer">The pointer.</param>
    /// <returns>False for any other body.</returns>
    public static bool TryRead(ReadOnlySpan<byte> body, [NotNullWhen(true)] out PayloadPointer? pointer)
    {
        pointer = null;
        Utf8JsonReader reader = new(body);
        try
        {
            bool isArray = reader.Read() && reader.TokenType == JsonTokenType.StartArray;
            if (isArray && !(reader.Read() && reader.TokenType == JsonTokenType.String && IsPointerClass(ref reader) && reader.Read()))
            {
                return false;
            }

            if (reader.TokenType != JsonTokenType.StartObject || !TryReadMembers(ref reader, out string? bucket, out string? key))
            {
                return false;
            }

            if (isArray && !(reader.Read() && reader.TokenType == JsonTokenType.EndArray))
            {
                return false;
            }

            pointer = reader.Read() ? null : new PayloadPointer(bucket, key);
            return pointer is not null;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // Not JSON, or a text that is no Unicode.
            return false;
        }
    }

    private static bool IsPointerClass(ref Utf8JsonReader reader) =>
        reader.ValueTextEquals("software.amazon.payloadoffloading.PayloadS3Pointer"u8)
            || reader.ValueTextEquals("com.amazon.sqs.javamessaging.MessageS3Pointer"u8);

    // Other members would make it a message of another program.
    private static bool TryReadMembers(ref Utf8JsonReader reader, [NotNullWhen(true)] out string? bucket, [NotNullWhen(true)] out string? key)
    {
        bucket = null;
        key = null;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isBucket = Is(ref reader, BucketName);
            if ((!isBucket && !Is(ref reader, KeyName)) || !reader.Read() || reader.TokenType != JsonTokenType.String)
            {
                return false;
            }

            (bucket, key) = isBucket ? (reader.GetString(), key) : (bucket, reader.GetString());
        }

        return !string.IsNullOrEmpty(bucket) && !string.IsNullOrEmpty(key);
    }

    private static bool Is(ref Utf8JsonReader reader, ReadOnlySpan<byte> name) => System.Text.Ascii.EqualsIgnoreCase(reader.ValueSpan, name);
}
