using System.Text;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Testing;

/// <summary>
/// What every object sink must do: one method per rule, each over a sink with an empty store that passed its check.
/// Quayside.Messaging.Testing.Xunit tests each of them.
/// </summary>
/// <param name="sink">The sink under test. The caller disposes it.</param>
/// <param name="readBack">Reads an object's bytes by its key, bypassing the sink; null when the store has none.</param>
public sealed class ObjectSinkContract(IObjectSink sink, Func<string, ValueTask<byte[]?>> readBack)
{
    private const int Writers = 64;

    /// <summary>False for a sink that is documented to let two stores of one key at the same moment both succeed.</summary>
    public bool DecidesRaces { get; init; } = true;

    /// <summary>
    /// False for a sink whose store drops dots at the end of a key or before a <c>/</c>: it must reject such a key, so that no two keys become one.
    /// </summary>
    public bool KeepsDotsAtEnds { get; init; } = true;

    /// <summary>
    /// Makes the store fail until the result is disposed, as in an outage; null when it cannot be made to, and the rule about it then passes without a check.
    /// </summary>
    public Func<ValueTask<IAsyncDisposable>>? BreakStore { get; init; }

    /// <summary>Cancels the rules' waits.</summary>
    public CancellationToken CancellationToken { get; init; }

    /// <summary>A body of any size is stored byte for byte, an empty one too.</summary>
    public async Task Store_AnyBytes_KeepsThemExactly()
    {
        foreach (int size in (int[])[0, 1, 256, 65_537, 1_048_576])
        {
            byte[] body = Body(size);

            Stored(await StoreAsync($"exact/{size}.json", body));

            await HoldsAsync($"exact/{size}.json", body);
        }
    }

    /// <summary>Bytes that the key already holds are reported as already stored.</summary>
    public async Task Store_SameBytesAgain_IsAlreadyStored()
    {
        foreach (int size in (int[])[0, 1, 300, 100_000])
        {
            byte[] body = Body(size);
            Stored(await StoreAsync($"again/{size}", body));

            Require.Equal(await StoreAsync($"again/{size}", body), SinkResult.AlreadyStored, "The same bytes again are already stored.");
            Require.Equal(await StoreAsync($"again/{size}", body), SinkResult.AlreadyStored, "The same bytes again are already stored.");

            await HoldsAsync($"again/{size}", body);
        }
    }

    /// <summary>A key that holds other bytes is a collision, and keeps them.</summary>
    public async Task Store_OtherBytes_IsACollisionAndTheFirstStay()
    {
        foreach ((int first, int second) in ((int, int)[])[(300, 300), (300, 299), (300, 301), (300, 0), (0, 300), (200_000, 200_000)])
        {
            string key = $"collision/{first}-{second}";
            byte[] kept = Body(first);
            byte[] other = Body(second);
            if (first == second)
            {
                other[^1] ^= 1;
            }

            Stored(await StoreAsync(key, kept));

            SinkResult result = await StoreAsync(key, other);

            Require.Equal(result.Status, SinkStatus.Collision, "Other bytes under the same key are a collision.");
            Require.True(!string.IsNullOrEmpty(result.Detail), "A collision has a detail.");
            await HoldsAsync(key, kept);
        }
    }

    /// <summary>
    /// A key that holds a beginning of the bytes, an empty object, or the bytes and more is a collision: a truncated object never counts as stored.
    /// </summary>
    public async Task Store_KeyHoldsATruncationOrAnExtension_IsACollisionAndItStays()
    {
        foreach (int size in (int[])[1, 9, 65_537])
        {
            byte[] body = Body(size);
            foreach (int length in (int[])[0, 1, size / 2, size - 1, size + 1, 2 * size])
            {
                if (length == size)
                {
                    continue;
                }

                byte[] kept = new byte[length];
                body.AsSpan(0, Math.Min(size, length)).CopyTo(kept);
                string key = $"variants/{size}-{length}";
                SinkResult first = await StoreAsync(key, kept);
                Require.True(first.Status is SinkStatus.Stored or SinkStatus.AlreadyStored, "The first object is stored.");

                Require.Equal((await StoreAsync(key, body)).Status, SinkStatus.Collision, $"An object of {length} of {size} bytes is not the message.");
                await HoldsAsync(key, kept);
            }
        }
    }

