using System.Net;
using Amazon.S3;
using Amazon.S3.Model;
using Integration.Tests.Servers;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Testing.Xunit;

namespace Integration.Tests.Aws.S3;

/// <summary>The sink contract over a store on the wire; objects are read back with the SDK, not with the sink.</summary>
public abstract class S3SinkContract : ObjectSinkContractTests
{
    private AmazonS3Client? _client;
    private string _bucket = "";

    public override async ValueTask DisposeAsync()
    {
        _client?.Dispose();
        await base.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    internal abstract ValueTask<AwsEndpoint> RequireAsync();

    /// <summary>The client under test; subclasses in the folder Direct use the other client.</summary>
    internal virtual S3ClientKind Client => S3ClientKind.Sdk;

    internal virtual S3SinkOptions OptionsFor(string bucket) => new() { Client = Client, Bucket = bucket };

    protected override async ValueTask<IObjectSink> CreateAsync()
    {
        AwsEndpoint endpoint = await RequireAsync();
        _client = endpoint.CreateS3Client();
        _bucket = await endpoint.CreateBucketAsync("sink");
        return S3Sinks.Open(endpoint, OptionsFor(_bucket));
    }

    protected override async ValueTask<byte[]?> ReadBackAsync(string key)
    {
        try
        {
            using GetObjectResponse answer = await _client!.GetObjectAsync(_bucket, key, Token);
            using MemoryStream bytes = new();
            await answer.ResponseStream.CopyToAsync(bytes, Token);
            return bytes.ToArray();
        }
        catch (AmazonS3Exception exception) when (exception.StatusCode == HttpStatusCode.NotFound)
        {
            return null;
        }
    }
}
