using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Testing;

/// <summary>
/// What every document sink must do: one method per rule, each over a sink that passed its check, with an empty index whose field <c>bytes</c> is
/// a whole number. Quayside.Messaging.Testing.Xunit tests each of them.
/// </summary>
/// <param name="sink">The sink under test. The caller disposes it.</param>
/// <param name="readBack">Reads documents by their ids, bypassing the sink.</param>
/// <param name="count">Counts the documents of the index, bypassing the sink.</param>
public sealed class DocumentSinkContract(
    IDocumentSink sink, Func<IReadOnlyCollection<string>, ValueTask<IReadOnlyDictionary<string, JsonNode>>> readBack, Func<ValueTask<long>> count)
{
    /// <summary>
    /// Makes the index accept no document until the result is disposed, as for a missing privilege or a block; null when the store cannot be made to,
    /// and the rule about it then passes without a check.
    /// </summary>
    public Func<ValueTask<IAsyncDisposable>>? BlockIndex { get; init; }

    /// <summary>Cancels the rules' waits.</summary>
    public CancellationToken CancellationToken { get; init; }

    /// <summary>A message without documents is stored.</summary>
    public async Task Complete_NoDocuments_IsStored() => Is(await WriteAsync([]), created: 0);

    /// <summary>One document, two, and more than any batch holds are all indexed as they were written.</summary>
    public async Task Complete_Documents_AreAllThereExactly()
    {
        int written = 0;
        foreach (int length in (int[])[1, 2, 1_000, 25_000])
        {
            (string Id, string Json)[] documents = [.. Enumerable.Range(written, length).Select(Document)];
            written += length;

            Is(await WriteAsync(documents), created: length);

            await HoldsAsync(documents, written);
        }
    }

    /// <summary>Texts of every script, escapes, nesting and long values are kept.</summary>
    public async Task Complete_UnusualTexts_AreKept()
    {
        (string, string)[] documents =
        [
            ("a", """{"t":"grün 日本語 🙂 \" \\ \/ \u0000 \ud83d\ude00"}"""),
            ("B-_9", """{"nested":{"a":[1,2.5,null,true,{"b":""}]}}"""),
            (new string('x', 512), """{"t":"the longest id"}"""),
            ("large", $$"""{"t":"{{new string('y', 200_000)}}"}"""),
        ];

        Is(await WriteAsync(documents), created: 4);

        await HoldsAsync(documents);
    }

    /// <summary>A document whose id already exists counts as indexed.</summary>
    public async Task Complete_SameDocumentsAgain_AreThereAlready()
    {
        (string Id, string Json)[] documents = [.. Enumerable.Range(0, 300).Select(Document)];
        await WriteAsync(documents[..100]);

        Is(await WriteAsync(documents), created: 200, existing: 100);
        Is(await WriteAsync(documents), created: 0, existing: 300);
        await HoldsAsync(documents);
    }

    /// <summary>Of two documents with the same id in one message, the first is kept.</summary>
    public async Task Complete_SameIdTwiceInOneMessage_KeepsTheFirst()
    {
        Is(await WriteAsync([("same", """{"n":1}"""), ("same", """{"n":2}""")]), created: 1, existing: 1);

        await HoldsAsync([("same", """{"n":1}""")]);
    }

    /// <summary>Documents that the store refuses are reported one at a time, each with its id, bytes and reason; the others are indexed.</summary>
    public async Task Complete_DocumentsThatTheStoreRefuses_AreReportedOneByOneAndTheOthersKept()
    {
        (string Id, string Json)[] documents =
            [.. Enumerable.Range(0, 500).Select(i => i % 100 == 7 ? ($"bad-{i}", $$"""{"n":{{i}},"bytes":"not a number"}""") : Document(i))];
        RecordedRejections rejections = new();

        Is(await WriteAsync(documents, rejections), created: 495, rejected: 5);

        Require.Equal(
            string.Join(' ', rejections.All.Select(rejection => rejection.Id).Order(StringComparer.Ordinal)), "bad-107 bad-207 bad-307 bad-407 bad-7",
            "Each refused document is reported with its id.");
        foreach (RecordedRejection rejection in rejections.All)
        {
            Require.Equal(rejection.Json, documents.First(document => document.Id == rejection.Id).Json, "A refused document is reported as it was written.");
            Require.Equal(rejection.Status, 400, "A document that does not fit its index is the client's error.");
            Require.True(
                rejection.Type.Length > 0 && rejection.Reason.Contains("bytes", StringComparison.Ordinal),
                $"The reason names the field: '{rejection.Type}' '{rejection.Reason}'.");
        }

        Require.True(!rejections.Overlapped, "Refused documents are reported one at a time.");
        await HoldsAsync([.. documents.Where(document => !document.Id.StartsWith("bad", StringComparison.Ordinal))]);
    }

    /// <summary>A message of which the store refuses every document counts none as indexed, so that its handler dead-letters it.</summary>
    public async Task Complete_EveryDocumentIsRefused_CountsNoneAsIndexed()
    {
        RecordedRejections rejections = new();

        DocumentsResult result = await WriteAsync(Enumerable.Range(0, 3).Select(i => ($"bad-{i}", """{"bytes":"not a number"}""")), rejections);

        Is(result, created: 0, rejected: 3);
        Require.True(result.HasOnlyRejections, "A message of which every document was refused has only rejections.");
        Require.Equal(rejections.All.Count, 3, "Each refused document is reported.");
        await HoldsAsync([], total: 0);
    }

    /// <summary>A document that exists counts as indexed, whatever happens to the others: the message is not one of rejections only.</summary>
    public async Task Complete_ExistingDocumentBesideARefusedOne_CountsAsIndexed()
    {
        await WriteAsync([Document(1)]);

        DocumentsResult result = await WriteAsync([Document(1), ("bad", """{"bytes":"not a number"}""")]);

        Is(result, created: 0, existing: 1, rejected: 1);
        Require.True(!result.HasOnlyRejections, "An existing document counts as indexed.");
    }

    /// <summary>A fault of the index rejects no document: the message is not stored, and is stored once the index accepts documents.</summary>
    public async Task Complete_IndexAcceptsNoDocument_RejectsNone()
    {
        if (BlockIndex is null)
        {
            return;
        }

        RecordedRejections rejections = new();
        await using (await BlockIndex())
        {
            DocumentsResult refused = await WriteAsync([Document(1), Document(2)], rejections);

            Require.True(
                refused.Status is SinkStatus.Refused or SinkStatus.Transient, $"A message is not stored while the index accepts no document: {refused}.");
            Require.True(!string.IsNullOrEmpty(refused.Detail), "The result says why.");
            Require.Empty(rejections.All, "A fault of the index rejects no document.");
        }

        Is(await WriteAsync([Document(1), Document(2)], rejections), created: 2);
    }

    /// <summary>When a refused document cannot be kept, the message fails with that exception.</summary>
    public async Task Complete_RejectionThatCannotBeKept_FailsTheMessage()
    {
        RecordedRejections rejections = new() { Failure = new IOException("disk full") };

        IOException thrown = await Require.ThrowsAsync<IOException>(
            async () => await WriteAsync([("a", """{"bytes":"x"}""")], rejections), "A refused document that cannot be kept fails the message.");

        Require.Equal(thrown.Message, "disk full", "The message fails with the exception that was thrown.");
    }

    /// <summary>Many concurrent messages are indexed, each with its own result.</summary>
    public async Task Write_ManyConcurrently_KeepsTheDocumentsOfEach()
    {
        const int Writers = 16;
        (string Id, string Json)[][] all =
            [.. Enumerable.Range(0, Writers).Select(writer => Enumerable.Range(0, 500).Select(i => ($"w{writer}-{i}", Document(i).Json)).ToArray())];

        foreach (DocumentsResult result in await Task.WhenAll(all.Select(documents => WriteAsync(documents))))
        {
            Is(result, created: 500);
        }

        await HoldsAsync([.. all.SelectMany(documents => documents)]);
    }

    /// <summary>A writer that is disposed with a document open, or documents unsent, leaves the sink usable and nothing behind.</summary>
    public async Task Dispose_WithoutComplete_LeavesTheSinkUsable()
    {
        await using (IDocumentWriter writer = sink.Begin(new RecordedRejections()))
        {
            Add(writer, "given-up", """{"n":0}""");
        }

        await using (IDocumentWriter writer = sink.Begin(new RecordedRejections()))
        {
            writer.Open("half"u8);
            writer.Body.GetSpan(3)[0] = (byte)'{';
            writer.Body.Advance(1);
        }

        Is(await WriteAsync([("kept", """{"n":1}""")]), created: 1);
        await HoldsAsync([("kept", """{"n":1}""")]);
    }

    /// <summary>Ending a message counts the documents that were sent, and forgets the others.</summary>
    public async Task End_WithDocumentsSentAndNotSent_CountsThoseThatWereSent()
    {
        await using IDocumentWriter writer = sink.Begin(new RecordedRejections());
        Add(writer, "sent", "{}");
        await writer.SendAsync(CancellationToken);
        Add(writer, "not-sent", "{}");

        Is(await writer.EndAsync(CancellationToken), created: 1);
    }

    /// <summary>Completing with a cancelled token throws.</summary>
    public async Task Complete_Cancelled_Throws()
    {
        await using IDocumentWriter writer = sink.Begin(new RecordedRejections());
        Add(writer, "a", "{}");

        await Require.ThrowsAsync<OperationCanceledException>(
            async () => await writer.CompleteAsync(new CancellationToken(canceled: true)), "A cancelled completion throws.");
    }

    /// <summary>An id that is empty, too long, or has other characters than allowed is the caller's error.</summary>
    public async Task Open_WrongId_Throws()
    {
        await using IDocumentWriter writer = sink.Begin(new RecordedRejections());
        foreach (string id in (string[])["", "a b", "a\"b", "ä", "a\n", new string('x', 513)])
        {
            await Require.ThrowsAsync<ArgumentException>(
                () =>
                {
                    writer.Open(Encoding.UTF8.GetBytes(id));
                    return default;
                },
                $"'{id}' is not a document id.");
        }
    }

    private static void Is(DocumentsResult result, long created, long existing = 0, long rejected = 0) =>
        Require.Equal(result, new DocumentsResult(SinkStatus.Stored, created, existing, rejected), "Every document of a message is accounted for.");

    private static (string Id, string Json) Document(int number) =>
        (string.Create(CultureInfo.InvariantCulture, $"doc-{number}"),
            string.Create(CultureInfo.InvariantCulture, $$"""{"n":{{number}},"bytes":{{number * 7}},"agent":"Mozilla/5.0 (X11; Linux x86_64) {{number}}"}"""));

    private static void Add(IDocumentWriter writer, string id, string json)
    {
        writer.Open(Encoding.UTF8.GetBytes(id));

        // In pieces of all sizes, as writers of JSON ask for them.
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

    private async Task<DocumentsResult> WriteAsync(IEnumerable<(string Id, string Json)> documents, RecordedRejections? rejections = null)
    {
        await using IDocumentWriter writer = sink.Begin(rejections ?? new RecordedRejections());
        foreach ((string id, string json) in documents)
        {
            Add(writer, id, json);
            if (writer.IsFull && !await writer.SendAsync(CancellationToken))
            {
                break;
            }
        }

        return await writer.CompleteAsync(CancellationToken);
    }

    private async Task HoldsAsync(IReadOnlyCollection<(string Id, string Json)> documents, int? total = null)
    {
        Require.Equal(await count(), total ?? documents.Count, "The index holds each document once.");
        IReadOnlyDictionary<string, JsonNode> held = await readBack([.. documents.Select(document => document.Id)]);
        foreach ((string id, string json) in documents)
        {
            Require.True(held.TryGetValue(id, out JsonNode? found), $"The index holds {id}.");
            Require.True(JsonNode.DeepEquals(JsonNode.Parse(json), found), $"{id} holds {found.ToJsonString()}");
        }
    }
}
