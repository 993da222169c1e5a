using System.Text;
using Messaging.Aws;
using Messaging.Aws.S3.Sink;
using Messaging.Sinks;
using Tests.Shared;

namespace Worker.Tests.Aws.S3.Direct;

/// <summary>Bytes allocated per stored object, from the sink's StoreAsync to the socket and back, on all threads.</summary>
[Collection(AllocationCollection.Name)]
public sealed class DirectPutAllocationTests
{
    private const int BodyLength = 1_024;
    private const int Puts = 2_000;

    private static readonly byte[] Key = Encoding.UTF8.GetBytes("my_product/site_key/my_event/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json");

    [Theory]
    [InlineData(1)]
    [InlineData(16)]
    public async Task Store_Warm_AllocatesAtMostThreeThousandBytes(int inFlight)
    {
        using FrugalServer server = new(BodyLength);
        AwsOptions aws = new()
        {
            Endpoint = new Uri($"http://{server.Address}"),
            Region = "us-east-1",
            AccessKeyId = "AKIAIOSFODNN7EXAMPLE",
            SecretAccessKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        };
        await using S3Sink sink = S3Sink.Create(DirectSinks.Options, aws, DirectSinks.Services());
        byte[] body = new byte[BodyLength];

        double min = (double)await MinBytes.OfProcessAsync(() => Task.WhenAll(Enumerable.Range(0, inFlight).Select(_ => StoreAsync(sink, body, Puts / inFlight)))) / Puts;

        TestContext.Current.TestOutputHelper?.WriteLine($"{min:F0} B per PUT with {inFlight} in flight");

        // Measured 2,600. Signing needs 960 of them for a key of 84 bytes: address 304, hash 152, Authorization 504. The rest is HttpClient's.
        min.ShouldBeInRange(1_000, 3_000);
    }

    private static async Task StoreAsync(S3Sink sink, byte[] body, int count)
    {
        // Read and asserted once, because both allocate.
        CancellationToken token = TestContext.Current.CancellationToken;
        int stored = 0;
        for (int i = 0; i < count; i++)
        {
            stored += (await sink.StoreAsync(Key, body, token)).Status == SinkStatus.Stored ? 1 : 0;
        }

        stored.ShouldBe(count);
    }
}
