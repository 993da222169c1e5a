namespace Messaging.Aws.S3;

/// <summary>The rules for bucket names, as far as they keep a name a single label or path segment: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html.</summary>
public static class BucketName
{
    /// <summary>True for a name that can only be one label of a host or one segment of a path.</summary>
    public static bool IsValid(string name) =>
        name.Length is >= 3 and <= 63
        && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c is '.' or '-')
        && char.IsAsciiLetterOrDigit(name[0])
        && char.IsAsciiLetterOrDigit(name[^1])
        && !name.Contains("..", StringComparison.Ordinal);
}
