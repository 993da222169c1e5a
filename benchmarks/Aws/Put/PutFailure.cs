namespace Benchmarks.Aws.Put;

internal static class PutFailure
{
    /// <exception cref="InvalidOperationException">A figure of PUTs that fail would be worth nothing.</exception>
    public static void ThrowUnless(bool stored, string? detail)
    {
        if (!stored)
        {
            throw new InvalidOperationException($"The server did not store the object: {detail}");
        }
    }
}