    /// <summary>Of many writers that store the same bytes under one key at the same moment, one has stored them.</summary>
    public async Task Store_SameBytesFromManyWritersConcurrently_StoresOnce()
    {
        byte[] body = Body(10_000);

        SinkStatus[] results = await RaceAsync(_ => body);

        Require.Empty([.. results.Where(status => status is not (SinkStatus.Stored or SinkStatus.AlreadyStored))], "Every writer's bytes are stored.");
        OneWins(results);
        await HoldsAsync("race", body);
    }

    /// <summary>Of many writers that store different bytes under one key at the same moment, one wins, and the others are told of the collision.</summary>
    public async Task Store_OtherBytesFromManyWritersConcurrently_OneWins()
    {
        byte[][] bodies = [.. Enumerable.Range(0, Writers).Select(writer => Encoding.UTF8.GetBytes($"{{\"writer\":{writer:D3}}}"))];

        SinkStatus[] results = await RaceAsync(writer => bodies[writer]);

        Require.Empty(
            [.. results.Where(status => status is not (SinkStatus.Stored or SinkStatus.Collision))],
            "A writer has stored its bytes or is told of a collision.");
        byte[]? kept = await readBack("race");
        Require.True(
            bodies.Where((_, writer) => results[writer] == SinkStatus.Stored).Any(body => body.AsSpan().SequenceEqual(kept)),
            "The object holds the bytes of a writer that was told that they are stored.");
        OneWins(results);
    }

    /// <summary>Many keys, stored concurrently, are all stored.</summary>
    public async Task Store_ManyKeysConcurrently_StoresEach()
    {
        string[] keys = [.. Enumerable.Range(0, 200).Select(i => $"many/{i % 7}/{i % 3}/{i}.json")];

        SinkResult[] results = await Task.WhenAll(keys.Select(key => Task.Run(async () => await StoreAsync(key, Encoding.UTF8.GetBytes(key)))));

        Array.ForEach(results, Stored);
        foreach (string key in keys)
        {
            await HoldsAsync(key, Encoding.UTF8.GetBytes(key));
        }
    }

    /// <summary>Keys with symbols, dots, escapes and letters of every script each name one object.</summary>
    public async Task Store_UnusualKey_IsKeptUnderThatKey()
    {
        string[] keys =
        [
            "k",
            "a=b/c~d/e-f.g/x..y/...z/.hidden",
            "my_product/site_key/my_event/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json",
            "encoded/%2e%2e/%2F/%00/a+b c&d;e,f@g!h$i'j(k)l*m:n?o#p[q]r{s}t|u\"v<w>x^y`z.json",
            "grün/日本語/🙂.json",
            "ends-with-dots/a...",
            "tmp/w-1.tmp",
        ];
        foreach (string key in keys)
        {
            byte[] body = Encoding.UTF8.GetBytes(key);
            if (!KeepsDotsAtEnds && key.Split('/').Any(level => level.EndsWith('.')))
            {
                Require.Equal((await StoreAsync(key, body)).Status, SinkStatus.Rejected, $"The key '{key}', which the store would change, is rejected.");
                continue;
            }

            Stored(await StoreAsync(key, body));

            await HoldsAsync(key, body);
            Require.Equal(await StoreAsync(key, body), SinkResult.AlreadyStored, $"The key '{key}' names one object.");
        }
    }

