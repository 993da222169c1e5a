using System.Text;
using Messaging.Sinks;

namespace Contracts.Sinks;

/// <summary>What every object sink does, whatever stands behind it. A subclass opens one over an empty store and reads objects back past it.</summary>
public abstract class ObjectSinkContract : IAsyncLifetime
{
    private const int Writers = 64;

    private IObjectSink? _sink;

    public static TheoryData<string> UnusualKeys =>
    [
        "k",
        "a=b/c~d/e-f.g/x..y/...z/.hidden",
        "my_product/site_key/my_event/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json",
        "encoded/%2e%2e/%2F/%00/a+b c&d;e,f@g!h$i'j(k)l*m:n?o#p[q]r{s}t|u\"v<w>x^y`z.json",
        "grün/日本語/🙂.json",
        "ends-with-dots/a...",
        "tmp/w-1.tmp",
    ];

    /// <summary>False for a sink that is documented to let two stores of one moment both succeed.</summary>
    protected virtual bool DecidesRaces => true;

    internal IObjectSink Sink => _sink ?? throw new InvalidOperationException("The sink is opened before each test.");

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

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(256)]
    [InlineData(65_537)]
    [InlineData(1_048_576)]
    public async Task Store_AnyBytes_KeepsThemExactly(int size)
    {
        byte[] body = Body(size);

        (await StoreAsync("exact/bytes.json", body)).ShouldBe(SinkResult.Stored);

        (await ReadBackAsync("exact/bytes.json")).ShouldBe(body);
    }

    [Fact]
    public async Task Store_SameBytesAgain_IsAlreadyStored()
    {
        foreach (int size in (int[])[0, 1, 300, 100_000])
        {
            byte[] body = Body(size);
            (await StoreAsync($"again/{size}", body)).ShouldBe(SinkResult.Stored);

            (await StoreAsync($"again/{size}", body)).ShouldBe(SinkResult.AlreadyStored);
            (await StoreAsync($"again/{size}", body)).ShouldBe(SinkResult.AlreadyStored);

            (await ReadBackAsync($"again/{size}")).ShouldBe(body);
        }
    }

    [Theory]
    [InlineData(300, 300)]
    [InlineData(300, 299)]
    [InlineData(300, 301)]
    [InlineData(300, 0)]
    [InlineData(0, 300)]
    [InlineData(200_000, 200_000)]
    public async Task Store_OtherBytes_IsACollisionAndTheFirstStay(int first, int second)
    {
        byte[] kept = Body(first);
        byte[] other = Body(second);
        if (first == second)
        {
            other[^1] ^= 1;
        }

        (await StoreAsync("collision", kept)).ShouldBe(SinkResult.Stored);

        SinkResult result = await StoreAsync("collision", other);

        result.Status.ShouldBe(SinkStatus.Collision);
        result.Detail.ShouldNotBeNullOrEmpty();
        (await ReadBackAsync("collision")).ShouldBe(kept);
    }

    [Fact]
    public async Task Store_SameBytesFromManyWritersAtOnce_StoresOnce()
    {
        byte[] body = Body(10_000);

        SinkStatus[] results = await RaceAsync(_ => body);

        results.ShouldAllBe(status => status == SinkStatus.Stored || status == SinkStatus.AlreadyStored);
        if (DecidesRaces)
        {
            results.Count(status => status == SinkStatus.Stored).ShouldBe(1);
        }

        (await ReadBackAsync("race")).ShouldBe(body);
    }

    [Fact]
    public async Task Store_OtherBytesFromManyWritersAtOnce_OneWins()
    {
        byte[][] bodies = [.. Enumerable.Range(0, Writers).Select(writer => Encoding.UTF8.GetBytes($"{{\"writer\":{writer:D3}}}"))];

        SinkStatus[] results = await RaceAsync(writer => bodies[writer]);

        results.ShouldAllBe(status => status == SinkStatus.Stored || status == SinkStatus.Collision);
        byte[]? kept = await ReadBackAsync("race");
        bodies.Where((_, writer) => results[writer] == SinkStatus.Stored).Any(body => body.AsSpan().SequenceEqual(kept)).ShouldBeTrue();
        if (DecidesRaces)
        {
            results.Count(status => status == SinkStatus.Stored).ShouldBe(1);
        }
    }

    [Fact]
    public async Task Store_ManyKeysAtOnce_StoresEach()
    {
        string[] keys = [.. Enumerable.Range(0, 200).Select(i => $"many/{i % 7}/{i % 3}/{i}.json")];

        SinkResult[] results = await Task.WhenAll(keys.Select(key => Task.Run(async () => await StoreAsync(key, Encoding.UTF8.GetBytes(key)))));

        results.ShouldAllBe(result => result == SinkResult.Stored);
        foreach (string key in keys)
        {
            (await ReadBackAsync(key)).ShouldBe(Encoding.UTF8.GetBytes(key));
        }
    }

    [Theory]
    [MemberData(nameof(UnusualKeys))]
    public async Task Store_UnusualKey_IsKeptUnderThatKey(string key)
    {
        byte[] body = Encoding.UTF8.GetBytes(key);

        (await StoreAsync(key, body)).ShouldBe(SinkResult.Stored);

        (await ReadBackAsync(key)).ShouldBe(body);
        (await StoreAsync(key, body)).ShouldBe(SinkResult.AlreadyStored);
    }

    [Fact]
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
            Encoding.UTF8.GetByteCount(key).ShouldBeLessThanOrEqualTo(1_024);
            (await StoreAsync(key, Encoding.UTF8.GetBytes(key))).ShouldBe(SinkResult.Stored, key);
        }

        foreach (string key in keys)
        {
            (await ReadBackAsync(key)).ShouldBe(Encoding.UTF8.GetBytes(key));
        }
    }

    [Fact]
    public async Task Store_BuffersReusedAfterwards_DoesNotChangeTheObject()
    {
        byte[] key = Encoding.UTF8.GetBytes("borrowed");
        byte[] body = Body(5_000);
        byte[] expected = [.. body];

        (await Sink.StoreAsync(key, body, Token)).ShouldBe(SinkResult.Stored);
        Array.Fill(key, (byte)'x');
        Array.Clear(body);

        (await ReadBackAsync("borrowed")).ShouldBe(expected);
    }

    [Fact]
    public async Task Store_BodyInTheMiddleOfALargerBuffer_StoresOnlyTheBody()
    {
        byte[] buffer = Body(1_000);

        (await Sink.StoreAsync("xslicex"u8.ToArray().AsMemory(1, 5), buffer.AsMemory(100, 50), Token)).ShouldBe(SinkResult.Stored);

        (await ReadBackAsync("slice")).ShouldBe(buffer[100..150]);
    }

    [Fact]
    public async Task Store_Cancelled_ThrowsForThatToken()
    {
        using CancellationTokenSource cancelled = new();
        await cancelled.CancelAsync();

        OperationCanceledException exception = await Should.ThrowAsync<OperationCanceledException>(
            async () => await Sink.StoreAsync("cancelled"u8.ToArray(), Body(10), cancelled.Token));

        exception.CancellationToken.ShouldBe(cancelled.Token);
        (await ReadBackAsync("cancelled")).ShouldBeNull();
    }

    [Fact]
    public async Task Check_WhatWorks_PassesAgain()
    {
        (await StoreAsync("kept", Body(10))).ShouldBe(SinkResult.Stored);

        await Sink.CheckAsync(Token);

        (await ReadBackAsync("kept")).ShouldBe(Body(10));
    }

    [Fact]
    public void Names_AreFitForLogs()
    {
        Sink.Name.ShouldMatch("^[a-z0-9-]+$");
        Sink.Locate("a/b.json").ShouldEndWith("a/b.json");
    }

    /// <summary>Bytes of every value, not the same at any two places that a wrong offset could confuse.</summary>
    protected static byte[] Body(int size)
    {
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++)
        {
            body[i] = (byte)(i ^ (i >> 8) ^ (i >> 16));
        }

        return body;
    }

    /// <summary>A sink over an empty store.</summary>
    internal abstract ValueTask<IObjectSink> OpenAsync();

    /// <summary>The object's bytes as the store has them; null when there is none.</summary>
    internal abstract ValueTask<byte[]?> ReadBackAsync(string key);

    internal ValueTask<SinkResult> StoreAsync(string key, ReadOnlyMemory<byte> body) =>
        Sink.StoreAsync(Encoding.UTF8.GetBytes(key), body, Token);

    private async Task<SinkStatus[]> RaceAsync(Func<int, byte[]> bodyOf)
    {
        using Barrier start = new(Environment.ProcessorCount);
        SinkStatus[] results = new SinkStatus[Writers];
        int next = -1;

        // A thread a core meets at the barrier, so that the first writers really overlap; the rest follow as fast as they can.
        Task[] workers = [.. Enumerable.Range(0, start.ParticipantCount).Select(_ => Task.Factory.StartNew(
            async () =>
            {
                start.SignalAndWait(Token);
                List<Task> stores = [];
                for (int writer = Interlocked.Increment(ref next); writer < Writers; writer = Interlocked.Increment(ref next))
                {
                    stores.Add(StoreOneAsync(writer));
                }

                await Task.WhenAll(stores);
            },
            Token,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default).Unwrap())];
        await Task.WhenAll(workers);
        return results;

        async Task StoreOneAsync(int writer) => results[writer] = (await StoreAsync("race", bodyOf(writer))).Status;
    }
}
