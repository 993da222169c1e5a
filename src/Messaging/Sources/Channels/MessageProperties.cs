using System.Text;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// What a published message has beside its body. Checked and copied when it is made, and never changed: one object may be published with
/// any number of messages. Threads: any.
/// </summary>
public sealed class MessageProperties
{
    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Named values, such as <c>tenant</c>; none by default. A message shows them in this order.</summary>
    /// <exception cref="ArgumentException">A name is empty or given twice, a value is null, or one of them is not valid text.</exception>
    public IReadOnlyList<KeyValuePair<string, string>> Attributes
    {
        get;
        init => field = Copy(value);
    } = [];

    /// <summary>What the message belongs to, as the message group of SQS; null without one. The channel keeps no order within it.</summary>
    /// <exception cref="ArgumentException">It is empty or not valid text.</exception>
    public string? Group
    {
        get;
        init => field = CheckOptional(value, "The group");
    }

    /// <summary>What tells that a message was sent twice; null without it. The channel itself drops no message by it.</summary>
    /// <exception cref="ArgumentException">It is empty or not valid text.</exception>
    public string? DeduplicationId
    {
        get;
        init => field = CheckOptional(value, "The deduplication id");
    }

    internal static MessageProperties None { get; } = new();

    /// <summary>All names and values in bytes of UTF-8: they count with the body.</summary>
    internal long Bytes
    {
        get
        {
            long bytes = Length(Group) + Length(DeduplicationId);
            foreach ((string name, string value) in Attributes)
            {
                bytes += Length(name) + Length(value);
            }

            return bytes;
        }
    }

    private static long Length(string? text) => text is null ? 0 : Encoding.UTF8.GetByteCount(text);

    private static KeyValuePair<string, string>[] Copy(IReadOnlyList<KeyValuePair<string, string>> attributes)
    {
        ArgumentNullException.ThrowIfNull(attributes);
        HashSet<string> names = new(StringComparer.Ordinal);
        foreach ((string name, string value) in attributes)
        {
            Check(name, "The name of an attribute");
            if (name.Length == 0)
            {
                throw new ArgumentException("The name of an attribute is empty.", nameof(attributes));
            }

            Check(value, $"The attribute '{name}'");
            if (!names.Add(name))
            {
                throw new ArgumentException($"The attribute '{name}' is given twice; a message has at most one of a name.", nameof(attributes));
            }
        }

        return [.. attributes];
    }

    private static string? CheckOptional(string? text, string what)
    {
        if (text is null)
        {
            return null;
        }

        Check(text, what);
        return text.Length > 0 ? text : throw new ArgumentException($"{what} is empty; null means none.", nameof(text));
    }

    private static void Check(string? text, string what)
    {
        if (text is null)
        {
            throw new ArgumentException($"{what} is null.", nameof(text));
        }

        try
        {
            StrictUtf8.GetByteCount(text);
        }
        catch (EncoderFallbackException exception)
        {
            throw new ArgumentException($"{what} is not valid text: it contains a lone surrogate.", nameof(text), exception);
        }
    }
}
