namespace Benchmarks.Aws.Put;

internal enum PutClientKind
{
    /// <summary>AWSSDK.S3 as its documentation shows it.</summary>
    SdkDefaults,

    /// <summary>AWSSDK.S3 without chunk encoding and default checksums.</summary>
    SdkTuned,

    /// <summary>The worker's sink over AWSSDK.S3.</summary>
    SdkSink,

    /// <summary>The worker's sink with its own client.</summary>
    DirectSink,

    /// <summary>HttpClient and a straightforward signature, nothing pooled.</summary>
    SignedHttp,

    /// <summary>HttpMessageInvoker without a signature: the limit of .NET's HTTP stack.</summary>
    UnsignedHttp,
}
