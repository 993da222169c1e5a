using System.Diagnostics;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>A bundle's name and bytes: the same messages give the same object, other messages another object, and standard tools read it.</summary>
public sealed class BundleObjectTests
{
    private static readonly Gen<(string Id, string Body)> Message =
        from id in Gen.Elements("a", "b", "c", "d", "e.json", "f.g.json", "", "é", new string('x', 63) + "é", new string('y', 200))
        from body in Gen.Elements("1", "2", "{\"a\": 1}", "{\"a\":\r\n 1}", "[]")
        select (id, body);

    private static readonly Gen<((string Id, string Body)[] Messages, (string Id, string Body)[] Shuffled)> Sets =
        from list in Gen.NonEmptyListOf(Message)
        let messages = list.DistinctBy(message => message.Id).ToArray()
        from shuffled in Gen.Shuffle(messages)
        select (messages, shuffled);

    [Fact]
    public void Store_TheSameMessagesInAnyOrder_GiveTheSameObjectAndOthersAnother() => Check.One(
        Config.QuickThrowOnFailure.WithMaxTest(60),
        Prop.ForAll(
            Arb.From(Sets),
            sets =>
            {
                RecordedPut one = StoreTogether(sets.Messages);
                RecordedPut other = StoreTogether([.. sets.Shuffled, sets.Shuffled[0]]);
                other.Key.ShouldBe(one.Key);
                other.Bytes.ShouldBe(one.Bytes);

                StoreTogether([.. sets.Messages, ("another", "1")]).Key.ShouldNotBe(one.Key);
                (string Id, string Body)[] changed = [.. sets.Messages];
                changed[^1].Body = "\"changed\"";
                StoreTogether(changed).Key.ShouldNotBe(one.Key);
                changed = [.. sets.Messages];
                changed[^1].Id += "~";
                StoreTogether(changed).Key.ShouldNotBe(one.Key);
            }));

    [Fact]
    public void Store_AnyMessages_OneLineEachInTheOrderOfTheirKeys()
    {
        RecordedPut put = StoreTogether([("b", "2"), ("a", "1"), ("é", "4"), ("c", "3")]);

        put.Lines.ShouldBe(["1", "2", "3", "4"]);
    }

    [Fact]
    public void Store_FormattedJson_IsOneLineAndEverythingElseStays()
    {
        string[] bodies =
        [
            "{\r\n\t\"a\" : \"x\\n\\r\u2028é漢🙂\",\n\n  \"b\": [1,\r2]\r\n}\n",
            "\uFEFF{\"a\":1}",
            "\r\n{}\r\n",
            "{\"\uFEFF\":1}",
        ];

        RecordedPut put = StoreTogether([.. bodies.Select((body, i) => ($"{i}", body))]);

        put.Lines.ShouldBe(
        [
            "{  \t\"a\" : \"x\\n\\r\u2028é漢🙂\",    \"b\": [1, 2]  } ",
            "{\"a\":1}",
            "  {}  ",
            "{\"\uFEFF\":1}",
        ]);
    }

    [Fact]
    public void Store_Header_HasNoTimeNoNameAndNoPlatform() =>
        StoreTogether([("a", "1")]).Bytes[..10].ShouldBe([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

    [Fact]
    public async Task Store_Object_IsReadByGzip()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/gzip") || File.Exists("/bin/gzip"), "needs the gzip tool");
        byte[] bytes = StoreTogether([.. Enumerable.Range(0, 1_000).Select(i => ($"{i:d4}", $"{{\"number\":{i}}}"))]).Bytes;
        using Process gzip = Process.Start(
            new ProcessStartInfo("gzip", "-dc")
            { UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true })!;
        Task<string> text = gzip.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await gzip.StandardInput.BaseStream.WriteAsync(bytes, TestContext.Current.CancellationToken);
        gzip.StandardInput.Close();
        await gzip.WaitForExitAsync(TestContext.Current.CancellationToken);

        gzip.ExitCode.ShouldBe(0, await gzip.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken));
        (await text).ShouldBe(string.Concat(Enumerable.Range(0, 1_000).Select(i => $"{{\"number\":{i}}}\n")));
    }

    [Theory]
    [InlineData("a/b/id.json", "a/b/id-")]
    [InlineData("id", "id-")]
    [InlineData("a/.json", "a/.json-")]
    [InlineData("a/x.y.json", "a/x.y-")]
    public void Store_Name_HasThePrefixAndTheFirstId(string key, string expected)
    {
        string name = Store([(key, "1")]).Key;

        name.ShouldStartWith(expected);
        name[expected.Length..].ShouldMatch("^[0-9a-f]{32}\\.ndjson\\.gz$");
    }

    [Fact]
    public void Store_LongestKeys_GiveNamesWithinTheLimitAndKeepWholeLevels()
    {
        string levels = string.Concat(Enumerable.Repeat("1234567/", 127));
        foreach (string key in (string[])[
            levels + "12345678", new string('x', 1_023) + "/", new string('é', 512), "a/" + new string('x', 1_000) + "/b", levels[..^1]])
        {
            Encoding.UTF8.GetByteCount(key).ShouldBeLessThanOrEqualTo(1_024);
            string name = Store([(key, "1")]).Key;
            Encoding.UTF8.GetByteCount(name).ShouldBeLessThanOrEqualTo(1_024);
            key.ShouldStartWith(name[..(name.LastIndexOf('/') + 1)]);
            name.ShouldNotContain('\uFFFD');
        }

        Store([(levels + "12345678", "1")]).Key.ShouldStartWith(levels[..912]);
    }

    private static RecordedPut StoreTogether((string Id, string Body)[] messages) =>
        Store([.. messages.Select(message => ($"p/q/{message.Id}", message.Body))]);

    /// <summary>The object of these messages, in this order of arrival.</summary>
    private static RecordedPut Store((string Key, string Body)[] messages)
    {
        using CancellationTokenSource limit = new(Intake.TestMessage.WaitLimit);
        RecordedPut? put = null;
        ScriptedSink inner = new()
        {
            Rule = stored =>
            {
                put = stored;
                return SinkResult.Stored;
            },
        };
        BundleFixture bundles = new(maxMessages: 5_000, maxPending: 5_000, inner: inner);
        Task<SinkResult>[] tasks = [.. messages.Select(message => bundles.StoreAsync(message.Key, message.Body))];
        bundles.Sink.StopWaiting();
        Task.WaitAll(tasks, limit.Token);
        bundles.DisposeAsync().AsTask().Wait(limit.Token);
        return put.ShouldNotBeNull();
    }
}
