using Benchmarks.Aws.Wire;

namespace Benchmarks.Aws.Put;

/// <summary>A writer that is independent of the worker; its result must be the object's ETag.</summary>
internal sealed class WriterClient(IObjectWriter writer, PutObjects objects) : IPutClient
{
    public async ValueTask PutAsync(int key)
    {
        string? etag = await writer.PutAsync(objects.KeyTexts[key], objects.Body, onlyIfAbsent: false);
        PutFailure.ThrowUnless(etag == objects.ETag, etag);
    }

    public void Dispose() => writer.Dispose();
}
