using Worker.Sinks.S3;

namespace Benchmarks.Put;

internal static class PutClients
{
    public static IPutClient Create(PutClientKind kind, Uri server, PutObjects objects, int inFlight) => kind switch
    {
        PutClientKind.SdkDefaults => new SdkClient(server, objects, tuned: false),
        PutClientKind.SdkTuned => new SdkClient(server, objects, tuned: true),
        PutClientKind.SdkSink => new SinkClient(server, objects, S3ClientKind.Sdk, inFlight),
        PutClientKind.DirectSink => new SinkClient(server, objects, S3ClientKind.Direct, inFlight),
        PutClientKind.SignedHttp => new SignedHttpClient(server, objects),
        _ => new UnsignedHttpClient(server, objects),
    };
}
