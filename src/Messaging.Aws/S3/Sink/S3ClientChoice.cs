namespace Quayside.Messaging.Aws.S3.Sink;

/// <summary>The client that a sink has, and why.</summary>
/// <param name="IsDirect">True for the direct client, false for AWSSDK.S3.</param>
/// <param name="Text">The client's name and the reason, as the end of a sentence.</param>
internal readonly record struct S3ClientChoice(bool IsDirect, string Text)
{
    private const string Setting = $"{S3SinkOptions.Section}:{nameof(S3SinkOptions.Client)}";

    /// <summary>The choice for the sink's settings.</summary>
    public static S3ClientChoice Of(S3SinkOptions options)
    {
        if (options.Client == S3ClientKind.Sdk)
        {
            return new S3ClientChoice(IsDirect: false, $"AWSSDK.S3 ({Setting}={options.Client})");
        }

        return options.IsDirectoryBucket
            ? new S3ClientChoice(
                IsDirect: false, $"AWSSDK.S3, because {S3SinkOptions.Section}:{nameof(S3SinkOptions.Bucket)} is a directory bucket (S3 Express)")
            : new S3ClientChoice(IsDirect: true, $"the direct client ({Setting}=Auto, and nothing needs AWSSDK.S3)");
    }
}
