using System.Globalization;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.CloudFront;
using Quayside.Messaging.CloudFront.Rows;
using Quayside.Messaging.Sinks;
using Tests.Shared.CloudFront;

namespace Messaging.Tests.CloudFront;

/// <summary>From an object's bytes to documents: each row once, or a reason.</summary>
public sealed class LogIndexerTests
{
    [Theory]
    [InlineData(int.MaxValue, false, 7)]
    [InlineData(1_000, true, 7)]
    [InlineData(13, true, 1)]
    [InlineData(4_096, true, 1_000_000)]
    public async Task Index_Log_MakesADocumentARow(int piece, bool suspend, int batch)
    {
        byte[] log = AccessLog.Create(900);
        IndexRun run = new();
        run.Sink.BatchSize = batch;

        LogOutcome outcome = await run.IndexAsync(AccessLog.Compress(log), piece, suspend);

        outcome.Documents.ShouldBe(new DocumentsResult(SinkStatus.Stored, 900, 0, 0));
        outcome.Rows.ShouldBe(900);
        run.InOrder().ShouldBe(IndexRun.Expected(log));
    }

    [Fact]
    public async Task Index_SameLogAgain_AddsNothing()
    {
        byte[] compressed = AccessLog.CreateCompressed(50);
        IndexRun run = new();
        await run.IndexAsync(compressed);
        IReadOnlyDictionary<string, string> before = run.Sink.Documents;

        LogOutcome outcome = await run.IndexAsync(compressed, piece: 11);

        outcome.Documents!.Value.Existing.ShouldBe(50);
        run.Sink.Documents.ShouldBe(before);
    }

    [Fact]
    public async Task Index_TruncatedAtEveryByte_IsNeverComplete()
    {
        byte[] log = AccessLog.Create(40);
        byte[] compressed = AccessLog.Compress(log);
        List<string> expected = IndexRun.Expected(log);
        for (int length = 0; length < compressed.Length; length++)
        {
            IndexRun run = new();

            LogOutcome outcome = await run.IndexAsync(compressed[..length]);

            outcome.Fault.ShouldBe(length == 0 ? LogFault.NotGzip : LogFault.GzipTruncated, $"{length} bytes");
            outcome.Documents.ShouldBeNull();
            List<string> written = run.InOrder();
            written.ShouldBe(expected[..written.Count], $"{length} bytes: the documents before the fault are right");
        }
    }

    [Fact]
    public async Task Index_SourceFails_ReturnsTheFault()
    {
        IOException failure = new("reset");

        LogOutcome outcome = await new IndexRun().IndexAsync(new Pieces(AccessLog.CreateCompressed(40)[..100], _ => 30, suspend: true) { Failure = failure });

        outcome.SourceFailure.ShouldBeSameAs(failure);
    }

