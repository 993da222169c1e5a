using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Messaging.Sinks;

namespace Contracts.Sinks;

/// <summary>What every document sink does, whatever stands behind it. A subclass opens one over an empty index whose field <c>bytes</c> is a whole number, and reads documents back past it.</summary>
public abstract class DocumentSinkContract : IAsyncLifetime
{
    private IDocumentSink? _sink;

    internal IDocumentSink Sink => _sink ?? throw new InvalidOperationException("The sink is opened before each test.");

    protected static CancellationToken Token => TestContext.Current.CancellationToken;

    public virtual async ValueTask InitializeAsync()
    {
        _sink = await OpenAsync();
        await _sink.CheckAsync(Token);
    }

    public virtual async ValueTask DisposeAsync()
    {
        if (_sink is not null)
        {
            await _sink.DisposeAsync();
        }

        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Complete_NoDocuments_IsStored()
    {
        DocumentsResult result = await WriteAsync([]);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 0, 0, 0), result);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(1_000)]
    [InlineData(25_000)]
    public async Task Complete_Documents_AreAllThereExactly(int count)
    {
        (string Id, string Json)[] documents = [.. Enumerable.Range(0, count).Select(Document)];

        DocumentsResult result = await WriteAsync(documents);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, count, 0, 0), result);
        await ShouldHoldAsync(documents);
    }

    [Fact]
    public async Task Complete_UnusualTexts_AreKept()
    {
        (string, string)[] documents =
        [
            ("a", """{"t":"grün 日本語 🙂 \" \\ \/ \u0000 \ud83d\ude00"}"""),
            ("B-_9", """{"nested":{"a":[1,2.5,null,true,{"b":""}]}}"""),
            (new string('x', 512), """{"t":"the longest id"}"""),
            ("large", $$"""{"t":"{{new string('y', 200_000)}}"}"""),
        ];

        DocumentsResult result = await WriteAsync(documents);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 4, 0, 0), result);
        await ShouldHoldAsync(documents);
    }

    [Fact]
    public async Task Complete_SameDocumentsAgain_AreThereAlready()
    {
        (string Id, string Json)[] documents = [.. Enumerable.Range(0, 300).Select(Document)];
        await WriteAsync(documents[..100]);

        DocumentsResult second = await WriteAsync(documents);
        DocumentsResult third = await WriteAsync(documents);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 200, 100, 0), second);
        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 0, 300, 0), third);
        await ShouldHoldAsync(documents);
    }

    [Fact]
    public async Task Complete_SameIdTwiceInOneMessage_KeepsTheFirst()
    {
        DocumentsResult result = await WriteAsync([("same", """{"n":1}"""), ("same", """{"n":2}""")]);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 1, 1, 0), result);
        await ShouldHoldAsync([("same", """{"n":1}""")]);
    }

    [Fact]
    public async Task Complete_DocumentsThatTheStoreRefuses_AreToldOneByOneAndTheOthersKept()
    {
        (string Id, string Json)[] documents = [.. Enumerable.Range(0, 500).Select(i => i % 100 == 7 ? ($"bad-{i}", $$"""{"n":{{i}},"bytes":"not a number"}""") : Document(i))];
        RecordedRejections rejections = new();

        DocumentsResult result = await WriteAsync(documents, rejections);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 495, 0, 5), result);
        Assert.Equal([7L, 107, 207, 307, 407], rejections.All.Select(rejection => rejection.Index));
        Assert.All(rejections.All, rejection =>
        {
            Assert.Equal(documents[(int)rejection.Index].Json, rejection.Json);
            Assert.Equal(400, rejection.Status);
            Assert.EndsWith("parsing_exception", rejection.Type, StringComparison.Ordinal);
            Assert.Contains("bytes", rejection.Reason, StringComparison.Ordinal);
        });
        Assert.False(rejections.Overlapped);
        await ShouldHoldAsync([.. documents.Where(document => !document.Id.StartsWith("bad", StringComparison.Ordinal))]);
    }

    [Fact]
    public async Task Complete_RejectionThatCannotBeKept_FailsTheMessage()
    {
        RecordedRejections rejections = new() { Failure = new IOException("disk full") };

        IOException thrown = await Assert.ThrowsAsync<IOException>(async () => await WriteAsync([("a", """{"bytes":"x"}""")], rejections));

        Assert.Equal("disk full", thrown.Message);
    }

    [Fact]
    public async Task Write_ManyAtOnce_KeepsEachOnesDocuments()
    {
        const int Writers = 16;
        (string Id, string Json)[][] all = [.. Enumerable.Range(0, Writers).Select(writer => Enumerable.Range(0, 500).Select(i => ($"w{writer}-{i}", Document(i).Json)).ToArray())];

        DocumentsResult[] results = await Task.WhenAll(all.Select(documents => WriteAsync(documents)));

        Assert.All(results, result => Assert.Equal(new DocumentsResult(SinkStatus.Stored, 500, 0, 0), result));
        await ShouldHoldAsync([.. all.SelectMany(documents => documents)]);
    }

    [Fact]
    public async Task Dispose_WithoutComplete_LeavesTheSinkUsable()
    {
        await using (IDocumentWriter writer = Sink.Begin(new RecordedRejections()))
        {
            Add(writer, "given-up", """{"n":0}""");
        }

        await using (IDocumentWriter writer = Sink.Begin(new RecordedRejections()))
        {
            writer.Open("half"u8);
            writer.Body.GetSpan(3)[0] = (byte)'{';
            writer.Body.Advance(1);
        }

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 1, 0, 0), await WriteAsync([("kept", """{"n":1}""")]));
        await ShouldHoldAsync([("kept", """{"n":1}""")]);
    }

    [Fact]
    public async Task End_WithDocumentsSentAndNotSent_CountsThoseThatWereSent()
    {
        await using IDocumentWriter writer = Sink.Begin(new RecordedRejections());
        Add(writer, "sent", "{}");
        await writer.SendAsync(Token);
        Add(writer, "not-sent", "{}");

        DocumentsResult result = await writer.EndAsync(Token);

        Assert.Equal(new DocumentsResult(SinkStatus.Stored, 1, 0, 0), result);
    }

    [Fact]
    public async Task Complete_Cancelled_Throws()
    {
        await using IDocumentWriter writer = Sink.Begin(new RecordedRejections());
        Add(writer, "a", "{}");

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await writer.CompleteAsync(new CancellationToken(canceled: true)));
    }

    [Fact]
    public async Task Open_IdThatIsNone_Throws()
    {
        await using IDocumentWriter writer = Sink.Begin(new RecordedRejections());
        foreach (string id in (string[])["", "a b", "a\"b", "ä", "a\n", new string('x', 513)])
        {
            Assert.Throws<ArgumentException>(() => writer.Open(Encoding.UTF8.GetBytes(id)));
        }
    }

    /// <summary>The documents that the index holds, by their ids.</summary>
    internal abstract ValueTask<IReadOnlyDictionary<string, JsonNode>> ReadBackAsync(IReadOnlyCollection<string> ids);

    /// <summary>How many there are.</summary>
    internal abstract ValueTask<long> CountAsync();

    internal abstract ValueTask<IDocumentSink> OpenAsync();

    protected static (string Id, string Json) Document(int number) =>
        (string.Create(CultureInfo.InvariantCulture, $"doc-{number}"), string.Create(CultureInfo.InvariantCulture, $$"""{"n":{{number}},"bytes":{{number * 7}},"agent":"Mozilla/5.0 (X11; Linux x86_64) {{number}}"}"""));

    internal async Task<DocumentsResult> WriteAsync(IEnumerable<(string Id, string Json)> documents, RecordedRejections? rejections = null)
    {
        await using IDocumentWriter writer = Sink.Begin(rejections ?? new RecordedRejections());
        foreach ((string id, string json) in documents)
        {
            Add(writer, id, json);
            if (writer.IsFull && !await writer.SendAsync(Token))
            {
                break;
            }
        }

        return await writer.CompleteAsync(Token);
    }

    internal async Task ShouldHoldAsync(IReadOnlyCollection<(string Id, string Json)> documents)
    {
        Assert.Equal(documents.Count, await CountAsync());
        IReadOnlyDictionary<string, JsonNode> held = await ReadBackAsync([.. documents.Select(document => document.Id)]);
        foreach ((string id, string json) in documents)
        {
            Assert.True(JsonNode.DeepEquals(JsonNode.Parse(json), held[id]), $"{id} holds {held[id].ToJsonString()}");
        }
    }

    private static void Add(IDocumentWriter writer, string id, string json)
    {
        writer.Open(Encoding.UTF8.GetBytes(id));

        // In pieces of all sizes, as the writers of JSON ask for them.
        ReadOnlySpan<byte> bytes = Encoding.UTF8.GetBytes(json);
        for (int piece = 1; bytes.Length > 0; piece = (piece * 3) + 1)
        {
            int length = Math.Min(piece, bytes.Length);
            bytes[..length].CopyTo(writer.Body.GetSpan(length));
            writer.Body.Advance(length);
            bytes = bytes[length..];
        }

        writer.Close();
    }
}
