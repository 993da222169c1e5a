using System.Collections.Immutable;
using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>Reads one body and returns its values as strings, with its own pool, to which every buffer must be returned.</summary>
internal static class BodyRun
{
    /// <summary>The properties that the tests read: two texts and a date.</summary>
    public static readonly ImmutableArray<HeaderProperty> Properties =
        [new("Product", HeaderUse.Text), new("EventDateUtc", HeaderUse.Date), new("MessageId", HeaderUse.Text)];

    public static BodyResult Read(string body, BodyValidation validation = BodyValidation.Full) => Read(Encoding.UTF8.GetBytes(body), validation);

    public static BodyResult Read(byte[] body, BodyValidation validation = BodyValidation.Full)
    {
        var pool = new BufferPool();
        var header = new ArchiveHeader(pool);
        byte[] before = [.. body];
        bool read = new ArchiveHeaderReader(Properties, validation).TryRead(body, header, out Poison poison);
        (poison.Reason is null).ShouldBe(read);
        poison.Position.ShouldBeInRange(0, body.Length);
        (poison.Property ?? "").Any(char.IsControl).ShouldBeFalse();
        BodyResult result = read
            ? new BodyResult(poison, Encoding.UTF8.GetString(header.Text(0)), header.Date(1), Encoding.UTF8.GetString(header.Text(2)))
            : new BodyResult(poison, "", default, "");
        header.Reset();
        pool.Outstanding.ShouldBe(0);
        body.AsSpan().SequenceEqual(before).ShouldBeTrue();
        return result;
    }
}