    [Fact]
    public async Task Index_Cancelled_Throws()
    {
        using CancellationTokenSource cancelled = new();
        IndexRun run = new();
        run.Sink.Gate = Task.Delay(Timeout.Infinite, TestContext.Current.CancellationToken);
        run.Cancellation = cancelled.Token;
        Task<LogOutcome> indexing = run.IndexAsync(AccessLog.CreateCompressed(100));

        await cancelled.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => indexing);
        run.Buffers.Outstanding.ShouldBe(0);
    }

    [Theory]
    [InlineData(nameof(SinkStatus.Transient))]
    [InlineData(nameof(SinkStatus.Refused))]
    public async Task Index_SinkFails_ReportsItAndStops(string name)
    {
        SinkStatus status = Enum.Parse<SinkStatus>(name);
        IndexRun run = new();
        run.Sink.Batch = batch => batch == 3 ? status : SinkStatus.Stored;

        LogOutcome outcome = await run.IndexAsync(AccessLog.CreateCompressed(500));

        outcome.Documents!.Value.Status.ShouldBe(status);
        run.Sink.Batches.ShouldBe(3);
    }

    [Fact]
    public async Task Index_BadRows_AreDeadLetteredAndTheRestIndexed()
    {
        IndexRun run = new(["a", "b"]);

        LogOutcome outcome = await run.IndexTextAsync("#Fields: a b\n1\t2\nshort\n3\t4\n\u00ff\u00fe\tx\n5\t6\tlong\n7\t8");

        outcome.Documents.ShouldBe(new DocumentsResult(SinkStatus.Stored, 3, 0, 0));
        outcome.Rows.ShouldBe(6);
        outcome.BadRows.ShouldBe(3);
        run.Bad.ShouldBe(["2 row-too-few-columns short", "4 row-invalid-utf8 \u00ff\u00fe\tx", "5 row-too-many-columns 5\t6\tlong"]);
        run.InOrder().ShouldBe(["""{"a":"1","b":"2"}""", """{"a":"3","b":"4"}""", """{"a":"7","b":"8"}"""]);
        run.Sink.Documents.Keys.Select(id => id.Split('-')[^1]).Order(StringComparer.Ordinal).ShouldBe(["1", "3", "6"]);
    }

    [Fact]
    public async Task Index_InvalidUtf8InAnUnusedColumn_IsIgnored()
    {
        IndexRun run = new(["b"]);

        LogOutcome outcome = await run.IndexTextAsync("#Fields: a b\n\u00ff\u00fe\tx\n");

        outcome.BadRows.ShouldBe(0);
        run.InOrder().ShouldBe(["""{"b":"x"}"""]);
    }

    [Theory]
    [InlineData(5, true)]
    [InlineData(6, false)]
    public async Task Index_BadRowsBeyondTheLimit_FailTheLog(int badRows, bool passes)
    {
        IndexRun run = new(["a", "b"], maxBadRows: 5);

        LogOutcome outcome = await run.IndexTextAsync("#Fields: a b\n" + string.Concat(Enumerable.Repeat("1\t2\nbad\n", badRows)));

        outcome.Fault.ShouldBe(passes ? null : LogFault.TooManyBadRows);
        outcome.Documents.HasValue.ShouldBe(passes);
        run.Bad.Count.ShouldBe(5);
    }

    [Theory]
    [InlineData("1\t2\n", "log-no-fields")]
    [InlineData("#Fields: a\n1\n", "log-missing-column")]
    [InlineData("#Version: 2.0\n#Fields: a b\n1\t2\n", "log-unknown-version")]
    [InlineData("#Fields: a a b\n1\t2\n", "log-bad-fields")]
    public async Task Index_LogThatCannotBeRead_HasItsReason(string text, string fault)
    {
        LogOutcome outcome = await new IndexRun(["a", "b"]).IndexTextAsync(text);

        outcome.Fault.ShouldBe(fault);
        outcome.Detail.ShouldNotBeEmpty();
        outcome.Documents.ShouldBeNull();
    }

    [Fact]
    public async Task Index_LogWithoutDateAndTime_NeedsNoTimestamp()
    {
        IndexRun run = new(["a"]);

        LogOutcome outcome = await run.IndexTextAsync("#Fields: a\n1\n");

        outcome.Fault.ShouldBeNull();
        run.InOrder().ShouldBe(["""{"a":"1"}"""]);
    }

    [Fact]
    public async Task Index_AColumnWithTheTimestampsField_ReplacesIt()
    {
        IndexRun run = new(["moment=@timestamp"]);

        await run.IndexTextAsync("#Fields: date time moment\n2026-01-31\t10:00:00\t1769853600123\n");

        run.InOrder().ShouldBe(["""{"@timestamp":"1769853600123"}"""]);
    }

    [Fact]
    public async Task Index_WithoutTimestampField_HasTheColumnsOnly()
    {
        IndexRun run = new(["date"], timestampField: string.Empty);

        await run.IndexTextAsync("#Fields: date time\n2026-01-31\t10:00:00\n");

        run.InOrder().ShouldBe(["""{"date":"2026-01-31"}"""]);
    }

    [Fact]
    public async Task Index_LogOfNineteenColumns_LeavesAnOptionalOneOut()
    {
        IndexRun run = new(["c-ip"], timestampField: string.Empty, optional: ["x-forwarded-for", "sc-status=status"]);
        string[] columns = [
            "date", "time", "x-edge-location", "sc-bytes", "c-ip", "cs-method", "cs(Host)", "cs-uri-stem", "sc-status", "cs(Referer)", "cs(User-Agent)",
            "cs-uri-query", "cs(Cookie)", "x-edge-result-type", "x-edge-request-id", "x-host-header", "cs-protocol", "cs-bytes", "time-taken"];

        LogOutcome outcome = await run.IndexTextAsync(
            $"#Fields: {string.Join(' ', columns)}\n{string.Join('\t', columns.Select(column => column == "c-ip" ? "192.0.2.1" : "200"))}\n#Fields: "
                + "x-forwarded-for c-ip\n\t192.0.2.2\n-\t192.0.2.3\n");

        outcome.BadRows.ShouldBe(0);
        run.InOrder().ShouldBe(["""{"c_ip":"192.0.2.1","status":"200"}""", """{"c_ip":"192.0.2.2","x_forwarded_for":""}""", """{"c_ip":"192.0.2.3"}"""]);
    }

    [Fact]
    public async Task Index_RequiredColumnMissing_NamesTheSettingForOptionalOnes()
    {
        LogOutcome outcome = await new IndexRun(["c-ip", "x-forwarded-for"]).IndexTextAsync("#Fields: c-ip\n192.0.2.1\n");

        outcome.Fault.ShouldBe(LogFault.MissingColumn);
        outcome.Detail.ShouldBe(
            "The log has no column x-forwarded-for. If not every log has it, name it in Handlers:CloudFront:OptionalColumns instead of Columns.");
    }

    [Fact]
    public async Task Index_TwoMembersWithHeadersOfTheirOwn_AreOneLog()
    {
        IndexRun run = new(["a", "b"]);
        byte[] two = [.. AccessLog.Compress("#Version: 1.0\n#Fields: a b\n1\t2\n"u8), .. AccessLog.Compress("#Version: 1.0\n#Fields: b x a\n3\t-\t4\n"u8)];

        LogOutcome outcome = await run.IndexAsync(two);

        outcome.Rows.ShouldBe(2);
        run.InOrder().ShouldBe(["""{"a":"1","b":"2"}""", """{"a":"4","b":"3"}"""]);
    }

    [Fact]
    public async Task Index_HeadersOnly_CompletesWithoutDocuments()
    {
        LogOutcome outcome = await new IndexRun(["a"]).IndexTextAsync("#Version: 1.0\n#Fields: a\n");

        outcome.Documents.ShouldBe(new DocumentsResult(SinkStatus.Stored, 0, 0, 0));
    }

    [Fact]
    public async Task Index_GeneratedLogs_AgreeWithTheReadableRules()
    {
        Random random = new(20260201);
        string[] values = ["-", "", "x", "two words", "quote\"", "back\\slash", "\u0002", "%41", new string('w', 200), "\r"];
        for (int i = 0; i < 300; i++)
        {
            StringBuilder text = new("#Fields: date x time y cs(User-Agent) z\n");
            int rows = random.Next(40);
            for (int row = 0; row < rows; row++)
            {
                text
                    .AppendJoin('\t', Enumerable.Range(0, random.Next(12) == 0 ? 5 : 6).Select(_ => values[random.Next(values.Length)]))
                    .Append(random.Next(8) == 0 ? "\r\n" : "\n");
            }

            byte[] log = Encoding.Latin1.GetBytes(text.ToString());
            IndexRun run = new(maxBadRows: 100);
            run.Sink.BatchSize = random.Next(1, 20);

            await run.IndexAsync(AccessLog.Compress(log), random.Next(1, 300));

            string[] lines = [.. ReadableLog.Parse(log, IndexRun.Columns).Split('\n').Where(line => line.Length > 0)];
            Dictionary<string, string[]> expected = lines.Where(line => !line.Contains(": row-", StringComparison.Ordinal))
                .ToDictionary(
                    line => line[..line.IndexOf(':', StringComparison.Ordinal)], line => line[(line.IndexOf(' ', StringComparison.Ordinal) + 1)..].Split('|'),
                    StringComparer.Ordinal);
            run.Sink.Documents.Count.ShouldBe(expected.Count, $"log {i}");
            foreach ((string id, string json) in run.Sink.Documents)
            {
                string[] row = expected[id.Split('-')[^1]];
                using JsonDocument document = JsonDocument.Parse(json);
                string?[] actual = [
                    .. ((string[])["date", "time", "user_agent"]).Select(
                        field => document.RootElement.TryGetProperty(field, out JsonElement value) ? value.GetString() : "-")];
                actual.ShouldBe(row, string.Create(CultureInfo.InvariantCulture, $"log {i}, {id}"));
            }
        }
    }
}