    /// <summary>Keys of 1,024 bytes are stored, and keys that differ in their last byte are kept apart.</summary>
    public async Task Store_LongestKeys_AreKeptApart()
    {
        string[] keys =
        [
            new('a', 255),
            new('a', 256),
            new('a', 1_024),
            new string('a', 1_023) + "b",
            new string('a', 1_019) + ".json",
            new string('ü', 512),
            string.Join('/', Enumerable.Repeat("d", 512)) + "e",
        ];

        foreach (string key in keys)
        {
            Stored(await StoreAsync(key, Encoding.UTF8.GetBytes(key)));
        }

        foreach (string key in keys)
        {
            await HoldsAsync(key, Encoding.UTF8.GetBytes(key));
        }
    }

    /// <summary>Key and body are borrows: what the caller does with the buffers afterwards does not change the object.</summary>
    public async Task Store_BuffersReusedAfterwards_DoesNotChangeTheObject()
    {
        byte[] key = Encoding.UTF8.GetBytes("borrowed");
        byte[] body = Body(5_000);
        byte[] expected = [.. body];

        Stored(await sink.StoreAsync(key, body, CancellationToken));
        Array.Fill(key, (byte)'x');
        Array.Clear(body);

        await HoldsAsync("borrowed", expected);
    }

    /// <summary>Key and body may lie in the middle of larger buffers.</summary>
    public async Task Store_BodyInTheMiddleOfALargerBuffer_StoresOnlyTheBody()
    {
        byte[] buffer = Body(1_000);

        Stored(await sink.StoreAsync("xslicex"u8.ToArray().AsMemory(1, 5), buffer.AsMemory(100, 50), CancellationToken));

        await HoldsAsync("slice", buffer[100..150]);
    }

    /// <summary>A store whose token is cancelled throws for that token, and stores nothing.</summary>
    public async Task Store_Cancelled_ThrowsForThatToken()
    {
        using CancellationTokenSource cancelled = new();
        await cancelled.CancelAsync();

        OperationCanceledException exception = await Require.ThrowsAsync<OperationCanceledException>(
            async () => await sink.StoreAsync("cancelled"u8.ToArray(), Body(10), cancelled.Token), "A cancelled store throws.");

        Require.Equal(exception.CancellationToken, cancelled.Token, "The exception carries the token.");
        Require.True(await readBack("cancelled") is null, "A store that was cancelled before it began stores nothing.");
    }

    /// <summary>
    /// Metadata and tags do not identify an object: with others, or none, the same bytes are a duplicate and other bytes a collision. A sink that cannot
    /// keep them says so, and stores nothing.
    /// </summary>
    public async Task Store_WithMetadataAndTags_ComparesBytesAloneOrRefusesThem()
    {
        ObjectProperties properties = new() { Metadata = [new("origin", "日本")], Tags = [new("team", "billing")] };
        byte[] key = Encoding.UTF8.GetBytes("described");
        SinkResult result;
        try
        {
            result = await sink.StoreAsync(key, Body(100), properties, CancellationToken);
        }
        catch (NotSupportedException)
        {
            Require.True(await readBack("described") is null, "A sink that cannot keep metadata and tags stores nothing.");
            Stored(await sink.StoreAsync(key, Body(100), ObjectProperties.None, CancellationToken));
            return;
        }

        Require.Equal(
            result,
            SinkResult.Stored,
            "An object with metadata and tags is stored; a sink that keeps none leaves out the StoreAsync that takes ObjectProperties, "
            + "whose default throws NotSupportedException.");
        await HoldsAsync("described", Body(100));
        Require.Equal(
            await sink.StoreAsync(key, Body(100), new ObjectProperties { Tags = [new("team", "other")] }, CancellationToken), SinkResult.AlreadyStored,
            "The same bytes with other tags are a duplicate.");
        Require.Equal(await StoreAsync("described", Body(100)), SinkResult.AlreadyStored, "The same bytes without tags are a duplicate.");
        Require.Equal(
            (await sink.StoreAsync(key, Body(99), properties, CancellationToken)).Status, SinkStatus.Collision,
            "Other bytes with the same tags are a collision.");
        await HoldsAsync("described", Body(100));
    }

