namespace Benchmarks.Aws.Put;

internal static class PutFailure
{
    /// <exception cref="InvalidOperationException">The PUT failed, so its figure would be worthless.</exception>
    public static void ThrowUnless(bool stored, string? detail)
    {
        if (!stored)
        {
            throw new InvalidOperationException($"The server did not store the object: {detail}");
        }
    }
}
