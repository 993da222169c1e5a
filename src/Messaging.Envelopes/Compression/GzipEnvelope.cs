using System.Buffers.Binary;
using System.Globalization;
using System.IO.Hashing;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Compression;

/// <summary>
/// Gzip (RFC 1952) of one or more members. Checksums, lengths and the end are verified: a body that is cut off or followed by other bytes is refused.
/// </summary>
internal sealed class GzipEnvelope : IEnvelope
{
    public const string NotGzipReason = "not-gzip";
    public const string DamagedReason = "gzip-damaged";

    // A member costs a decompressor; 20 bytes are enough for one.
    private const int MaxMembers = 10_000;
    // Places that look like a member's trailer; each costs a run.
    private const int MaxTrailers = 16;

    private const int HeaderLength = 10;
    private const int TrailerLength = 8;
    private const byte HasChecksum = 2;
    private const byte HasExtra = 4;
    private const byte HasName = 8;
    private const byte HasComment = 16;
    private const byte Reserved = 0xE0;

    /// <summary>True for the beginning of such a body.</summary>
    public static bool IsMarked(ReadOnlySpan<byte> body) => body.StartsWith((ReadOnlySpan<byte>)[0x1F, 0x8B]);

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    private static void Unwrap(EnvelopeReading message)
    {
        ReadOnlyMemory<byte> body = message.Body;
        if (!IsMarked(body.Span))
        {
            message.RefuseUnrecognized(NotGzipReason, "The body does not begin with gzip's 1f 8b: byte 0.");
            return;
        }

        int at = 0;
        int members = 0;
        while (at < body.Length)
        {
            members++;
            if (!TryReadHeader(body.Span[at..], out int header))
            {
                Refuse(members == 1 ? "The header is damaged, or cut off" : "The bytes after the last member are no further one");
                return;
            }

            switch (ReadMember(message, body[(at + header)..], out int length))
            {
                case InflationResult.Whole when members <= MaxMembers:
                    at += header + length;
                    continue;
                case InflationResult.Whole:
                    Refuse($"There are more than {MaxMembers} members");
                    return;
                case InflationResult.TooLarge:
                    message.RefuseTooLarge();
                    return;
                case InflationResult.CutOff:
                    Refuse("The data is cut off");
                    return;
                default:
                    Refuse("The data or its checksum is damaged");
                    return;
            }
        }

        void Refuse(string fault) =>
            message.Refuse(
                DamagedReason, string.Create(CultureInfo.InvariantCulture, $"{fault}: member {members}, which begins at byte {at} of {body.Length}."));

        message.SetContent(message.Buffer.WrittenMemory);
    }

    /// <param name="message">Its buffer receives the content.</param>
    /// <param name="data">The member after its header, and what follows it.</param>
    /// <param name="length">The bytes of data and trailer.</param>
    private static InflationResult ReadMember(EnvelopeReading message, ReadOnlyMemory<byte> data, out int length)
    {
        int start = message.Buffer.Length;
        length = data.Length;
        if (data.Length < TrailerLength)
        {
            return InflationResult.CutOff;
        }

        InflationResult result = Inflation.Run(message, data[..^TrailerLength], out int left);
        if (result != InflationResult.Whole)
        {
            return result;
        }

        ReadOnlySpan<byte> content = message.Buffer.WrittenSpan[start..];
        Span<byte> trailer = stackalloc byte[TrailerLength];
        BinaryPrimitives.WriteUInt32LittleEndian(trailer, Crc32.HashToUInt32(content));
        BinaryPrimitives.WriteUInt32LittleEndian(trailer[4..], (uint)content.Length);
        if (left == 0)
        {
            return data.Span[^TrailerLength..].SequenceEqual(trailer) ? InflationResult.Whole : InflationResult.Damaged;
        }

        // Others follow. Where this member ends the decompressor does not tell, but the trailer is known now; the second run proves that the data ends there.
        // The data may hold the trailer's bytes too: that of an empty member is eight zeros.
        int end = data.Span.IndexOf(trailer);
        for (int candidate = 0; end >= 0 && candidate < MaxTrailers; candidate++)
        {
            message.Buffer.Truncate(start);
            if (Inflation.Run(message, data[..end], out left) == InflationResult.Whole && left == 0)
            {
                length = end + TrailerLength;
                return InflationResult.Whole;
            }

            int next = data.Span[(end + 1)..].IndexOf(trailer);
            end = next < 0 ? -1 : end + 1 + next;
        }

        return InflationResult.Damaged;
    }

    private static bool TryReadHeader(ReadOnlySpan<byte> member, out int length)
    {
        length = HeaderLength;
        const byte Deflate = 8;
        if (member.Length < HeaderLength || !IsMarked(member) || member[2] != Deflate || (member[3] & Reserved) != 0)
        {
            return false;
        }

        byte flags = member[3];
        if ((flags & HasExtra) != 0)
        {
            if (member.Length < length + 2)
            {
                return false;
            }

            length += 2 + BinaryPrimitives.ReadUInt16LittleEndian(member[length..]);
        }

        if (((flags & HasName) != 0 && !TrySkipText(member, ref length)) || ((flags & HasComment) != 0 && !TrySkipText(member, ref length)))
        {
            return false;
        }

        if ((flags & HasChecksum) == 0)
        {
            return length <= member.Length;
        }

        int end = length;
        length += 2;
        return length <= member.Length && BinaryPrimitives.ReadUInt16LittleEndian(member[end..]) == (ushort)Crc32.HashToUInt32(member[..end]);
    }

    private static bool TrySkipText(ReadOnlySpan<byte> member, ref int length)
    {
        int end = length > member.Length ? -1 : member[length..].IndexOf((byte)0);
        length += end + 1;
        return end >= 0;
    }
}
