using System.Collections.Concurrent;
using System.Text;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>Many writers, prefixes, cancellations and failures concurrently; each body is overwritten as soon as its message has ended.</summary>
public sealed class BundlingSinkStressTests
{
    private const int Writers = 32;
    private const int MessagesEach = 300;

    [Fact]
    public async Task Store_EverythingConcurrently_EachMessageEndsAndEachStoredOneIsInAnObjectUnchanged()
    {
        ConcurrentDictionary<string, byte[]> objects = new(StringComparer.Ordinal);
        int puts = 0;
        ScriptedSink inner = new()
        {
            Rule = put => (Interlocked.Increment(ref puts) % 11) switch
            {
                3 => new SinkResult(SinkStatus.Transient, "down"),
                7 when put.Lines.Length > 1 => new SinkResult(SinkStatus.Rejected, "too large"),
                _ => objects.TryAdd(put.Key, put.Bytes) || objects[put.Key].AsSpan().SequenceEqual(put.Bytes)
                    ? SinkResult.Stored
                    : new SinkResult(SinkStatus.Collision),
            },
        };
        const int Budget = 4_000;
        await using BundleFixture bundles = new(
            maxMessages: 20, maxPending: 200, maxPendingBytes: Budget, inner: inner, time: TimeProvider.System, maxAge: TimeSpan.FromMilliseconds(10));
        ConcurrentBag<string> stored = [];
        int cancelled = 0;
        int failed = 0;

        await Task
            .WhenAll(Enumerable.Range(0, Writers).Select(writer => Task.Run(() => WriteAsync(writer))))
            .WaitAsync(TimeSpan.FromMinutes(2), TestContext.Current.CancellationToken);

        bundles.Sink.PendingMessages.ShouldBe(0);
        bundles.Sink.PendingBytes.ShouldBe(0);
        HashSet<string> lines = [.. objects.Values.SelectMany(RecordedPut.LinesOf)];
        await ShouldHoldTheWholeBudgetAsync();
        stored.Where(body => !lines.Contains(body)).ShouldBeEmpty();
        lines.ShouldAllBe(line => line.StartsWith("{\"from\":") && line.EndsWith('}'));
        (stored.Count + cancelled + failed).ShouldBe(Writers * MessagesEach);
        stored.Count.ShouldBeGreaterThan(Writers * MessagesEach / 4);
        (cancelled * failed).ShouldBeGreaterThan(0);

        // A budget from which bytes are missing closes each bundle after its first message.
        async Task ShouldHoldTheWholeBudgetAsync()
        {
            int memory = bundles.Reasons.Count(reason => reason == "memory");
            Task[] all = [.. Enumerable.Range(0, 2).Select(i => bundles.StoreAsync($"rest/{i}.json", new string('x', Budget / 2)))];
            await Task.WhenAll(all);
            bundles.Reasons.Count(reason => reason == "memory").ShouldBe(memory, "The budget is not whole at rest.");
        }

        async Task WriteAsync(int writer)
        {
            Task[] all = new Task[MessagesEach];
            for (int i = 0; i < MessagesEach; i++)
            {
                all[i] = StoreAsync(writer, i);
                if (i % 50 == 49)
                {
                    await all[i];
                }
            }

            await Task.WhenAll(all);
        }

        async Task StoreAsync(int writer, int number)
        {
            // Every fifth writer sends the same messages as its neighbour.
            string text = $$"""{"from":{{(writer % 5 == 0 ? writer + 1 : writer)}},"number":{{number}}}""";
            byte[] key = Encoding.UTF8.GetBytes($"p{number % 17}/{(writer % 5 == 0 ? writer + 1 : writer)}-{number}.json");
            byte[] body = Encoding.UTF8.GetBytes(text);
            using CancellationTokenSource source = new();
            ValueTask<SinkResult> storing = bundles.Sink.StoreAsync(key, body, source.Token);
            if (number % 7 == 0)
            {
                _ = source.CancelAsync();
            }

            try
            {
                SinkResult result = await storing;
                result.Status.ShouldBeOneOf(SinkStatus.Stored, SinkStatus.AlreadyStored, SinkStatus.Transient);
                if (result.Status == SinkStatus.Transient)
                {
                    Interlocked.Increment(ref failed);
                }
                else
                {
                    stored.Add(text);
                }
            }
            catch (OperationCanceledException exception) when (exception.CancellationToken == source.Token)
            {
                Interlocked.Increment(ref cancelled);
            }
            finally
            {
                Array.Fill(key, (byte)'#');
                Array.Fill(body, (byte)'#');
            }
        }
    }
}
