using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Aws.S3;

/// <summary>A client that ends the n-th PUT, from 1, with a test's result, and each listing with another.</summary>
internal sealed class ScriptedRequests(Func<int, S3Fault> put, Func<S3Fault>? list = null) : IS3Requests
{
    private int _puts;

    public int Puts => Volatile.Read(ref _puts);

    public int Lists { get; private set; }

    public bool IsDisposed { get; private set; }

    public ValueTask<S3Fault> PutAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken) =>
        new(put(Interlocked.Increment(ref _puts)));

    public ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken) =>
        new((S3Fault.None, S3Operations.Head, true));

    public ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        Lists++;
        return new((list ?? throw new NotSupportedException())());
    }

    public void Dispose() => IsDisposed = true;
}
