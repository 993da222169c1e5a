namespace Messaging.Tests.Aws;

/// <summary>One published example: a request and the signature AWS gives for it.</summary>
internal sealed record SigV4Vector
{
    public required string Name { get; init; }

    public string Method { get; init; } = "GET";

    public string Path { get; init; } = "/";

    public string Query { get; init; } = string.Empty;

    /// <summary>Headers besides host and x-amz-date; several values of one name are joined by a comma, as on one line.</summary>
    public (string Name, string Value)[] Headers { get; init; } = [];

    public string Body { get; init; } = string.Empty;

    public string? SessionToken { get; init; }

    public required string SignedHeaders { get; init; }

    public required string Signature { get; init; }

    public override string ToString() => Name;
}
