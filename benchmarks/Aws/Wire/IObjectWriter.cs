namespace Benchmarks.Aws.Wire;

/// <summary>How a program without the worker stores an object. Threads: any number concurrently.</summary>
internal interface IObjectWriter : IDisposable
{
    /// <param name="key">The object's key; needs no encoding.</param>
    /// <param name="body">Its bytes.</param>
    /// <param name="onlyIfAbsent">True to be refused when the key exists.</param>
    /// <returns>The ETag, with its quotes; null without one.</returns>
    Task<string?> PutAsync(string key, byte[] body, bool onlyIfAbsent);
}