    /// <summary>
    /// A store that does not work is Transient or Refused, as a value that says why, and the same object is stored once it works. The worker treats an
    /// exception as Transient.
    /// </summary>
    public async Task Store_StoreDoesNotWork_ReturnsTheFailure()
    {
        if (BreakStore is null)
        {
            return;
        }

        await using (await BreakStore())
        {
            SinkResult result;
            try
            {
                result = await StoreAsync("down", Body(10));
            }
            catch (Exception exception)
            {
                throw new ContractException(
                    $"A store that does not work is returned as Transient or Refused; StoreAsync threw {exception.GetType().Name}: {exception.Message}",
                    exception);
            }

            Require.True(result.Status is SinkStatus.Transient or SinkStatus.Refused, $"A store that does not work is Transient or Refused. Found {result}.");
            Require.True(!string.IsNullOrEmpty(result.Detail), "A failure says why, in its detail.");
        }

        Stored(await StoreAsync("down", Body(10)));
        await HoldsAsync("down", Body(10));
    }

    /// <summary>The check can be repeated, and changes nothing.</summary>
    public async Task Check_WhatWorks_PassesAgain()
    {
        Stored(await StoreAsync("kept", Body(10)));

        await sink.CheckAsync(CancellationToken);

        await HoldsAsync("kept", Body(10));
    }

    /// <summary>A located object ends with its key.</summary>
    public Task Locate_EndsWithTheKey()
    {
        Require.True(
            sink.Locate("a/b.json").EndsWith("a/b.json", StringComparison.Ordinal), $"A located object ends with its key: '{sink.Locate("a/b.json")}'.");
        return Task.CompletedTask;
    }

    private static void Stored(SinkResult result) => Require.Equal(result, SinkResult.Stored, "New bytes are stored.");

    /// <summary>Bytes of every value, with a different value at any two places that a wrong offset could confuse.</summary>
    private static byte[] Body(int size)
    {
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++)
        {
            body[i] = (byte)(i ^ (i >> 8) ^ (i >> 16));
        }

        return body;
    }

    private ValueTask<SinkResult> StoreAsync(string key, ReadOnlyMemory<byte> body) => sink.StoreAsync(Encoding.UTF8.GetBytes(key), body, CancellationToken);

    private async Task HoldsAsync(string key, byte[] expected)
    {
        byte[]? held = await readBack(key);
        Require.True(held is not null, $"The store has '{key}'.");
        Require.Bytes(held, expected, $"'{key}' holds the bytes that were stored.");
    }

    private void OneWins(SinkStatus[] results)
    {
        if (DecidesRaces)
        {
            Require.Equal(results.Count(status => status == SinkStatus.Stored), 1, "One writer has stored the object.");
        }
    }

    private async Task<SinkStatus[]> RaceAsync(Func<int, byte[]> bodyOf)
    {
        using Barrier start = new(Environment.ProcessorCount);
        SinkStatus[] results = new SinkStatus[Writers];
        int next = -1;

        // A thread per core waits at the barrier, so that the first writers really overlap; the rest follow as fast as they can.
        Task[] workers = [.. Enumerable.Range(0, start.ParticipantCount).Select(_ => Task.Factory.StartNew(
            async () =>
            {
                start.SignalAndWait(CancellationToken);
                List<Task> stores = [];
                for (int writer = Interlocked.Increment(ref next); writer < Writers; writer = Interlocked.Increment(ref next))
                {
                    stores.Add(StoreOneAsync(writer));
                }

                await Task.WhenAll(stores);
            },
            CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default).Unwrap())];
        await Task.WhenAll(workers);
        return results;

        async Task StoreOneAsync(int writer) => results[writer] = (await StoreAsync("race", bodyOf(writer))).Status;
    }
}
