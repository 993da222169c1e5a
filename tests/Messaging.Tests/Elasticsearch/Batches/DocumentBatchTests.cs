using System.Globalization;
using System.Text;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Elasticsearch.BulkResponses;
using static Messaging.Tests.Elasticsearch.BulkResponses.BulkResponses;

namespace Messaging.Tests.Elasticsearch.Batches;

public sealed class DocumentBatchTests
{
    private static readonly ItemRules Rules = new("logs");

    private readonly SegmentPool _pool = new(retained: 4);

    [Fact]
    public async Task Write_DocumentsOverManySegments_AreTheLinesOfABulkRequest()
    {
        DocumentBatch batch = new(_pool, Rules);
        string[] documents = [.. Enumerable.Range(0, 300).Select(i => Json(i, padding: i * 17 % 2_000))];

        Fill(batch, documents);

        (await TextAsync(batch, 300)).ShouldBe(string.Concat(documents.Select((json, i) => Lines(json, i))));
        batch.BytesOf(300).ShouldBe(batch.Bytes);
        for (int i = 0; i < 300; i++)
        {
            Encoding.UTF8.GetString(batch.JsonOf(i).Span).ShouldBe(documents[i]);
        }

        _pool.Outstanding.ShouldBeGreaterThan(4);
        batch.Reset();
        _pool.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Write_DocumentLargerThanASegmentInOneCall_IsWhole()
    {
        DocumentBatch batch = new(_pool, Rules);
        string large = Json(0, padding: 3 * SegmentPool.SegmentBytes);

        Fill(batch, [large]);

        (await TextAsync(batch, 1)).ShouldBe(Lines(large, 0));
        batch.Reset();
        _pool.Outstanding.ShouldBe(0);
    }

    [Fact]
    public async Task Account_RandomAnswers_LeavesExactlyTheDocumentsToResend()
    {
        Random random = new(20260131);
        for (int round = 0; round < 200; round++)
        {
            DocumentBatch batch = new(_pool, Rules);
            string[] documents = [.. Enumerable.Range(0, random.Next(1, 40)).Select(i => Json(i, padding: random.Next(3_000)))];
            Fill(batch, documents);
            List<int> pending = [.. Enumerable.Range(0, documents.Length)];
            (long created, long existing) = (0, 0);
            List<int> rejected = [];
            while (pending.Count > 0)
            {
                int count = random.Next(1, pending.Count + 1);
                (await TextAsync(batch, count)).ShouldBe(string.Concat(pending.Take(count).Select(i => Lines(documents[i], i))));
                int[] kinds = [.. Enumerable.Range(0, count).Select(_ => random.Next(5))];
                int[] sent = [.. pending.Take(count)];

                Answer(batch, count, Of(errors: true, kinds.Select((kind, i) => Item(kind, sent[i])))).ShouldBeTrue();

                created += kinds.Count(kind => kind < 2);
                existing += kinds.Count(kind => kind == 2);
                rejected.AddRange(sent.Where((_, i) => kinds[i] == 3));
                pending = [.. sent.Where((_, i) => kinds[i] == 4), .. pending.Skip(count)];
                (batch.Pending, batch.Created, batch.Existing).ShouldBe((pending.Count, created, existing));
                batch.Rejected.Select(document => document.Document).ShouldBe(rejected);
                (batch.Retry is not null).ShouldBe(kinds.Contains(4));
            }

            batch.Reset();
        }

        _pool.Outstanding.ShouldBe(0);
    }

    [Fact]
    public void Account_AnswerOfOtherDocuments_ChangesNothing()
    {
        DocumentBatch batch = new(_pool, Rules);
        Fill(batch, [Json(0), Json(1), Json(2)]);

        Answer(batch, 3, Of(errors: true, Exists("d1"), Created("d0"), Created("d2"))).ShouldBeFalse();
        Answer(batch, 3, Of(errors: true, Exists("d0"), Created("d1"))).ShouldBeFalse();
        Answer(batch, 3, Of(errors: true, Failed("d0", 400, "t", "r"), Created("d1"), Created("d2"), Created("d3"))).ShouldBeFalse();
        Answer(batch, 3, Of(errors: false, Created("d0"))).ShouldBeFalse();
        Answer(batch, 3, Of(errors: true, Created("d0"), Created("d1"), Created("d2"), Exists("d3"))).ShouldBeFalse();

        (batch.Pending, batch.Created, batch.Existing).ShouldBe((3, 0L, 0L));
        Answer(batch, 3, Of(errors: false, Created("d0"), Created("d1"), Created("d2"))).ShouldBeTrue();
        (batch.Pending, batch.Created, batch.Rejected.Count).ShouldBe((0, 3L, 0));
    }

    [Theory]
    [InlineData("validation_exception")]
    [InlineData("illegal_argument_exception")]
    public void Account_ClusterIsAtItsLimitOfShards_RefusesTheWorkerAndRejectsNoDocument(string type)
    {
        const string Reason = "Validation Failed: 1: this action would add [2] total shards, but this cluster currently has [1000]/[1000] maximum shards open;";
        DocumentBatch batch = new(_pool, Rules);
        Fill(batch, [Json(0)]);

        Answer(batch, 1, Of(errors: true, Failed("d0", 400, type, Reason))).ShouldBeTrue();

        batch.Rejected.ShouldBeEmpty();
        batch.Pending.ShouldBe(1);
        batch.Refusal.ShouldNotBeNull().Reason.ShouldBe(Reason);
    }

    [Fact]
    public void Account_ErrorThatOtherDocumentsDecide_IsRejectedWithADoubtUntilTheReset()
    {
        DocumentBatch batch = new(_pool, Rules);
        Fill(batch, [Json(0), Json(1)]);

        Answer(batch, 2,
            Of(errors: true, Created("d0"),
                Failed("d1", 400, "strict_dynamic_mapping_exception",
                    "mapping set to strict, dynamic introduction of [x] within [_doc] is not allowed"))).ShouldBeTrue();

        (batch.Pending, batch.Created, batch.Rejected.Count, batch.Refusal).ShouldBe((0, 1L, 1, null));
        batch.Doubt.ShouldNotBeNull().Code.ShouldBe("strict_dynamic_mapping_exception");
        batch.Reset();
        batch.Doubt.ShouldBeNull();
    }

    [Fact]
    public void Account_DoubtOfAnInvalidAnswer_IsForgotten()
    {
        DocumentBatch batch = new(_pool, Rules);
        Fill(batch, [Json(0)]);

        Answer(batch, 1, Of(errors: true, Failed("d0", 400, "strict_dynamic_mapping_exception", "r"), Created("d1"))).ShouldBeFalse();
        Answer(batch, 1, Of(errors: false, Created("d0"))).ShouldBeTrue();

        batch.Doubt.ShouldBeNull();
    }

    [Fact]
    public void Reset_AfterUse_IsAsNew()
    {
        DocumentBatch batch = new(_pool, Rules) { IsLeftInUse = true };
        Fill(batch, [Json(0), Json(1), Json(2), Json(3)]);
        Answer(batch, 4, Of(errors: true, Created("d0"), Exists("d1"), Rejected("d2"), Failed("d3", 403, "t", "r"))).ShouldBeTrue();

        batch.Reset();

        (batch.Documents, batch.Bytes, batch.Pending, batch.IsLeftInUse).ShouldBe((0, 0, 0, false));
        (batch.Created, batch.Existing, batch.Rejected.Count, batch.Retry, batch.Refusal).ShouldBe((0L, 0L, 0, null, null));
        _pool.Outstanding.ShouldBe(0);
        Fill(batch, [Json(5)]);
        Answer(batch, 1, Of(errors: true, Failed("d0", 400, "t", "r"))).ShouldBeTrue();
        batch.Rejected.ShouldBe([new RejectedDocument(0, 400, "t", "r")]);
    }

    [Fact]
    public void Reset_LeftInUse_DropsItsBytes()
    {
        SegmentPool pool = new(retained: 1);
        DocumentBatch batch = new(pool, Rules);
        Fill(batch, [Json(0)]);
        byte[] used = Bytes(batch);
        batch.IsLeftInUse = true;

        batch.Reset();

        ReferenceEquals(pool.Rent(1), used).ShouldBeFalse();
    }

    [Fact]
    public void Open_InTheWrongOrder_Throws()
    {
        DocumentBatch batch = new(_pool, Rules);
        Should.Throw<InvalidOperationException>(batch.Close);
        batch.Open(ActionLine.Before, "a"u8, ActionLine.Behind);

        Should.Throw<InvalidOperationException>(() => batch.Open(ActionLine.Before, "b"u8, ActionLine.Behind));
        batch.Reset();
    }

    [Fact]
    public void Learn_RefusedBytes_LowersTheLimitPermanentlyAndNeverTooFar()
    {
        BatchLimits limits = new(1_000_000, 10);

        limits.Learn(1_000_000).ShouldBeTrue();
        limits.Learn(1_500_000).ShouldBeFalse();
        limits.Bytes.ShouldBe(500_000);
        limits.Learn(100).ShouldBeTrue();

        limits.Bytes.ShouldBe(SegmentPool.SegmentBytes);
    }

    private static string Json(int number, int padding = 0) =>
        string.Create(CultureInfo.InvariantCulture, $$"""{"n":{{number}},"p":"{{new string('p', padding)}}"}""");

    private static string Lines(string json, int number) =>
        string.Create(CultureInfo.InvariantCulture, $$$"""{"create":{"_id":"d{{{number}}}"}}""") + $"\n{json}\n";

    private static string Item(int kind, int document) => kind switch
    {
        2 => Exists($"d{document}"),
        3 => Failed($"d{document}", 400, "document_parsing_exception", "no"),
        4 => Rejected($"d{document}"),
        _ => Created($"d{document}"),
    };

    private static void Fill(DocumentBatch batch, string[] documents)
    {
        for (int i = 0; i < documents.Length; i++)
        {
            batch.Open(ActionLine.Before, Encoding.UTF8.GetBytes($"d{i}"), ActionLine.Behind);
            ReadOnlySpan<byte> json = Encoding.UTF8.GetBytes(documents[i]);

            // Written in two pieces, which may be in two segments.
            foreach (int length in (int[])[json.Length / 2, json.Length - (json.Length / 2)])
            {
                json[..length].CopyTo(batch.GetSpan(length));
                batch.Advance(length);
                json = json[length..];
            }

            batch.Close();
        }

        batch.Complete();
    }

    private static byte[] Bytes(DocumentBatch batch)
    {
        System.Runtime.InteropServices.MemoryMarshal.TryGetArray(batch.JsonOf(0), out ArraySegment<byte> segment).ShouldBeTrue();
        return segment.Array!;
    }

    private static async Task<string> TextAsync(DocumentBatch batch, int count)
    {
        using MemoryStream stream = new();
        await batch.WriteAsync(stream, count, TestContext.Current.CancellationToken);
        stream.Length.ShouldBe(batch.BytesOf(count));
        return Encoding.UTF8.GetString(stream.ToArray());
    }

    private static bool Answer(DocumentBatch batch, int count, string response)
    {
        batch.BeginAttempt(count);
        BulkResponseParser parser = new();
        parser.Read(BulkResponses.BulkResponses.Bytes(response), isEnd: true, batch, out _).ShouldBe(BulkParsing.Complete);
        return batch.TryAccount(parser.Items);
    }
}
