namespace Messaging.Aws.S3;

/// <summary>The rules for bucket names that keep a name a single host label or path segment: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html.</summary>
public static class BucketName
{
    /// <summary>True for a name that is safe in a hostname and as one path segment.</summary>
    public static bool IsValid(string name) =>
        name.Length is >= 3 and <= 63
        && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c is '.' or '-')
        && char.IsAsciiLetterOrDigit(name[0])
        && char.IsAsciiLetterOrDigit(name[^1])
        && !name.Contains("..", StringComparison.Ordinal);
}
