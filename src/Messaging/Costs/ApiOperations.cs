namespace Messaging.Costs;

/// <summary>Names and prices of <see cref="ApiOperation"/>s.</summary>
internal static class ApiOperations
{
    private const string S3 = "S3";
    private const string Sqs = "SQS";

    public static IReadOnlyList<ApiOperation> All { get; } = Enum.GetValues<ApiOperation>();

    public static string ServiceOf(ApiOperation operation) => operation < ApiOperation.SqsReceiveMessage ? S3 : Sqs;

    /// <summary>As in the API reference.</summary>
    public static string NameOf(ApiOperation operation) => operation switch
    {
        ApiOperation.S3PutObject => "PutObject",
        ApiOperation.S3HeadObject => "HeadObject",
        ApiOperation.S3GetObject => "GetObject",
        ApiOperation.S3ListObjects => "ListObjectsV2",
        _ => operation.ToString()[Sqs.Length..],
    };

    /// <summary>True for the calls that find queue and bucket, as many for one message as for a million.</summary>
    public static bool IsLookup(ApiOperation operation) => operation is ApiOperation.S3ListObjects or ApiOperation.SqsGetQueueUrl or ApiOperation.SqsGetQueueAttributes;

    /// <summary>USD of a million requests. S3 has a list in the class of PUT, and a HEAD in that of GET.</summary>
    public static double PriceOf(ApiOperation operation, CostOptions costs, bool fifo) => operation switch
    {
        ApiOperation.S3PutObject or ApiOperation.S3ListObjects => costs.S3PutPerMillion,
        ApiOperation.S3HeadObject or ApiOperation.S3GetObject => costs.S3GetPerMillion,
        _ => fifo ? costs.SqsFifoPerMillion : costs.SqsStandardPerMillion,
    };
}
