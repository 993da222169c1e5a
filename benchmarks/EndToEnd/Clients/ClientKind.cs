namespace Benchmarks.EndToEnd.Clients;

/// <summary>The client that moves the messages.</summary>
internal enum ClientKind
{
    /// <summary>What a user writes today: AWSSDK.SQS and AWSSDK.S3 with their defaults, System.Text.Json, closures.</summary>
    SdkSqsSdkS3,

    /// <summary>AWSSDK.SQS, with HttpClient and a signature for the PUT.</summary>
    SdkSqsSignedPut,

    /// <summary>The ordinary loop without AWSSDK.SQS: AWSSDK.S3 with its defaults, HttpClient for SQS, System.Text.Json, closures.</summary>
    SdkDefaults,

    /// <summary>The same with AWSSDK.S3 tuned: no chunked encoding, no checksum besides the signature.</summary>
    SdkTuned,

    /// <summary>The same with HttpClient and a signature for the PUT too.</summary>
    PlainSigned,

    /// <summary>The worker, storing through AWSSDK.S3.</summary>
    WorkerSdk,

    /// <summary>The worker, storing through its own client.</summary>
    WorkerDirect,

    /// <summary>The same, and each message comes in a notification of SNS.</summary>
    WorkerSns,

    /// <summary>The same, and each message comes as base64 of gzip.</summary>
    WorkerGzip,
}

/// <summary>Groups of clients.</summary>
internal static class ClientKinds
{
    /// <summary>True for the worker.</summary>
    public static bool IsWorker(this ClientKind kind) =>
        kind is ClientKind.WorkerSdk or ClientKind.WorkerDirect or ClientKind.WorkerSns or ClientKind.WorkerGzip;
}
