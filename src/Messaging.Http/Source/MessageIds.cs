using System.Diagnostics.CodeAnalysis;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Quayside.Messaging.Sources;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// Ids of messages over HTTP: the caller's own, or derived from the content, never random. A caller that lost the answer sends the message again, and must
/// get the same object.
/// </summary>
internal static class MessageIds
{
    /// <summary>The request header that carries the caller's id.</summary>
    public const string Header = "X-Message-Id";

    /// <summary>The longest id a caller may give.</summary>
    public const int MaxHeaderLength = 256;

    /// <summary>The longest id: the caller's, a dash and the id derived from the content.</summary>
    public const int MaxLength = MaxHeaderLength + 1 + ContentId.Length;

    /// <summary>Reads the header; <paramref name="id"/> is null when there is none.</summary>
    /// <returns>False when the header is invalid.</returns>
    public static bool TryRead(IHeaderDictionary headers, out string? id, [NotNullWhen(false)] out HttpRefusal? refusal)
    {
        StringValues values = headers[Header];
        id = values.Count == 0 ? null : values[0];
        if (values.Count <= 1 && (id is null || IsValid(id)))
        {
            refusal = null;
            return true;
        }

        refusal = new HttpRefusal(
            StatusCodes.Status400BadRequest,
            "invalid-message-id",
            $"{Header} must occur once, with 1 to {MaxHeaderLength} visible ASCII characters. Without it, the worker derives the id from the content.");
        return false;
    }

    /// <summary>
    /// Writes the id of a message. A line's id is derived from its content, not from its number: a caller that sends only some lines again, where they have
    /// other numbers, must get the same objects.
    /// </summary>
    /// <param name="given">The caller's id; null to derive one from the content.</param>
    /// <param name="line">The line of an NDJSON request, from 1; 0 for a single body.</param>
    /// <param name="body">The message's bytes.</param>
    /// <param name="destination">At least <see cref="MaxLength"/> bytes.</param>
    /// <returns>The id's length.</returns>
    public static int Write(string? given, int line, ReadOnlySpan<byte> body, Span<byte> destination)
    {
        int length = Encoding.ASCII.GetBytes(given, destination);
        if (given is not null && line == 0)
        {
            return length;
        }

        if (length > 0)
        {
            destination[length++] = (byte)'-';
        }

        ContentId.Write(body, destination[length..]);
        return length + ContentId.Length;
    }

    // '!' to '~': visible ASCII without the space.
    private static bool IsValid(string id) =>
        id.Length is > 0 and <= MaxHeaderLength && !id.AsSpan().ContainsAnyExceptInRange('!', '~');
}
