using Benchmarks.Aws.Wire;
using Quayside.Messaging.Aws.S3;

namespace Benchmarks.Aws.Put;

internal static class PutClients
{
    public static IPutClient Create(PutClientKind kind, Uri server, PutObjects objects, int inFlight) => kind switch
    {
        PutClientKind.SdkDefaults => new WriterClient(new SdkObjectWriter(server, PutObjects.Bucket, tuned: false), objects),
        PutClientKind.SdkTuned => new WriterClient(new SdkObjectWriter(server, PutObjects.Bucket, tuned: true), objects),
        PutClientKind.SdkSink => new SinkClient(server, objects, S3ClientKind.Sdk, inFlight),
        PutClientKind.DirectSink => new SinkClient(server, objects, S3ClientKind.Auto, inFlight),
        PutClientKind.SignedHttp => new WriterClient(new SignedObjectWriter(server, PutObjects.Bucket), objects),
        _ => new UnsignedHttpClient(server, objects),
    };
}
