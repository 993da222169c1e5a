using System.Runtime.CompilerServices;
using Benchmarks.Aws.Wire;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Frames;

namespace Benchmarks.Aws.Put;

/// <summary>The worker's S3 sink with its default settings, the condition against overwriting included.</summary>
internal sealed class SinkClient : IPutClient
{
    private readonly S3Sink _sink;
    private readonly PutObjects _objects;

    public SinkClient(Uri server, PutObjects objects, S3ClientKind kind, int inFlight)
    {
        _objects = objects;
        AwsOptions aws = new() { Endpoint = server, Region = WireAccount.Region, AccessKeyId = WireAccount.AccessKey, SecretAccessKey = WireAccount.SecretKey };
        SinkServices services = new() { Services = null! };
        _sink = S3Sink.Create(new S3SinkOptions { Client = kind, Bucket = PutObjects.Bucket }, aws, services with { Concurrency = inFlight });
    }

    public ValueTask PutAsync(int key)
    {
        ValueTask<SinkResult> stored = _sink.StoreAsync(_objects.KeyBytes[key], _objects.Body, CancellationToken.None);
        return AwaitAsync(stored);
    }

    public void Dispose()
    {
        ValueTask disposed = _sink.DisposeAsync();
        disposed.AsTask().GetAwaiter().GetResult();
    }

    // The frame of the worker's pipeline that waits for the sink is pooled too.
    [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
    private static async ValueTask AwaitAsync(ValueTask<SinkResult> stored)
    {
        SinkResult result = await stored;
        PutFailure.ThrowUnless(result.Status == SinkStatus.Stored, result.Detail);
    }
}
