using System.Text;
using System.Text.Json;
using Quayside.Messaging.CloudFront;
using Quayside.Messaging.CloudFront.Documents;
using Quayside.Messaging.CloudFront.Gzip;
using Quayside.Pipeline.Buffers;
using Tests.Shared.CloudFront;

namespace Messaging.Tests.CloudFront;

/// <summary>Indexes compressed logs into a memory sink.</summary>
internal sealed class IndexRun : IBadRows
{
    public static readonly string[] Columns = ["date", "time", "cs(User-Agent)"];

    public const string TimestampField = "@timestamp";

    private readonly LogIndexer _indexer;

    public IndexRun(
        string[]? columns = null, string timestampField = TimestampField, int maxBadRows = 5, int maxRowBytes = 64 * 1024,
        string[]? optional = null)
    {
        DocumentShape.TryCreate(columns ?? Columns, timestampField, out DocumentShape? shape, out string? problem, optional).ShouldBeTrue(problem);
        _indexer = new LogIndexer(shape!, new LogLimits(new GzipLimits(64L << 20, 200), maxRowBytes, maxBadRows), Buffers);
    }

    public BufferPool Buffers { get; } = new();

    public MemoryDocuments Sink { get; } = new();

    /// <summary>Dead-lettered rows: number, reason and text.</summary>
    public List<string> Bad { get; } = [];

    public CancellationToken Cancellation { get; set; } = TestContext.Current.CancellationToken;

    public async Task<LogOutcome> IndexAsync(Stream source, long length = -1, Quayside.Messaging.Sinks.IDocumentRejections? rejections = null)
    {
        LogOutcome outcome;
        await using (Quayside.Messaging.Sinks.IDocumentWriter writer = Sink.Begin(rejections ?? new LogDeadLettersStub()))
        {
            outcome = await _indexer.IndexAsync(source, length, new DocumentId("logs", "key", "version"), writer, this, Cancellation);
        }

        Buffers.Outstanding.ShouldBe(0);
        Sink.Open.ShouldBe(0);
        return outcome;
    }

    public Task<LogOutcome> IndexAsync(byte[] compressed, int piece = int.MaxValue, bool suspend = false) =>
        IndexAsync(Pieces.Of(compressed, piece, suspend), compressed.Length);

    public Task<LogOutcome> IndexTextAsync(string text) => IndexAsync(AccessLog.Compress(Encoding.Latin1.GetBytes(text)));

    /// <summary>The documents in row order.</summary>
    public List<string> InOrder() =>
        [.. Sink.Documents
            .OrderBy(pair => long.Parse(pair.Key[(pair.Key.LastIndexOf('-') + 1)..], System.Globalization.CultureInfo.InvariantCulture))
            .Select(pair => pair.Value)];

    /// <summary>The expected documents, written with System.Text.Json.</summary>
    public static List<string> Expected(byte[] log) =>
    [
        .. ReadableLog.Parse(log, Columns).Split('\n').Select(line =>
        {
            string[] values = line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..].Split('|');
            return JsonSerializer.Serialize(
                new Dictionary<string, string>
                    { [TimestampField] = $"{values[0]}T{values[1]}Z", ["date"] = values[0], ["time"] = values[1], ["user_agent"] = values[2] });
        }),
    ];

    public ValueTask KeepAsync(BadRow row, CancellationToken cancellationToken)
    {
        Bad.Add($"{row.Number} {row.Fault} {Encoding.Latin1.GetString(row.Text.Span)}");
        return default;
    }
}
