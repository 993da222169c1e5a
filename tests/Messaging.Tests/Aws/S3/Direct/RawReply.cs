namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>The answer of a <see cref="RawServer"/>.</summary>
/// <param name="Bytes">Sent first, as Latin-1.</param>
/// <param name="Close">Closes the connection afterwards.</param>
/// <param name="Endless">Sent repeatedly until the client disconnects; null for nothing.</param>
internal sealed record RawReply(string Bytes, bool Close = false, string? Endless = null)
{
    public static implicit operator RawReply(string bytes) => new(bytes);
}
