namespace Benchmarks.Aws.Put;

/// <summary>One way to put an object. Threads: any number concurrently.</summary>
internal interface IPutClient : IDisposable
{
    /// <summary>Puts the body under one of the keys.</summary>
    /// <exception cref="InvalidOperationException">The server did not store it.</exception>
    ValueTask PutAsync(int key);
}
